#include "zmtp/pattern/pirate_queue.h"

#include "zmtp/message_batch.h"
#include "zmtp/pattern/call_error.h"
#include "zmtp/pattern/option_check.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <string>
#include <utility>

namespace zmtp {

namespace asio = boost::asio;

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

socket_options router_options(socket_options options) {
  options.announce_peers = true;
  return options;
}

constexpr auto token = asio::as_tuple(asio::use_awaitable);

}  // namespace

// Owned by its coroutines, so that it is destroyed with the context.
class pirate_queue::core {
public:
  core(const asio::any_io_executor& executor, const std::shared_ptr<pirate_queue_state>& state,
       const socket_options& socket, event_handler&& on_event)
      : executor_{executor},
        runtime_{runtime::of(executor)},
        clients_{executor, router_options(socket)},
        workers_{executor, router_options(socket)},
        state_owner_{state},
        state_{*state},
        on_event_{std::move(on_event)},
        alarm_{executor, [this] { on_time(); }} {}

  static asio::awaitable<void> serve_workers(std::shared_ptr<core> self) {
    message_batch batch;
    for (;;) {
      const auto [ec, count] = co_await self->workers_.async_receive(batch, token);
      if (ec) {
        co_return;
      }
      const auto now = self->runtime_.now();
      for (const auto next : batch) {
        auto item = next.to_routed_message();
        self->on_worker(item, now);
      }
      self->look_ahead();
    }
  }

  // Receives one message at a time. Messages behind a request that pauses its client stay in the
  // socket.
  static asio::awaitable<void> serve_clients(std::shared_ptr<core> self) {
    routed_message item;
    for (;;) {
      auto [ec, received] = co_await self->clients_.async_receive(token);
      if (ec) {
        co_return;
      }
      const auto now = self->runtime_.now();
      self->on_client(received, now);
      for (int more = 0; more < most_in_turn && !self->stopped_ && self->clients_.try_receive(item);
           ++more) {
        self->on_client(item, now);
      }
      self->look_ahead();
    }
  }

  endpoint bind_clients(std::string_view at, error_code& ec) { return clients_.bind(at, ec); }
  endpoint bind_workers(std::string_view at, error_code& ec) { return workers_.bind(at, ec); }

  void stop() {
    stopped_ = true;
    alarm_.cancel();
    clients_.close();
    workers_.close();
  }

private:
  static constexpr int most_in_turn = 1'024;

  void on_worker(routed_message& item, clock::time_point now) {
    switch (item.what) {
      case routed_message::kind::message:
        state_.on_worker_message(item.peer, std::move(item.content), now, actions_);
        break;
      case routed_message::kind::attached:
        state_.on_worker_attached(item.peer, known_or_empty(workers_.info(item.peer)).properties);
        break;
      case routed_message::kind::detached:
        state_.on_worker_detached(item.peer, now, actions_);
        break;
    }
    carry_out(now);
  }

  void on_client(routed_message& item, clock::time_point now) {
    switch (item.what) {
      case routed_message::kind::message:
        state_.on_client_message(item.peer, std::move(item.content), now, actions_);
        break;
      case routed_message::kind::attached: break;
      case routed_message::kind::detached: state_.on_client_detached(item.peer, actions_); break;
    }
    carry_out(now);
  }

  void on_time() {
    const auto now = runtime_.now();
    state_.on_deadline(now, actions_);
    carry_out(now);
    look_ahead();
  }

  void look_ahead() {
    if (!stopped_) {
      alarm_.set(state_.next_deadline());
    }
  }

  void carry_out(clock::time_point now) {
    // Iterate by index, because on_not_taken() may append actions.
    for (std::size_t i = 0; i < actions_.to_workers.size(); ++i) {
      auto [to, content] = std::move(actions_.to_workers[i]);
      if (workers_.try_send(to, std::move(content)) != send_status::queued) {
        state_.on_not_taken(to, std::move(content), now, actions_);
      }
    }
    for (auto& [to, content] : actions_.to_clients) {
      if (clients_.try_send(to, std::move(content)) != send_status::queued) {
        state_.on_reply_not_taken();
      }
    }
    for (const auto client : actions_.pause) {
      clients_.pause(client);
    }
    for (const auto client : actions_.resume) {
      clients_.resume(client);
    }
    const auto events = std::exchange(actions_.events, {});
    actions_.clear();
    for (const auto& [what, peer] : events) {
      if (on_event_) {
        const auto& from = is_of_request(what) ? clients_ : workers_;
        const std::string id = known_or_empty(from.info(peer)).routing_id;
        call_user(executor_, [&, event = what] { on_event_(event, id); });
      }
    }
  }

  asio::any_io_executor executor_;
  runtime& runtime_;
  router_socket clients_;
  router_socket workers_;
  const std::shared_ptr<pirate_queue_state> state_owner_;
  pirate_queue_state& state_;
  event_handler on_event_;
  pirate_queue_actions actions_;
  alarm alarm_;
  bool stopped_ = false;
};

pirate_queue::pirate_queue(asio::any_io_executor executor, const pirate_queue_options& options,
                           event_handler on_event) {
  option_check{"pirate_queue", call_errc::bad_call_option}
      .heartbeats(options.heartbeat, options.liveness)
      .duration("busy_timeout", options.busy_timeout)
      .number("waiting", options.waiting)
      .number("waiting_bytes", options.waiting_bytes)
      .duration("unserved_timeout", options.unserved_timeout, 0ms)
      .number("workers", options.workers);
  const auto mark = runtime::of(executor).random<std::uint64_t>();
  const auto state = std::make_shared<pirate_queue_state>(options, mark);
  const auto own = std::make_shared<core>(executor, state, options.socket, std::move(on_event));
  core_ = own;
  state_ = state;
  asio::co_spawn(executor, core::serve_workers(own), rethrow);
  asio::co_spawn(executor, core::serve_clients(own), rethrow);
}

pirate_queue::~pirate_queue() { stop(); }

namespace {

endpoint bound(endpoint at, const error_code& ec, std::string_view asked) {
  if (ec) {
    throw boost::system::system_error{ec, "cannot bind " + std::string{asked}};
  }
  return at;
}

}  // namespace

endpoint pirate_queue::bind_clients(std::string_view at) {
  error_code ec = errc::socket_closed;
  const auto own = core_.lock();
  auto got = own ? own->bind_clients(at, ec) : endpoint{};
  return bound(std::move(got), ec, at);
}

endpoint pirate_queue::bind_workers(std::string_view at) {
  error_code ec = errc::socket_closed;
  const auto own = core_.lock();
  auto got = own ? own->bind_workers(at, ec) : endpoint{};
  return bound(std::move(got), ec, at);
}

void pirate_queue::stop() {
  if (const auto own = core_.lock()) {
    own->stop();
  }
}

const pirate_queue_counters& pirate_queue::counters() const noexcept { return state_->counters(); }

std::size_t pirate_queue::workers() const noexcept { return state_->workers(); }

std::size_t pirate_queue::waiting() const noexcept { return state_->waiting(); }

}  // namespace zmtp
