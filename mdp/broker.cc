#include "mdp/broker.h"

#include "mdp/broker_state.h"
#include "zmtp/pattern/alarm.h"
#include "zmtp/socket/complete.h"
#include "zmtp/socket/router_socket.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <random>
#include <string>
#include <utility>

namespace mdp {

namespace asio = boost::asio;

namespace {

using clock = std::chrono::steady_clock;

// Replies that a peer does not take are bounded by octets, not by number: a client may ask everything
// before it reads the first answer.
zmtp::socket_options router_options() {
  zmtp::socket_options options;
  options.send_mark.messages.reset();
  options.announce_peers = true;
  return options;
}

std::uint64_t random_instance() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

// Owned by its coroutine, so that it goes with the context when that goes.
class broker::core {
public:
  core(const asio::any_io_executor& executor, const std::shared_ptr<broker_state>& state,
       broker_handlers&& handlers)
      : router_{executor, router_options()},
        handlers_{std::move(handlers)},
        state_owner_{state},
        state_{*state},
        alarm_{executor, [this] { on_time(); }} {}

  static asio::awaitable<void> serve(std::shared_ptr<core> self) {
    std::vector<zmtp::routed_message> batch;
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

  void stop() {
    alarm_.cancel();
    router_.close();
  }

  zmtp::endpoint bind(std::string_view at, zmtp::error_code& ec) { return router_.bind(at, ec); }

  void change_services(const broker_options& options) {
    const auto now = clock::now();
    state_.change_services(options, now, actions_);
    carry_out(now);
    alarm_.set(state_.next_deadline());
  }

private:
  void on_batch(std::vector<zmtp::routed_message>& batch) {
    const auto now = clock::now();
    for (auto& item : batch) {
      switch (item.what) {
        case zmtp::routed_message::kind::message:
          tell(handlers_.on_received, item.peer, item.content);
          state_.on_message(item.peer, std::move(item.content), now, actions_);
          break;
        case zmtp::routed_message::kind::attached: on_attached(item.peer, now); break;
        case zmtp::routed_message::kind::detached:
          state_.on_detached(item.peer, now, actions_);
          break;
      }
      carry_out(now);
    }
    state_.compact();
    alarm_.set(state_.next_deadline());
  }

  [[nodiscard]] const zmtp::peer_info& known_of(zmtp::peer_id peer) const {
    static const zmtp::peer_info nobody;  // who is gone already
    const auto* const info = router_.info(peer);
    return info != nullptr ? *info : nobody;
  }

  void tell(const broker_handlers::message_handler& who, zmtp::peer_id peer,
            const zmtp::message& m) {
    if (who) {
      zmtp::tell_user(router_.get_executor(), who, known_of(peer).routing_id, m);
    }
  }

  void on_attached(zmtp::peer_id peer, clock::time_point now) {
    const auto& known = known_of(peer);
    state_.on_attached(peer, known.routing_id, known.properties, now, actions_);
  }

  void on_time() {
    const auto now = clock::now();
    state_.on_deadline(now, actions_);
    carry_out(now);
    alarm_.set(state_.next_deadline());
  }

  void carry_out(clock::time_point now) {
    if (actions_.empty()) {
      return;
    }
    if (handlers_.on_event) {
      for (const auto& event : actions_.events) {
        zmtp::tell_user(router_.get_executor(), handlers_.on_event, event,
                        known_of(event.peer).routing_id);
      }
    }
    // By index: what is not taken makes the state want more.
    for (std::size_t i = 0; i < actions_.sends.size(); ++i) {
      auto [to, content] = std::move(actions_.sends[i]);
      tell(handlers_.on_send, to, content);
      if (router_.try_send(to, std::move(content)) != zmtp::send_status::queued) {
        state_.on_not_taken(to, std::move(content), now, actions_);
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

  zmtp::router_socket router_;
  const broker_handlers handlers_;
  const std::shared_ptr<broker_state> state_owner_;
  broker_state& state_;
  broker_actions actions_;
  zmtp::alarm alarm_;
};

broker::broker(asio::any_io_executor executor, const broker_options& options,
               broker_handlers handlers) {
  const auto state = std::make_shared<broker_state>(options, random_instance());
  const auto own = std::make_shared<core>(executor, state, std::move(handlers));
  core_ = own;
  state_ = state;
  asio::co_spawn(executor, core::serve(own), zmtp::rethrow);
}

broker::~broker() { stop(); }

zmtp::endpoint broker::bind(std::string_view at) {
  zmtp::error_code ec;
  auto bound = bind(at, ec);
  if (ec) {
    throw boost::system::system_error{ec, "bind " + std::string{at}};
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

void broker::change_services(const broker_options& options) {
  if (const auto own = core_.lock()) {
    own->change_services(options);
  }
}

broker_status broker::status() const { return state_->status(); }

std::vector<service_status> broker::services() const { return state_->services(); }

zmtp::socket_counters broker::connections() const {
  const auto own = core_.lock();
  return own ? own->connections() : zmtp::socket_counters{};
}

}  // namespace mdp
