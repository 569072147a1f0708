#include "mdp/worker.h"

#include "mdp/alarm.h"
#include "mdp/announcement.h"
#include "mdp/reopen_pace.h"
#include "mdp/worker_state.h"
#include "zmtp/socket/complete.h"
#include "zmtp/socket/dealer_socket.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace mdp {

namespace asio = boost::asio;
using boost::system::error_code;
using clock = std::chrono::steady_clock;

// What a request needs of its worker to be answered.
class worker_request::sender {
public:
  virtual ~sender() = default;
  virtual error_code reply(std::uint64_t id, zmtp::message&& answer, bool final) = 0;
  virtual void drop(std::uint64_t id) = 0;
};

worker_request::~worker_request() {
  if (const auto to = to_.lock()) {
    to->drop(id_);
  }
}

error_code worker_request::reply(zmtp::message answer) {
  const auto to = to_.lock();
  return to ? to->reply(id_, std::move(answer), true) : make_error_code(errc::no_request);
}

error_code worker_request::reply_in_part(zmtp::message answer) {
  const auto to = to_.lock();
  return to ? to->reply(id_, std::move(answer), false) : make_error_code(errc::no_request);
}

// Owned by its coroutine, so that it goes with the context when that goes.
class worker::core final : public worker_request::sender,
                           public std::enable_shared_from_this<core> {
public:
  core(const asio::any_io_executor& executor, std::string_view broker,
       const worker_options& options, handler on_request)
      : executor_{executor},
        broker_{broker},
        extensions_{announce(options)},
        state_{options},
        on_request_{std::move(on_request)},
        alarm_{executor, [this] { on_time(); }},
        pause_{executor} {
    open();
  }

  // One conversation after the other, each on a socket of its own.
  static asio::awaitable<void> serve(std::shared_ptr<core> self) {
    const auto token = asio::as_tuple(asio::use_awaitable);
    std::vector<zmtp::routed_message> batch;
    while (!self->stopped_) {
      const auto [ec, count] = co_await self->socket_->async_receive(batch, token);
      if (!ec) {
        self->on_batch(batch);
      } else if (!self->reopen_after_) {
        co_return;
      }
      if (self->reopen_after_ && !self->stopped_) {
        self->socket_.reset();
        self->pause_.expires_after(*std::exchange(self->reopen_after_, std::nullopt));
        co_await self->pause_.async_wait(token);
        if (!self->stopped_) {
          self->open();
        }
      }
    }
  }

  error_code reply(std::uint64_t id, zmtp::message&& answer, bool final) override {
    const auto now = clock::now();
    const auto ec = final ? state_.reply(id, std::move(answer), now, actions_)
                          : state_.reply_in_part(id, std::move(answer), now, actions_);
    carry_out();
    return ec;
  }

  void drop(std::uint64_t id) override {
    state_.drop(id, actions_);
    carry_out();
  }

  void stop() {
    if (stopped_) {
      return;
    }
    stopped_ = true;
    state_.stop(actions_);
    carry_out();
    alarm_.cancel();
    pause_.cancel();
    if (socket_) {
      socket_->close();
    }
  }

private:
  void open() {
    zmtp::socket_options options;
    options.announce_peers = true;
    options.extensions = extensions_;
    options.send_mark.messages.reset();
    socket_.emplace(executor_, options);
    socket_->connect(broker_);
  }

  void on_batch(std::vector<zmtp::routed_message>& batch) {
    const auto now = clock::now();
    for (auto& item : batch) {
      // After the end of a conversation what came behind it is of no account.
      if (stopped_ || reopen_after_) {
        return;
      }
      switch (item.what) {
        case zmtp::routed_message::kind::message:
          state_.on_message(std::move(item.content), now, actions_);
          break;
        case zmtp::routed_message::kind::attached:
          pace_.on_attached(now);
          state_.on_attached(now, actions_);
          break;
        case zmtp::routed_message::kind::detached: state_.on_detached(actions_); break;
      }
      carry_out();
    }
    alarm_.set(state_.next_deadline());
  }

  void on_time() {
    state_.on_deadline(clock::now(), actions_);
    carry_out();
    alarm_.set(state_.next_deadline());
  }

  void carry_out() {
    // Handlers reply, which brings new actions: take these first.
    auto actions = std::exchange(actions_, {});
    for (auto& m : actions.sends) {
      if (socket_ && socket_->try_send(std::move(m)) != zmtp::send_status::queued) {
        // The broker takes nothing any more: as good as gone.
        state_.on_detached(actions);
      }
    }
    if (actions.reopen) {
      reopen_after_ = std::max(*actions.reopen,
                               pace_.wait(clock::now(), static_cast<std::uint32_t>(random_())));
      if (socket_) {
        socket_->close(std::chrono::milliseconds{0});  // wakes serve()
      }
    }
    const auto self = shared_from_this();
    for (auto& r : actions.requests) {
      if (!stopped_) {
        zmtp::call_user(executor_, [&] { on_request_({self, r.id, std::move(r.body)}); });
      }
    }
  }

  asio::any_io_executor executor_;
  std::string broker_;
  std::vector<std::string> extensions_;
  worker_state state_;
  handler on_request_;
  worker_actions actions_;
  std::optional<zmtp::dealer_socket> socket_;
  std::optional<std::chrono::milliseconds> reopen_after_;
  alarm alarm_;
  asio::steady_timer pause_;
  reopen_pace pace_;
  std::mt19937 random_{std::random_device{}()};
  bool stopped_ = false;
};

worker::worker(asio::any_io_executor executor, std::string_view broker,
               const worker_options& options, handler on_request) {
  if (const auto ec = check(options)) {
    throw boost::system::system_error{ec, "worker " + options.service};
  }
  const auto own = std::make_shared<core>(executor, broker, options, std::move(on_request));
  core_ = own;
  asio::co_spawn(executor, core::serve(own), zmtp::rethrow);
}

worker::~worker() { stop(); }

void worker::stop() {
  if (const auto own = core_.lock()) {
    own->stop();
  }
}

}  // namespace mdp
