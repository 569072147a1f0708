#include "bstar/node_core.h"

#include "zmtp/metadata.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace bstar {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::string_view extension = "bstar";

// The intervals are short enough to replace a broken connection before the peer is declared dead.
zmtp::socket_options link_options(zmtp::socket_options options, const pair_options& pair) {
  const auto at_most = [&](std::chrono::milliseconds& time, std::chrono::milliseconds limit) {
    time = std::max(std::chrono::milliseconds{1}, std::min(time, limit));
  };
  at_most(options.reconnect.initial, pair.heartbeat / 4);
  at_most(options.reconnect.maximum, pair.heartbeat / 2);
  at_most(options.reconnect.refused_maximum, pair.heartbeat);
  options.heartbeat.interval = pair.heartbeat;
  options.heartbeat.timeout = pair.expiry_or_default();
  options.limit.handshake_time = std::clamp(
      pair.expiry_or_default(), std::chrono::milliseconds{250}, options.limit.handshake_time);
  // Old states must not be sent.
  options.linger = std::chrono::milliseconds{0};
  options.extensions = {std::string{extension}};
  return options;
}

zmtp::socket_options publisher_options(const node_options& of) {
  auto options = link_options(of.socket, of.pair);
  options.announce_peers = true;
  options.xpub.announce_as_pub = true;
  options.xpub.notifications = zmtp::xpub_options::notices::all;
  return options;
}

}  // namespace

node::core::core(const asio::any_io_executor& executor, const node_options& options,
                 node_handlers&& handlers, const std::shared_ptr<shown>& of)
    : executor_{executor},
      runtime_{zmtp::runtime::of(executor)},
      handlers_{std::move(handlers)},
      file_{options.epoch_file},
      peer_key_{options.peer_key},
      voter_options_{options.socket},
      publisher_{executor, publisher_options(options)},
      subscriber_{executor, link_options(options.peer_socket, options.pair)},
      shown_{of},
      machine_{of->machine},
      alarm_{executor, [this] { on_time(); }} {
  subscriber_.subscribe("");
  alarm_.set(machine_.next_deadline());
}

asio::awaitable<void> node::core::hear_peer(std::shared_ptr<core> self) {
  zmtp::message_batch batch;
  const auto token = asio::as_tuple(asio::use_awaitable);
  for (;;) {
    const auto [ec, count] = co_await self->subscriber_.async_receive(batch, token);
    if (ec) {
      co_return;
    }
    for (const auto m : batch) {
      if (self->is_of_peer(m.peer())) {
        self->on_state(m.to_message());
      } else {
        ++self->shown_->states_refused;
      }
    }
  }
}

asio::awaitable<void> node::core::hear_subscribers(std::shared_ptr<core> self) {
  zmtp::message_batch batch;
  const auto token = asio::as_tuple(asio::use_awaitable);
  for (;;) {
    const auto [ec, count] = co_await self->publisher_.async_receive(batch, token);
    if (ec) {
      co_return;
    }
    for (const auto item : batch) {
      self->on_subscriber(item);
    }
  }
}

asio::awaitable<void> node::core::hear_clients(std::shared_ptr<core> self, voter handler) {
  zmtp::message_batch batch;
  const auto token = asio::as_tuple(asio::use_awaitable);
  for (;;) {
    const auto [ec, count] = co_await self->voter_->async_receive(batch, token);
    if (ec) {
      co_return;
    }
    for (const auto item : batch) {
      if (self->vote()) {
        zmtp::call_user(self->executor_, [&] { handler(item.to_routed_message(), *self->voter_); });
      }
    }
  }
}

zmtp::router_socket* node::core::make_voter() {
  return voter_ ? nullptr : &voter_.emplace(executor_, voter_options_);
}

bool node::core::vote() {
  if (stopped_) {
    return false;
  }
  const bool at_once = machine_.on_client_request(runtime_.now(), actions_);
  carry_out();
  const bool accepted = at_once || (machine_.serving() && !stopped_);
  ++(accepted ? shown_->requests_accepted : shown_->requests_rejected);
  return accepted;
}

void node::core::set_position(std::uint64_t position, epoch of) noexcept {
  machine_.set_position(position);
  machine_.on_data_of(of);
}

void node::core::renew_epoch() {
  if (!stopped_) {
    machine_.renew_epoch(runtime_.now(), actions_);
    carry_out();
  }
}

void node::core::hand_over() {
  if (!stopped_) {
    machine_.hand_over(runtime_.now(), actions_);
    carry_out();
  }
}

void node::core::stop() {
  stopped_ = true;
  alarm_.cancel();
  publisher_.close();
  subscriber_.close();
  if (voter_) {
    voter_->close();
  }
}

bool node::core::is_of_peer(zmtp::peer_id from) const {
  return !peer_key_ || zmtp::known_or_empty(subscriber_.peer(from)).public_key == peer_key_;
}

void node::core::on_state(const zmtp::message& m) {
  const auto report = m.size() == 1 ? parse_state(m.front())
                                    : boost::system::result<peer_report>{errc::not_a_state};
  if (!report) {
    ++shown_->bad_messages[static_cast<std::size_t>(report.error().value())];
    return;
  }
  ++shown_->states_received;
  if (!stopped_) {
    call(handlers_.on_peer, *report);
  }
  if (!stopped_) {
    machine_.on_peer(*report, runtime_.now(), actions_);
    carry_out();
  }
}

void node::core::on_subscriber(const zmtp::message_view& item) {
  const auto known = std::find_if(listeners_.begin(), listeners_.end(),
                                  [&](const listener& l) { return l.peer == item.peer(); });
  switch (item.what()) {
    case zmtp::routed_message::kind::attached: break;
    case zmtp::routed_message::kind::message:
      // The peer listens from its first subscription, and gets the state immediately.
      if (known == listeners_.end() && item.front().starts_with('\1')) {
        const auto* const info = publisher_.info(item.peer());
        const bool ours = info != nullptr && zmtp::find_extension(info->properties, extension);
        tell(listeners_.emplace_back(listener{item.peer(), ours}));
      }
      break;
    case zmtp::routed_message::kind::detached:
      if (known != listeners_.end()) {
        listeners_.erase(known);
      }
      break;
  }
}

void node::core::tell(const listener& to) {
  const auto report = machine_.report();
  // If the peer does not take the state, it gets the next one.
  static_cast<void>(publisher_.try_send(
      to.peer, zmtp::message{to.ours ? state_text(report) : state_digit(report.state)}));
}

void node::core::on_time() {
  machine_.on_deadline(runtime_.now(), actions_);
  carry_out();
}

void node::core::carry_out() {
  // Handlers may call the node, and a stored epoch may change its state. Both append new actions.
  while (!stopped_) {
    const auto actions = std::exchange(actions_, {});
    if (actions.persist) {
      persist(*actions.persist);
    }
    if (actions.publish) {
      for (const auto& to : listeners_) {
        tell(to);
      }
    }
    if (actions.became_active) {
      call(handlers_.on_active, *actions.became_active);
    }
    if (actions.became_passive) {
      call(handlers_.on_passive, *actions.became_passive);
    }
    for (const auto what : actions.events) {
      call(handlers_.on_event, what);
    }
    if (!actions.persist) {
      break;
    }
  }
  if (!stopped_) {
    alarm_.set(machine_.next_deadline());
  }
}

void node::core::persist(epoch which) {
  error_code ec;
  file_.store(which, ec);
  // The time after the write, because a slow disk also pauses the node.
  const auto now = runtime_.now();
  if (ec) {
    machine_.on_not_persisted(now);
    call(handlers_.on_error, ec);
  } else if (handlers_.acquire && machine_.awaits(which)) {
    acquire(which);
  } else {
    machine_.on_persisted(which, now, actions_);
  }
}

void node::core::acquire(epoch which) {
  const auto done = [weak = weak_from_this(), which](bool is_granted) {
    const auto self = weak.lock();
    if (!self || self->stopped_) {
      return;
    }
    const auto now = self->runtime_.now();
    if (is_granted) {
      self->machine_.on_persisted(which, now, self->actions_);
    } else {
      self->machine_.on_not_persisted(now);
    }
    self->carry_out();
  };
  zmtp::call_user(executor_, [&] { handlers_.acquire(which, done); });
}

}  // namespace bstar
