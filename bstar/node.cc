#include "bstar/node.h"

#include "bstar/epoch_file.h"
#include "zmtp/message_batch.h"
#include "zmtp/metadata.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace bstar {

namespace asio = boost::asio;
using boost::system::error_code;
using boost::system::system_error;

namespace {

using clock = std::chrono::steady_clock;

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

// The data for status(), which outlive the core.
struct node::shown {
  role as;
  state_machine machine;
  std::uint64_t states_heard = 0;
  std::uint64_t states_refused = 0;
  std::array<std::uint64_t, errc_count> bad_messages{};
  std::uint64_t requests_accepted = 0;
  std::uint64_t requests_rejected = 0;
};

// Owned by its coroutines, so the execution context destroys it.
class node::core : public std::enable_shared_from_this<node::core> {
public:
  core(const asio::any_io_executor& executor, const node_options& options, node_handlers&& handlers,
       const std::shared_ptr<shown>& of)
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

  static asio::awaitable<void> hear_peer(std::shared_ptr<core> self) {
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

  static asio::awaitable<void> hear_subscribers(std::shared_ptr<core> self) {
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

  static asio::awaitable<void> hear_clients(std::shared_ptr<core> self, voter handler) {
    zmtp::message_batch batch;
    const auto token = asio::as_tuple(asio::use_awaitable);
    for (;;) {
      const auto [ec, count] = co_await self->voter_->async_receive(batch, token);
      if (ec) {
        co_return;
      }
      for (const auto item : batch) {
        if (self->vote()) {
          zmtp::call_user(self->executor_,
                          [&] { handler(item.to_routed_message(), *self->voter_); });
        }
      }
    }
  }

  [[nodiscard]] zmtp::xpub_socket& publisher() noexcept { return publisher_; }
  [[nodiscard]] zmtp::sub_socket& subscriber() noexcept { return subscriber_; }
  [[nodiscard]] clock::time_point now() const noexcept { return runtime_.now(); }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

  // Creates the voter, or returns null if the node has one.
  [[nodiscard]] zmtp::router_socket* make_voter() {
    return voter_ ? nullptr : &voter_.emplace(executor_, voter_options_);
  }
  void drop_voter() { voter_.reset(); }

  [[nodiscard]] bool vote() {
    if (stopped_) {
      return false;
    }
    const bool at_once = machine_.on_client_request(runtime_.now(), actions_);
    carry_out();
    const bool accepted = at_once || (machine_.serving() && !stopped_);
    ++(accepted ? shown_->requests_accepted : shown_->requests_rejected);
    return accepted;
  }

  void set_position(std::uint64_t position, epoch of) noexcept {
    machine_.set_position(position);
    machine_.on_data_of(of);
  }

  void renew_epoch() {
    if (!stopped_) {
      machine_.renew_epoch(runtime_.now(), actions_);
      carry_out();
    }
  }
  void set_data_lost(bool lost) noexcept { machine_.set_data_lost(lost); }
  void set_declines(bool declines) noexcept { machine_.set_declines(declines); }
  void hand_over() {
    if (!stopped_) {
      machine_.hand_over(runtime_.now(), actions_);
      carry_out();
    }
  }

  void stop() {
    stopped_ = true;
    alarm_.cancel();
    publisher_.close();
    subscriber_.close();
    if (voter_) {
      voter_->close();
    }
  }

private:
  struct listener {
    zmtp::peer_id peer;
    bool ours;
  };

  // A connection that has ended is not known any more. Its last state is then refused too.
  [[nodiscard]] bool is_of_peer(zmtp::peer_id from) const {
    return !peer_key_ || zmtp::known_or_empty(subscriber_.peer(from)).public_key == peer_key_;
  }

  void on_state(const zmtp::message& m) {
    const auto report = m.size() == 1 ? parse_state(m.front())
                                      : boost::system::result<peer_report>{errc::not_a_state};
    if (!report) {
      ++shown_->bad_messages[static_cast<std::size_t>(report.error().value())];
      return;
    }
    ++shown_->states_heard;
    if (!stopped_) {
      machine_.on_peer(*report, runtime_.now(), actions_);
      carry_out();
      call(handlers_.on_peer, *report);
    }
  }

  void on_subscriber(const zmtp::message_view& item) {
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

  void tell(const listener& to) {
    const auto report = machine_.report();
    // If the peer does not take the state, it gets the next one.
    static_cast<void>(publisher_.try_send(
        to.peer, zmtp::message{to.ours ? state_text(report) : state_digit(report.state)}));
  }

  void on_time() {
    machine_.on_deadline(runtime_.now(), actions_);
    carry_out();
  }

  void carry_out() {
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

  void persist(epoch which) {
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

  void acquire(epoch which) {
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

  template <class Handler, class Argument>
  void call(const Handler& handler, const Argument& argument) {
    if (handler && !stopped_) {
      zmtp::call_user(executor_, [&] { handler(argument); });
    }
  }

  asio::any_io_executor executor_;
  zmtp::runtime& runtime_;
  node_handlers handlers_;
  epoch_file file_;
  const std::optional<zmtp::curve_public_key> peer_key_;
  zmtp::socket_options voter_options_;
  zmtp::xpub_socket publisher_;
  zmtp::sub_socket subscriber_;
  std::optional<zmtp::router_socket> voter_;
  std::vector<listener> listeners_;
  const std::shared_ptr<shown> shown_;
  state_machine& machine_;
  machine_actions actions_;
  bool stopped_ = false;
  zmtp::alarm alarm_;
};

node::node(asio::any_io_executor executor, const node_options& options, node_handlers handlers) {
  if (const auto ec = validate(options.pair)) {
    throw system_error{ec, "node"};
  }
  error_code ec;
  const epoch_file file{options.epoch_file};
  const auto last = file.load(ec);
  if (ec) {
    throw system_error{ec, "epoch file " + options.epoch_file};
  }
  // Without it the node works, and a full disk prevents that it becomes active.
  file.make_spare(ec);
  auto& time = zmtp::runtime::of(executor);
  const auto of = std::make_shared<shown>(shown{
      .as = options.pair.as,
      .machine = state_machine{options.pair, last, time.random<std::uint32_t>(), time.now()}});
  const auto own = std::make_shared<core>(executor, options, std::move(handlers), of);
  core_ = own;
  shown_ = of;
  asio::co_spawn(executor, core::hear_peer(own), zmtp::rethrow);
  asio::co_spawn(executor, core::hear_subscribers(own), zmtp::rethrow);
}

node::~node() { stop(); }

zmtp::endpoint node::bind(std::string_view at) {
  zmtp::error_code ec;
  auto bound = bind(at, ec);
  if (ec) {
    throw system_error{ec, "cannot bind " + std::string{at}};
  }
  return bound;
}

zmtp::endpoint node::bind(std::string_view at, zmtp::error_code& ec) {
  const auto own = core_.lock();
  if (!own || own->stopped()) {
    ec = errc::node_stopped;
    return {};
  }
  return own->publisher().bind(at, ec);
}

void node::connect(std::string_view to) {
  zmtp::error_code ec;
  connect(to, ec);
  if (ec) {
    throw system_error{ec, "cannot connect to " + std::string{to}};
  }
}

void node::connect(std::string_view to, zmtp::error_code& ec) {
  const auto own = core_.lock();
  if (!own || own->stopped()) {
    ec = errc::node_stopped;
    return;
  }
  own->subscriber().connect(to, ec);
}

zmtp::endpoint node::bind_voter(std::string_view at, voter handler) {
  zmtp::error_code ec;
  auto bound = bind_voter(at, std::move(handler), ec);
  if (ec) {
    throw system_error{ec, "cannot bind " + std::string{at}};
  }
  return bound;
}

zmtp::endpoint node::bind_voter(std::string_view at, voter handler, zmtp::error_code& ec) {
  const auto own = core_.lock();
  if (!own || own->stopped()) {
    ec = errc::node_stopped;
    return {};
  }
  auto* const router = own->make_voter();
  if (router == nullptr) {
    ec = errc::voter_taken;
    return {};
  }
  auto bound = router->bind(at, ec);
  if (ec) {
    own->drop_voter();
    return {};
  }
  const auto executor = router->get_executor();
  asio::co_spawn(executor, core::hear_clients(own, std::move(handler)), zmtp::rethrow);
  return bound;
}

bool node::vote() {
  const auto own = core_.lock();
  return own && own->vote();
}

void node::set_position(std::uint64_t position, epoch of) {
  if (const auto own = core_.lock()) {
    own->set_position(position, of);
  }
}

void node::renew_epoch() {
  if (const auto own = core_.lock()) {
    own->renew_epoch();
  }
}

void node::set_declines(bool declines) {
  if (const auto own = core_.lock()) {
    own->set_declines(declines);
  }
}

void node::hand_over() {
  if (const auto own = core_.lock()) {
    own->hand_over();
  }
}

void node::set_data_lost(bool lost) {
  if (const auto own = core_.lock()) {
    own->set_data_lost(lost);
  }
}

node_status node::status() const {
  const auto& of = *shown_;
  const auto own = core_.lock();
  return {.as = of.as,
          .now = of.machine.current(),
          .current = of.machine.current_epoch(),
          .peer_alive = own && of.machine.peer_alive(own->now()),
          .data_lost = of.machine.data_lost(),
          .peer = of.machine.peer(),
          .states_heard = of.states_heard,
          .states_refused = of.states_refused,
          .bad_messages = of.bad_messages,
          .requests_accepted = of.requests_accepted,
          .requests_rejected = of.requests_rejected};
}

void node::stop() {
  if (const auto own = core_.lock()) {
    own->stop();
  }
}

}  // namespace bstar
