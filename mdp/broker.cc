#include "mdp/broker.h"

#include "mdp/announcement.h"
#include "mdp/broker_state.h"
#include "zmtp/message_batch.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <optional>
#include <string>
#include <utility>

namespace mdp {

namespace asio = boost::asio;

namespace {

using clock = std::chrono::steady_clock;

// Limits the replies to one peer by bytes and not by number, because a client may send all its
// requests before it reads the first reply.
zmtp::socket_options router_options(zmtp::socket_options options, std::uint64_t instance) {
  options.send_mark.messages.reset();
  options.announce_peers = true;
  options.extensions = announce_broker(instance);
  return options;
}

}  // namespace

// Owned by its coroutine, so the execution context destroys it.
class broker::core : public std::enable_shared_from_this<core> {
public:
  core(const asio::any_io_executor& executor, const std::shared_ptr<broker_state>& state,
       const zmtp::socket_options& socket, std::uint64_t instance, broker_handlers&& handlers)
      : runtime_{zmtp::runtime::of(executor)},
        router_{executor, router_options(socket, instance)},
        handlers_{std::move(handlers)},
        state_owner_{state},
        state_{*state},
        alarm_{executor, [this] { on_time(); }},
        drain_end_{executor, [this] { give_up(); }} {}

  static asio::awaitable<void> serve(std::shared_ptr<core> self) {
    zmtp::message_batch batch;
    const auto token = asio::as_tuple(asio::use_awaitable);
    for (;;) {
      const auto [ec, count] = co_await self->router_.async_receive(batch, token);
      if (ec) {
        co_return;
      }
      self->on_batch(batch);
    }
  }

  [[nodiscard]] const zmtp::socket_counters& connections() const noexcept {
    return router_.counters();
  }
  [[nodiscard]] broker_state::time_point now() const noexcept { return runtime_.now(); }

  void stop() {
    end_drain(asio::error::operation_aborted);
    alarm_.cancel();
    router_.close();
  }

  zmtp::endpoint bind(std::string_view at, zmtp::error_code& ec) {
    auto bound = router_.bind(at, ec);
    if (!ec) {
      bound_.push_back(bound.to_string());
    }
    return bound;
  }

  void drain(zmtp::deadline until, drain_handler&& handler) {
    if (!router_.is_open() || on_drained_) {
      zmtp::complete_later(router_.get_executor(), std::move(handler),
                           zmtp::error_code{asio::error::operation_aborted});
      return;
    }
    on_drained_.emplace(std::move(handler));
    for (const auto& at : bound_) {
      zmtp::error_code ignored;
      router_.unbind(at, ignored);
    }
    drain_until_ = until.at(runtime_);
    drain_end_.set(drain_until_);
    const auto now = runtime_.now();
    state_.drain(now, actions_);
    carry_out(now);
    alarm_.set(state_.next_deadline());
    leave_if_drained();
  }

  void change_services(const broker_options& options) {
    const auto now = runtime_.now();
    state_.change_services(options, now, actions_);
    carry_out(now);
    alarm_.set(state_.next_deadline());
  }

  bool drain_worker(zmtp::peer_id worker) {
    const auto now = runtime_.now();
    const auto known = state_.drain_worker(worker, now, actions_);
    carry_out(now);
    alarm_.set(state_.next_deadline());
    return known;
  }

  void change_access(zmtp::access_rules rules) {
    const auto now = runtime_.now();
    state_.change_access(std::move(rules), now, actions_);
    carry_out(now);
    alarm_.set(state_.next_deadline());
    leave_if_drained();
  }

private:
  // Closes the socket when the last reply is queued.
  void leave_if_drained() {
    if (on_drained_ && router_.is_open() && state_.unanswered() == 0) {
      alarm_.cancel();
      auto written = [self = shared_from_this()](zmtp::error_code ec) { self->end_drain(ec); };
      if (drain_until_) {
        router_.async_close(*drain_until_, std::move(written));
      } else {
        router_.async_close(std::move(written));
      }
    }
  }

  // The deadline of the drain has passed.
  void give_up() {
    if (on_drained_ && router_.is_open()) {
      const auto now = runtime_.now();
      state_.give_up(now, actions_);
      carry_out(now);
      alarm_.cancel();
      router_.close();
      end_drain(zmtp::errc::timed_out);
    }
  }

  void end_drain(zmtp::error_code ec) {
    drain_end_.cancel();
    if (auto notified = std::exchange(on_drained_, std::nullopt)) {
      zmtp::complete_later(router_.get_executor(), std::move(*notified), ec);
    }
  }

  void on_batch(const zmtp::message_batch& batch) {
    const auto now = runtime_.now();
    for (const auto item : batch) {
      switch (item.what()) {
        case zmtp::routed_message::kind::message: {
          auto m = item.to_message();
          tell(handlers_.on_received, item.peer(), m);
          state_.on_message(item.peer(), std::move(m), now, actions_);
          break;
        }
        case zmtp::routed_message::kind::attached: on_attached(item.peer(), now); break;
        case zmtp::routed_message::kind::detached:
          state_.on_detached(item.peer(), now, actions_);
          break;
      }
      carry_out(now);
    }
    state_.compact();
    alarm_.set(state_.next_deadline());
    leave_if_drained();
  }

  [[nodiscard]] const zmtp::peer_info& known_of(zmtp::peer_id peer) const {
    return zmtp::known_or_empty(router_.info(peer));
  }

  void tell(const broker_handlers::message_handler& who, zmtp::peer_id peer,
            const zmtp::message& m) {
    if (who) {
      zmtp::tell_user(router_.get_executor(), who, known_of(peer).routing_id, m);
    }
  }

  // Reports the events from `next` on, and sets it to the end.
  void tell_events(std::size_t& next) {
    for (; next < actions_.events.size(); ++next) {
      if (handlers_.on_event) {
        const auto& event = actions_.events[next];
        zmtp::tell_user(router_.get_executor(), handlers_.on_event, event,
                        known_of(event.peer).routing_id);
      }
    }
  }

  void on_attached(zmtp::peer_id peer, clock::time_point now) {
    const auto& known = known_of(peer);
    state_.on_attached(peer, known.routing_id, known.properties, now, actions_, known.user_id);
  }

  void on_time() {
    const auto now = runtime_.now();
    state_.on_deadline(now, actions_);
    carry_out(now);
    alarm_.set(state_.next_deadline());
    leave_if_drained();
  }

  void carry_out(clock::time_point now) {
    if (actions_.empty()) {
      return;
    }
    // By index, because on_not_taken() appends to the actions.
    std::size_t events = 0;
    tell_events(events);
    for (std::size_t i = 0; i < actions_.sends.size(); ++i) {
      auto [to, content] = std::move(actions_.sends[i]);
      tell(handlers_.on_send, to, content);
      if (router_.try_send(to, std::move(content)) != zmtp::send_status::queued) {
        state_.on_not_taken(to, std::move(content), now, actions_);
        tell_events(events);
      }
    }
    for (const auto peer : actions_.pause) {
      router_.pause(peer);
    }
    for (const auto peer : actions_.resume) {
      router_.resume(peer);
    }
    for (const auto peer : actions_.close) {
      router_.disconnect(peer);
    }
    actions_.clear();
  }

  zmtp::runtime& runtime_;
  zmtp::router_socket router_;
  const broker_handlers handlers_;
  const std::shared_ptr<broker_state> state_owner_;
  broker_state& state_;
  broker_actions actions_;
  std::vector<std::string> bound_;
  zmtp::alarm alarm_;
  std::optional<drain_handler> on_drained_;
  std::optional<clock::time_point> drain_until_;
  zmtp::alarm drain_end_;
};

broker::broker(asio::any_io_executor executor, const broker_options& options,
               broker_handlers handlers)
    : executor_{executor} {
  check(options);
  const auto instance = zmtp::runtime::of(executor).random<std::uint64_t>();
  const auto state = std::make_shared<broker_state>(options, instance);
  const auto own =
      std::make_shared<core>(executor, state, options.socket, instance, std::move(handlers));
  core_ = own;
  state_ = state;
  asio::co_spawn(executor, core::serve(own), zmtp::rethrow);
}

broker::~broker() { stop(); }

zmtp::endpoint broker::bind(std::string_view at) {
  zmtp::error_code ec;
  auto bound = bind(at, ec);
  if (ec) {
    throw boost::system::system_error{ec, "cannot bind " + std::string{at}};
  }
  return bound;
}

zmtp::endpoint broker::bind(std::string_view at, zmtp::error_code& ec) {
  const auto own = core_.lock();
  if (!own) {
    ec = zmtp::errc::socket_closed;
    return {};
  }
  return own->bind(at, ec);
}

void broker::stop() {
  if (const auto own = core_.lock()) {
    own->stop();
  }
}

void broker::start_drain(zmtp::deadline until, drain_handler on_drained) {
  if (const auto own = core_.lock()) {
    own->drain(until, std::move(on_drained));
  } else {
    zmtp::complete_later(executor_, std::move(on_drained),
                         zmtp::error_code{asio::error::operation_aborted});
  }
}

void broker::change_services(const broker_options& options) {
  check(options);
  if (const auto own = core_.lock()) {
    own->change_services(options);
  }
}

void broker::change_access(zmtp::access_rules rules) {
  if (const auto own = core_.lock()) {
    own->change_access(std::move(rules));
  }
}

bool broker::drain_worker(zmtp::peer_id worker) {
  const auto own = core_.lock();
  return own && own->drain_worker(worker);
}

std::vector<worker_status> broker::workers(std::size_t count) const {
  const auto own = core_.lock();
  return own ? state_->workers(count, own->now()) : std::vector<worker_status>{};
}

std::vector<client_status> broker::clients(std::size_t count) const {
  return state_->clients(count);
}

broker_status broker::status() const { return state_->status(); }

std::vector<service_status> broker::services() const { return state_->services(); }

zmtp::socket_counters broker::connections() const {
  const auto own = core_.lock();
  return own ? own->connections() : zmtp::socket_counters{};
}

}  // namespace mdp
