#include "chp/replicated_server.h"

#include "chp/announcement.h"
#include "zmtp/peer.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace chp {

namespace asio = boost::asio;

namespace {

using clock = std::chrono::steady_clock;
const auto token = asio::as_tuple(asio::use_awaitable);

// Options of both connections to the other server. Its own queues bound what it sends.
zmtp::socket_options peer_options(const server_options& options) {
  zmtp::socket_options o;
  o.announce_peers = true;
  o.extensions = announce_backup();
  o.receive_mark = {.messages = {}, .bytes = options.feed_bytes};
  o.send_mark = {.messages = {}, .bytes = 4 * options.snapshot_piece};
  // After a reconnect, the other server sends everything again.
  o.reconnect.maximum = std::max(o.reconnect.initial, options.heartbeat / 2);
  return o;
}

std::chrono::milliseconds time_of_day(const zmtp::runtime& of) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(of.wall_clock().time_since_epoch());
}

// Throws what it must not be.
std::shared_ptr<server_state> make_state(zmtp::runtime& of,
                                         const replicated_server_options& options) {
  if (options.server.wire_format != form::kvmsg) {
    throw boost::system::system_error{make_error_code(zmtp::errc::bad_option), "replicated_server"};
  }
  return std::make_shared<server_state>(options.server, server_state::kind::paired,
                                        of.random<std::uint64_t>());
}

std::string behind(std::string_view first) {
  const auto at = zmtp::endpoint::parse(first);
  const auto* const tcp = at ? at->tcp() : nullptr;
  if (tcp == nullptr || tcp->port == std::numeric_limits<std::uint16_t>::max()) {
    return {};
  }
  auto next = *tcp;
  ++next.port;
  return zmtp::endpoint{next}.to_string();
}

}  // namespace

// Belongs to its coroutines, so that it goes with the context when that goes.
class replicated_server::core : public std::enable_shared_from_this<replicated_server::core> {
public:
  core(const asio::any_io_executor& executor, const replicated_server_options& options,
       replicated_server_handlers handlers, std::shared_ptr<server_state> state)
      : executor_{executor},
        runtime_{zmtp::runtime::of(executor)},
        handlers_{std::move(handlers)},
        state_{std::move(state)},
        feed_{executor, peer_options(options.server)},
        source_{executor, source_options(options.server)} {}

  // Apart from the constructor, since what is made here refers to this.
  void start(const replicated_server_options& options, const std::weak_ptr<map_database>& store) {
    const auto weak = weak_from_this();
    server_ =
        std::make_shared<server_core>(executor_, state_, options.server,
                                      server_core::hooks{.vote =
                                                             [weak] {
                                                               const auto self = weak.lock();
                                                               return self && self->node_->vote();
                                                             },
                                                         .rest =
                                                             [weak](server_actions& out) {
                                                               if (const auto self = weak.lock()) {
                                                                 self->on_rest(out);
                                                               }
                                                             }},
                                      store);
    node_ = std::make_shared<bstar::node>(
        executor_, options.pair,
        bstar::node_handlers{.on_active =
                                 [weak](bstar::epoch epoch) {
                                   if (const auto self = weak.lock()) {
                                     self->on_active(epoch);
                                   }
                                 },
                             .on_passive =
                                 [weak](bstar::passive_reason why) {
                                   if (const auto self = weak.lock()) {
                                     self->on_passive();
                                     if (self->handlers_.on_passive) {
                                       self->handlers_.on_passive(why);
                                     }
                                   }
                                 },
                             .on_event =
                                 [weak](bstar::event event) {
                                   if (const auto self = weak.lock()) {
                                     self->on_pair_event(event);
                                   }
                                 },
                             .on_error = handlers_.on_pair_error});
    // A node that has had an epoch has had data.
    node_->set_data_lost(node_->status().current != 0 && state_->number() == 0);
    feed_.subscribe("");
    // The active server answers this subscription immediately.
    feed_.subscribe("HUGZ");
    server_->start();
    on_passive();
    const auto self = shared_from_this();
    asio::co_spawn(executor_, follow(self), zmtp::rethrow);
    asio::co_spawn(executor_, receive_snapshots(self), zmtp::rethrow);
  }

  void stop() {
    node_->stop();
    server_->stop();
    feed_.close();
    source_.close();
  }

  [[nodiscard]] server_core& server() noexcept { return *server_; }
  [[nodiscard]] bstar::node& node() noexcept { return *node_; }
  [[nodiscard]] std::shared_ptr<const bstar::node> shared_node() const noexcept { return node_; }

  void connect(const server_peer& to, zmtp::error_code& ec) {
    const auto publisher = to.publisher.empty() ? behind(to.snapshots) : to.publisher;
    feed_.connect(publisher, ec);
    if (!ec) {
      source_.connect(to.snapshots, ec);
    }
    if (!ec) {
      source_at_ = to.snapshots;
      node_->connect(to.state, ec);
    }
  }

private:
  // Messages for one connection must not be sent on the next.
  static zmtp::socket_options source_options(const server_options& options) {
    auto o = peer_options(options);
    o.immediate = true;
    return o;
  }

  void on_active(bstar::epoch epoch) {
    server_->act([epoch](server_state& s, clock::time_point now, server_actions& out) {
      s.activate(epoch, now, out);
    });
    if (handlers_.on_active) {
      handlers_.on_active(epoch);
    }
  }

  void on_pair_event(bstar::event event) {
    if (event == bstar::event::suspended) {
      server_->act([](server_state& s, clock::time_point, server_actions& out) { s.suspend(out); });
    }
    // In the epoch that it had; in a later one on_active() has come before.
    if (event == bstar::event::resumed) {
      on_active(node_->status().current);
    }
    if (handlers_.on_pair_event) {
      handlers_.on_pair_event(event);
    }
  }

  void on_passive() {
    server_->act([](server_state& s, clock::time_point now, server_actions& out) {
      s.deactivate(now, out);
    });
  }

  // The active one's publisher.
  static asio::awaitable<void> follow(std::shared_ptr<core> self) {
    std::vector<zmtp::routed_message> batch;
    const auto server = self->server_;
    while (co_await server_core::until_room(server)) {
      const auto [ec, count] = co_await self->feed_.async_receive(batch, token);
      if (ec) {
        co_return;
      }
      self->server_->act([&](server_state& s, clock::time_point now, server_actions& out) {
        for (auto& item : batch) {
          switch (item.what) {
            case zmtp::routed_message::kind::attached: s.on_feed_attached(); break;
            case zmtp::routed_message::kind::detached: s.on_feed_detached(out); break;
            case zmtp::routed_message::kind::message:
              s.on_publication(std::move(item.content), now, out);
              break;
          }
        }
      });
    }
  }

  // The active one's snapshot port.
  static asio::awaitable<void> receive_snapshots(std::shared_ptr<core> self) {
    std::vector<zmtp::routed_message> batch;
    for (;;) {
      const auto [ec, count] = co_await self->source_.async_receive(batch, token);
      if (ec) {
        co_return;
      }
      self->server_->act([&](server_state& s, clock::time_point now, server_actions& out) {
        for (auto& item : batch) {
          self->on_source(item, s, now, out);
        }
      });
    }
  }

  void on_source(const zmtp::routed_message& item, server_state& s, clock::time_point now,
                 server_actions& out) {
    switch (item.what) {
      case zmtp::routed_message::kind::attached: {
        const auto& info = zmtp::known_or_empty(source_.peer(item.peer));
        source_peer_ = item.peer;
        s.on_source_attached(info.properties, now, out);
        return;
      }
      case zmtp::routed_message::kind::detached:
        // Ignores the end of a connection that was given up.
        if (source_peer_ == item.peer) {
          s.on_source_detached();
          renew_source();
        }
        return;
      case zmtp::routed_message::kind::message:
        if (source_peer_ == item.peer) {
          s.on_source_message(item.content, now, time_of_day(runtime_), out);
        }
        return;
    }
  }

  // Another connection, and nothing of what was queued for the last one.
  void renew_source() {
    source_peer_.reset();
    asked_.clear();
    wants_to_offer_ = false;
    zmtp::error_code ignored;
    source_.disconnect(source_at_, ignored);
    source_.connect(source_at_, ignored);
  }

  // Carries out the actions that concern the other server.
  void on_rest(server_actions& out) {
    if (std::exchange(out.reconnect_source, false) && !source_at_.empty()) {
      renew_source();
    }
    if (std::exchange(out.renew_epoch, false) && node_) {
      node_->renew_epoch();
    }
    std::move(out.ask.begin(), out.ask.end(), std::back_inserter(asked_));
    out.ask.clear();
    wants_to_offer_ = std::exchange(out.stream_ask, false) || wants_to_offer_;
    if ((!asked_.empty() || wants_to_offer_) && !std::exchange(asking_, true)) {
      asio::co_spawn(executor_, ask(shared_from_this()), zmtp::rethrow);
    }
    if (node_ && position_ != state_->number()) {
      position_ = state_->number();
      node_->set_position(position_, static_cast<bstar::epoch>(epoch_of(position_)));
    }
    if (std::find(out.events.begin(), out.events.end(), server_event::synchronized) !=
        out.events.end()) {
      node_->set_data_lost(false);
    }
    if (handlers_.on_event) {
      // A handler may act.
      for (const auto event : std::exchange(out.events, {})) {
        handlers_.on_event(event);
      }
    }
    if (handlers_.on_turn) {
      handlers_.on_turn(state_->status());
    }
  }

  // Sends requests and offers as fast as the other server takes them.
  static asio::awaitable<void> ask(std::shared_ptr<core> self) {
    for (;;) {
      while (!self->asked_.empty() &&
             self->source_.try_send(std::move(self->asked_.front())) == zmtp::send_status::queued) {
        self->asked_.pop_front();
      }
      if (self->asked_.empty() && !self->wants_to_offer_) {
        self->asking_ = false;
        co_return;
      }
      const auto [ec] = co_await self->source_.async_wait_writable(token);
      if (ec) {
        co_return;
      }
      if (self->asked_.empty() && std::exchange(self->wants_to_offer_, false)) {
        self->server_->act([](server_state& s, clock::time_point now, server_actions& out) {
          s.on_source_writable(now, out);
        });
      }
    }
  }

  asio::any_io_executor executor_;
  zmtp::runtime& runtime_;
  replicated_server_handlers handlers_;
  std::shared_ptr<server_state> state_;
  zmtp::sub_socket feed_;
  zmtp::dealer_socket source_;
  std::string source_at_;
  std::optional<zmtp::peer_id> source_peer_;
  std::deque<zmtp::message> asked_;
  bool wants_to_offer_ = false;
  bool asking_ = false;
  sequence position_ = 0;
  std::shared_ptr<server_core> server_;
  std::shared_ptr<bstar::node> node_;
};

replicated_server::replicated_server(asio::any_io_executor executor,
                                     const replicated_server_options& options,
                                     replicated_server_handlers handlers) {
  start(executor, options, make_state(zmtp::runtime::of(executor), options), std::move(handlers));
}

replicated_server::replicated_server(asio::any_io_executor executor,
                                     const replicated_server_options& options, loaded_map from,
                                     replicated_server_handlers handlers)
    : store_{std::move(from.store)} {
  auto& runtime = zmtp::runtime::of(executor);
  const auto state = make_state(runtime, options);
  if (const auto ec = state->restore(from.found, runtime.now())) {
    throw boost::system::system_error{ec, "store"};
  }
  start(executor, options, state, std::move(handlers));
}

void replicated_server::start(const asio::any_io_executor& executor,
                              const replicated_server_options& options,
                              const std::shared_ptr<server_state>& state,
                              replicated_server_handlers handlers) {
  const auto own = std::make_shared<core>(executor, options, std::move(handlers), state);
  own->start(options, store_);
  core_ = own;
  state_ = state;
  node_ = own->shared_node();
}

replicated_server::~replicated_server() { stop(); }

server_endpoints replicated_server::bind(std::string_view at) {
  zmtp::error_code ec;
  auto bound = bind(at, ec);
  if (ec) {
    throw boost::system::system_error{ec, "cannot bind " + std::string{at}};
  }
  return bound;
}

server_endpoints replicated_server::bind(std::string_view at, zmtp::error_code& ec) {
  if (const auto own = core_.lock()) {
    return own->server().bind(at, ec);
  }
  ec = zmtp::errc::socket_closed;
  return {};
}

zmtp::endpoint replicated_server::bind_state(std::string_view at) {
  zmtp::error_code ec;
  auto bound = bind_state(at, ec);
  if (ec) {
    throw boost::system::system_error{ec, "cannot bind " + std::string{at}};
  }
  return bound;
}

zmtp::endpoint replicated_server::bind_state(std::string_view at, zmtp::error_code& ec) {
  if (const auto own = core_.lock()) {
    return own->node().bind(at, ec);
  }
  ec = zmtp::errc::socket_closed;
  return {};
}

void replicated_server::connect(const server_peer& to) {
  zmtp::error_code ec;
  connect(to, ec);
  if (ec) {
    throw boost::system::system_error{ec, "cannot connect to " + to.snapshots};
  }
}

void replicated_server::connect(const server_peer& to, zmtp::error_code& ec) {
  if (const auto own = core_.lock()) {
    own->connect(to, ec);
  } else {
    ec = zmtp::errc::socket_closed;
  }
}

void replicated_server::stop() {
  if (const auto own = core_.lock()) {
    own->stop();
  }
}

replicated_server_status replicated_server::status() const {
  return {.server = state_->status(), .pair = node_->status()};
}

const store& replicated_server::map() const noexcept { return state_->map(); }

}  // namespace chp
