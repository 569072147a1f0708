#include "chp/server_core.h"

#include "chp/server_address.h"
#include "chp/server_ports.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdint>
#include <string>
#include <tuple>

namespace chp {

namespace asio = boost::asio;

namespace {

const auto token = asio::as_tuple(asio::use_awaitable);

// Where the system chooses a port, those behind it may be taken.
constexpr int attempts = 50;
// Updates of one turn, each of which takes microseconds where keys are many and far apart in memory.
// After a turn the server writes to its subscribers, so fewer updates would cost more writes.
constexpr std::size_t updates_at_once = 1'000;

// Returns no text if the port is invalid. Binding to it is then an error.
std::string behind(const zmtp::endpoint& first, unsigned count) {
  const auto at = endpoint_behind(first, count);
  return at ? at->to_string() : std::string{};
}

}  // namespace

server_core::server_core(const asio::any_io_executor& executor, std::shared_ptr<server_state> state,
                         const server_options& options, hooks others,
                         std::weak_ptr<log_store> store)
    : state_{std::move(state)},
      hooks_{std::move(others)},
      store_{std::move(store)},
      snapshots_{std::make_shared<snapshot_port>(executor, options)},
      publisher_{std::make_shared<publisher_port>(executor, options)},
      collector_{make_collector(executor, options)},
      has_rules_{!options.access.permits_all()},
      executor_{executor},
      runtime_{zmtp::runtime::of(executor)},
      room_{executor},
      alarm_{executor, [this] { on_time(); }} {}

server_core::collector_socket server_core::make_collector(const asio::any_io_executor& executor,
                                                          const server_options& options) {
  if (options.collector == collector_kind::pull) {
    return zmtp::pull_socket{executor, collector_port_options(options)};
  }
  zmtp::sub_socket collector{executor, collector_port_options(options)};
  collector.subscribe("");
  return collector;
}

void server_core::start() {
  const auto self = shared_from_this();
  snapshots_->start([weak = weak_from_this()](zmtp::peer_id peer) {
    if (const auto core = weak.lock()) {
      core->read_piece(peer);
    }
  });
  publisher_->start([weak = weak_from_this()] {
    if (const auto core = weak.lock()) {
      core->room_.cancel();
    }
  });
  asio::co_spawn(executor_, serve(self, snapshots_->socket(), &server_core::on_snapshot_client),
                 zmtp::rethrow);
  asio::co_spawn(executor_, serve(self, publisher_->socket(), &server_core::on_subscriber),
                 zmtp::rethrow);
  asio::co_spawn(executor_, collect(self), zmtp::rethrow);
}

void server_core::stop() {
  stopped_ = true;
  alarm_.cancel();
  room_.cancel();
  snapshots_->socket().close();
  publisher_->socket().close();
  std::visit([](auto& socket) { socket.close(); }, collector_);
}

zmtp::endpoint server_core::bind_snapshots(std::string_view at, zmtp::error_code& ec) {
  return snapshots_->socket().bind(at, ec);
}

zmtp::endpoint server_core::bind_publisher(std::string_view at, zmtp::error_code& ec) {
  return publisher_->socket().bind(at, ec);
}

zmtp::endpoint server_core::bind_collector(std::string_view at, zmtp::error_code& ec) {
  return std::visit([&](auto& socket) { return socket.bind(at, ec); }, collector_);
}

server_endpoints server_core::bind(std::string_view at, zmtp::error_code& ec) {
  const auto wanted = zmtp::endpoint::parse(at);
  if (!wanted || !endpoint_behind(*wanted, 0)) {
    ec = wanted ? make_error_code(zmtp::errc::bad_endpoint) : wanted.error();
    return {};
  }
  zmtp::error_code ignored;
  server_endpoints bound;
  const auto below = wanted->carrier();
  for (int left = below.tcp()->port == 0 ? attempts : 1; left != 0; --left) {
    bound.snapshots = bind_snapshots(at, ec);
    if (ec) {
      return {};
    }
    bound.publisher = bind_publisher(behind(bound.snapshots, 1), ec);
    if (!ec) {
      bound.collector = bind_collector(behind(bound.snapshots, 2), ec);
      if (!ec) {
        return bound;
      }
      publisher_->socket().unbind(bound.publisher.to_string(), ignored);
    }
    snapshots_->socket().unbind(bound.snapshots.to_string(), ignored);
  }
  return {};
}

template <class Socket>
asio::awaitable<void> server_core::serve(std::shared_ptr<server_core> self, Socket& of,
                                         void (server_core::*take)(zmtp::routed_message&,
                                                                   clock::time_point)) {
  zmtp::message_batch batch;
  for (;;) {
    const auto [ec, count] = co_await of.async_receive(batch, token);
    if (ec) {
      co_return;
    }
    const auto now = self->runtime_.now();
    for (const auto next : batch) {
      auto item = next.to_routed_message();
      ((*self).*take)(item, now);
    }
    self->finish(now);
  }
}

template <class Socket>
void server_core::attach(zmtp::peer_id peer, const Socket& of,
                         void (server_state::*take)(zmtp::peer_id, const zmtp::metadata&,
                                                    std::string_view)) {
  const auto& known = zmtp::known_or_empty(of.info(peer));
  ((*state_).*take)(peer, known.properties, known.user_id);
}

void server_core::on_snapshot_client(zmtp::routed_message& item, clock::time_point now) {
  switch (item.what) {
    case zmtp::routed_message::kind::attached:
      attach(item.peer, snapshots_->socket(), &server_state::on_snapshot_client_attached);
      return;
    case zmtp::routed_message::kind::detached:
      state_->on_snapshot_client_detached(item.peer);
      return;
    case zmtp::routed_message::kind::message: break;
  }
  if (hooks_.vote && state_->is_vote(item.peer, item.content) && !hooks_.vote()) {
    return;
  }
  state_->on_snapshot_client_message(item.peer, item.content, now, actions_);
}

void server_core::on_subscriber(zmtp::routed_message& item, clock::time_point /*now*/) {
  switch (item.what) {
    case zmtp::routed_message::kind::attached:
      attach(item.peer, publisher_->socket(), &server_state::on_subscriber_attached);
      return;
    case zmtp::routed_message::kind::detached: state_->on_subscriber_detached(item.peer); return;
    case zmtp::routed_message::kind::message: break;
  }
  // Messages other than subscriptions are ignored.
  const auto topic = item.content.front();
  if (item.content.size() == 1 && topic.starts_with('\1')) {
    state_->on_subscription(item.peer, topic.substr(1), actions_);
  } else if (item.content.size() == 1 && topic.starts_with('\0')) {
    state_->on_subscription_end(item.peer, topic.substr(1), actions_);
  }
}

asio::awaitable<bool> server_core::until_room(std::shared_ptr<server_core> self) {
  while (!self->stopped_ && (self->publisher_->is_full() || !self->state_->has_room())) {
    self->held_ = true;
    (void)co_await self->room_.async_wait(token);
  }
  co_return !self->stopped_;
}

asio::awaitable<void> server_core::collect(std::shared_ptr<server_core> self) {
  zmtp::message_batch batch;
  for (;;) {
    zmtp::error_code ec;
    if (auto* const sub = std::get_if<zmtp::sub_socket>(&self->collector_)) {
      ec = std::get<0>(co_await sub->async_receive(batch, token));
    } else {
      auto& pull = std::get<zmtp::pull_socket>(self->collector_);
      ec = std::get<0>(co_await pull.async_receive(batch, token));
    }
    if (ec) {
      co_return;
    }
    for (auto next = batch.begin(); next != batch.end();) {
      // The messages wait here, because the limit may have been reached since the receive started.
      if (!co_await until_room(self)) {
        co_return;
      }
      if (self->hooks_.check_pause && self->state_->active()) {
        self->hooks_.check_pause();
      }
      const auto now = self->runtime_.now();
      for (std::size_t taken = 0; taken != updates_at_once && next != batch.end(); ++taken) {
        self->on_collected(*next);
        ++next;
      }
      self->finish(now);
      if (next != batch.end()) {
        co_await asio::post(self->executor_, asio::use_awaitable);
      }
    }
  }
}

// Sends the next piece of the snapshots that the peer has requested.
void server_core::read_piece(zmtp::peer_id peer) {
  const auto now = runtime_.now();
  state_->on_writable(peer, actions_);
  finish(now);
}

void server_core::on_time() {
  act([](server_state& state, clock::time_point now, server_actions& out) {
    state.on_deadline(now, out);
  });
}

void server_core::finish(clock::time_point now) {
  state_->on_turn_end(now, actions_);
  carry_out();
  alarm_.set(state_->next_deadline());
  if (held_ && state_->has_room()) {
    held_ = false;
    room_.cancel();
  }
}

void server_core::carry_out() {
  write();
  publisher_->subscribe(actions_.subscriptions);
  publisher_->publish(actions_.publish, actions_.insert);
  publisher_->tell(actions_.tell);
  for (auto& [to, content] : std::exchange(actions_.reply, {})) {
    snapshots_->send(to, std::move(content));
  }
  for (const auto peer : actions_.close_snapshot_clients) {
    snapshots_->socket().disconnect(peer);
  }
  actions_.close_snapshot_clients.clear();
  for (const auto peer : actions_.close_subscribers) {
    publisher_->socket().disconnect(peer);
  }
  actions_.close_subscribers.clear();
  for (const auto peer : std::exchange(actions_.stream, {})) {
    snapshots_->stream(peer);
  }
  if (hooks_.rest) {
    hooks_.rest(actions_);
  }
  report();
}

// A handler may call the server.
void server_core::report() {
  const auto refusals = std::exchange(actions_.refusals, {});
  for (const auto event : std::exchange(actions_.events, {})) {
    if (hooks_.on_event) {
      hooks_.on_event(event);
    }
  }
  for (const auto& each : refusals) {
    if (hooks_.on_refused) {
      hooks_.on_refused(each);
    }
  }
  if (hooks_.on_turn) {
    hooks_.on_turn(state_->status());
  }
}

void server_core::write() {
  auto all = std::exchange(actions_.write, {});
  const auto store = store_.lock();
  if (!store) {
    return;
  }
  for (auto& one : all) {
    store->write(std::move(one), [weak = weak_from_this()](boost::system::error_code ec) {
      if (const auto self = weak.lock(); self && !self->stopped_) {
        self->act([ec](server_state& state, clock::time_point now, server_actions&) {
          state.on_written(ec, now);
        });
      }
    });
  }
}

}  // namespace chp
