#include "mdp/client.h"

#include "mdp/alarm.h"
#include "mdp/client_state.h"
#include "mdp/reopen_pace.h"
#include "zmtp/socket/complete.h"
#include "zmtp/socket/dealer_socket.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace mdp {

namespace asio = boost::asio;
using boost::system::error_code;
using clock = std::chrono::steady_clock;

// One connection after the other, one request at a time. Owned by its coroutine, so that it goes with
// the context when that goes, together with the handler of the request.
class client::conversation : public std::enable_shared_from_this<conversation> {
public:
  conversation(const asio::any_io_executor& executor, std::string broker,
               const client_options& options)
      : executor_{executor}, broker_{std::move(broker)}, state_{options}, alarm_{executor, [this] {
                                                                                   on_time();
                                                                                 }} {
    open();
  }

  static asio::awaitable<void> serve(std::shared_ptr<conversation> self) {
    const auto token = asio::as_tuple(asio::use_awaitable);
    std::vector<zmtp::routed_message> batch;
    while (!self->stopped_) {
      const auto [ec, count] = co_await self->socket_->async_receive(batch, token);
      if (!ec) {
        self->on_batch(batch);
      } else if (!self->reopen_) {
        co_return;
      }
      if (self->reopen_ && !self->stopped_) {
        self->socket_.reset();
        self->pause_.expires_after(
            self->pace_.wait(clock::now(), static_cast<std::uint32_t>(self->random_())));
        co_await self->pause_.async_wait(token);
        self->reopen_ = false;
        if (!self->stopped_) {
          self->open();
        }
      }
    }
  }

  [[nodiscard]] bool idle() const noexcept { return !request_ && !stopped_; }

  void ask(std::string_view service, zmtp::message&& body, partial_handler&& on_partial,
           reply_handler&& handler) {
    if (const auto ec = state_.ask(service, std::move(body), clock::now(), actions_)) {
      zmtp::complete_later(executor_, std::move(handler), ec, zmtp::message{});
      return;
    }
    auto work = zmtp::work_elsewhere(executor_, handler);
    request_.reset(new request{std::move(handler), std::move(on_partial), std::move(work)});
    if (auto slot = asio::get_associated_cancellation_slot(request_->handler.erased());
        slot.is_connected()) {
      slot.assign([self = weak_from_this()](asio::cancellation_type type) {
        if (const auto one = self.lock(); one && type != asio::cancellation_type::none) {
          one->cancel();
        }
      });
    }
    carry_out();
    alarm_.set(state_.next_deadline());
  }

  void stop() {
    stopped_ = true;
    alarm_.cancel();
    pause_.cancel();
    if (request_) {
      finish_later(asio::error::operation_aborted);
    }
    close_socket();
  }

private:
  struct request {
    reply_handler handler;
    partial_handler on_partial;
    asio::any_io_executor work_elsewhere;
  };

  void open() {
    zmtp::socket_options options;
    options.announce_peers = true;
    options.send_mark.messages.reset();
    socket_.emplace(executor_, options);
    socket_->connect(broker_);
  }

  void close_socket() {
    if (socket_) {
      socket_->close(std::chrono::milliseconds{0});  // wakes serve()
    }
  }

  void cancel() {
    state_.cancel(actions_);
    finish_later(asio::error::operation_aborted);
    carry_out();
  }

  void on_batch(std::vector<zmtp::routed_message>& batch) {
    const auto now = clock::now();
    for (auto& item : batch) {
      // What came behind the end of a connection is of no account.
      if (stopped_ || reopen_) {
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
    // Handlers ask again, which brings new actions: take these first.
    const auto self = shared_from_this();
    auto actions = std::exchange(actions_, {});
    if (actions.reopen) {
      reopen_ = true;
      close_socket();
    }
    for (auto& m : actions.sends) {
      // A connection that takes no request answers none: the timeout knows what to do.
      if (socket_) {
        static_cast<void>(socket_->try_send(std::move(m)));
      }
    }
    for (auto& part : actions.partials) {
      // It may end the request.
      if (const auto kept = request_; kept && kept->on_partial) {
        zmtp::call_user(executor_, [&] { kept->on_partial(std::move(part)); });
      }
    }
    if (actions.reply) {
      finish({}, std::move(*actions.reply));
    } else if (actions.failure) {
      finish(*actions.failure, {});
    }
  }

  void finish(error_code ec, zmtp::message&& reply) {
    if (const auto done = take_request()) {
      zmtp::complete_now(executor_, std::move(done->handler), ec, std::move(reply));
    }
  }

  void finish_later(error_code ec) {
    if (const auto done = take_request()) {
      zmtp::complete_later(executor_, std::move(done->handler), ec, zmtp::message{});
    }
  }

  std::shared_ptr<request> take_request() {
    if (request_) {
      asio::get_associated_cancellation_slot(request_->handler.erased()).clear();
    }
    return std::move(request_);
  }

  asio::any_io_executor executor_;
  std::string broker_;
  client_state state_;
  client_actions actions_;
  std::optional<zmtp::dealer_socket> socket_;
  std::shared_ptr<request> request_;
  alarm alarm_;
  asio::steady_timer pause_{executor_};
  reopen_pace pace_;
  std::mt19937 random_{std::random_device{}()};
  bool reopen_ = false;
  bool stopped_ = false;
};

class client::core {
public:
  core(const asio::any_io_executor& executor, std::string_view broker,
       const client_options& options)
      : executor_{executor}, broker_{broker}, options_{options} {
    add();
  }

  [[nodiscard]] const asio::any_io_executor& executor() const noexcept { return executor_; }

  // Nothing once stopped.
  std::shared_ptr<conversation> idle() {
    if (stopped_) {
      return nullptr;
    }
    for (const auto& one : conversations_) {
      if (auto found = one.lock(); found && found->idle()) {
        return found;
      }
    }
    return add();
  }

  void stop() {
    stopped_ = true;
    for (const auto& one : std::exchange(conversations_, {})) {
      if (const auto found = one.lock()) {
        found->stop();
      }
    }
  }

private:
  std::shared_ptr<conversation> add() {
    auto added = std::make_shared<conversation>(executor_, broker_, options_);
    conversations_.push_back(added);
    asio::co_spawn(executor_, conversation::serve(added), zmtp::rethrow);
    return added;
  }

  asio::any_io_executor executor_;
  std::string broker_;
  client_options options_;
  std::vector<std::weak_ptr<conversation>> conversations_;
  bool stopped_ = false;
};

client::client(asio::any_io_executor executor, std::string_view broker,
               const client_options& options)
    : core_{std::make_shared<core>(executor, broker, options)} {}

client::~client() { stop(); }

void client::stop() { core_->stop(); }

void client::start(std::string&& service, zmtp::message&& body, partial_handler&& on_partial,
                   reply_handler&& handler) {
  if (const auto free = core_->idle()) {
    free->ask(service, std::move(body), std::move(on_partial), std::move(handler));
  } else {
    zmtp::complete_later(core_->executor(), std::move(handler),
                         error_code{asio::error::operation_aborted}, zmtp::message{});
  }
}

}  // namespace mdp
