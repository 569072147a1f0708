#include "chp/client_connections.h"

#include "chp/announcement.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace chp {

namespace asio = boost::asio;
using clock = std::chrono::steady_clock;

namespace {

constexpr char subscribes = 1;

// Acknowledgements are of kvmsg.
std::vector<std::string> announcement_of(const client_options& from, std::uint64_t session) {
  return from.wire_format == form::kvmsg ? announce_client(session) : std::vector<std::string>{};
}

// The socket is not to connect again by itself: which server is next is for the state to say.
zmtp::socket_options visitor_options(const client_options& from, std::uint64_t session) {
  zmtp::socket_options options;
  options.announce_peers = true;
  options.reconnect.stop_after = 1;
  options.extensions = announcement_of(from, session);
  return options;
}

// The state bounds what is sent and not committed; to whom that is too much, its connection is ended.
zmtp::socket_options sender_options(const client_options& from, std::uint64_t session) {
  zmtp::socket_options options;
  options.send_mark.messages.reset();
  options.reconnect.initial = from.retry;
  options.reconnect.maximum = std::max(from.retry, from.longest_retry);
  options.reconnect.refused_maximum = options.reconnect.maximum;
  options.extensions = announcement_of(from, session);
  return options;
}

zmtp::socket_options publisher_options(const client_options& from, std::uint64_t session) {
  auto options = sender_options(from, session);
  options.announce_peers = true;
  options.xpub.announce_as_pub = true;
  options.xpub.notifications = zmtp::xpub_options::notices::all;
  return options;
}

// A collector that is not connected gets the pending updates when it connects.
zmtp::socket_options pusher_options(const client_options& from, std::uint64_t session) {
  auto options = sender_options(from, session);
  options.immediate = true;
  return options;
}

}  // namespace

template <class Socket>
struct client_connections::visit {
  visit(const asio::any_io_executor& executor, const zmtp::socket_options& options,
        std::size_t which)
      : socket{executor, options}, monitor{socket.monitor()}, server{which} {}

  Socket socket;
  zmtp::monitor monitor;
  std::size_t server;
  bool over = false;
};

// To where updates go.
template <class Socket>
struct client_connections::sender {
  sender(const asio::any_io_executor& executor, const zmtp::socket_options& options,
         std::size_t which, std::string to)
      : socket{executor, options}, monitor{socket.monitor()}, server{which}, at{std::move(to)} {}

  Socket socket;
  zmtp::monitor monitor;
  std::size_t server;
  std::string at;  // may be empty: nowhere
  std::optional<zmtp::peer_id> peer;
  bool delayed = false;  // it waits until it connects again
  bool over = false;
};

struct client_connections::loop {
  template <class Sender>
  static asio::awaitable<void> watch(client_connections& of, std::shared_ptr<void> /*owner*/,
                                     std::shared_ptr<Sender> from) {
    const auto token = asio::as_tuple(asio::use_awaitable);
    for (;;) {
      const auto [ec, event] = co_await from->monitor.async_receive(token);
      if (ec || of.stopped_) {
        co_return;
      }
      of.on_event(*from, event, of.runtime_.now());
    }
  }

  template <class From>
  static asio::awaitable<void> run(client_connections& of, std::shared_ptr<void> /*owner*/,
                                   std::shared_ptr<From> from) {
    const auto token = asio::as_tuple(asio::use_awaitable);
    std::vector<zmtp::routed_message> batch;
    for (;;) {
      const auto [ec, count] = co_await from->socket.async_receive(batch, token);
      if (ec) {
        co_return;
      }
      const auto now = of.runtime_.now();
      for (auto& item : batch) {
        if (from->over || of.stopped_) {
          co_return;
        }
        of.on_item(*from, item, now);
      }
    }
  }
};

client_connections::client_connections(const asio::any_io_executor& executor,
                                       std::vector<server_address> servers,
                                       const client_options& options, std::uint64_t session,
                                       listener& to)
    : executor_{executor},
      runtime_{zmtp::runtime::of(executor)},
      servers_{std::move(servers)},
      options_{options},
      session_{session},
      listener_{to} {}

void client_connections::start(const std::shared_ptr<void>& owner) {
  owner_ = owner;
  for (std::size_t i = 0; i != servers_.size(); ++i) {
    const auto& at = servers_[i].collector;
    if (options_.collector == collector_kind::pull) {
      pushers_.push_back(
          std::make_shared<pusher>(executor_, pusher_options(options_, session_), i, at));
      begin(pushers_.back());
    } else {
      collectors_.push_back(
          std::make_shared<collector>(executor_, publisher_options(options_, session_), i, at));
      begin(collectors_.back());
      asio::co_spawn(executor_, loop::run(*this, owner, collectors_.back()), zmtp::rethrow);
    }
  }
}

template <class Socket>
void client_connections::begin(const std::shared_ptr<sender<Socket>>& of) {
  asio::co_spawn(executor_, loop::watch(*this, owner_.lock(), of), zmtp::rethrow);
  if (!of->at.empty()) {
    of->socket.connect(of->at);
  }
}

void client_connections::stop() {
  stopped_ = true;
  close(subscriber_);
  close(snapshot_);
  for (const auto& one : collectors_) {
    one->socket.close();
  }
  for (const auto& one : pushers_) {
    one->socket.close();
  }
}

void client_connections::connect(const client_actions::connecting& what) {
  using enum client_actions::connection;
  switch (what.what) {
    case close:
      this->close(subscriber_);
      this->close(snapshot_);
      return;
    case open:
      subscriber_ =
          std::make_shared<subscriber>(executor_, visitor_options(options_, session_), what.server);
      // In this order: when HUGZ comes, the subtree is subscribed to.
      subscriber_->socket.subscribe(options_.subtree);
      if (options_.wire_format == form::kvmsg) {
        subscriber_->socket.subscribe("HUGZ");
      }
      begin(subscriber_, servers_[what.server].publisher);
      if (options_.snapshots != snapshot_kind::none) {
        open_snapshot(what.server);
      }
      return;
    case renew_snapshot:
      this->close(snapshot_);
      open_snapshot(what.server);
      return;
    case close_snapshot: this->close(snapshot_); return;
  }
}

void client_connections::open_snapshot(std::size_t server) {
  snapshot_ = std::make_shared<snapshot>(executor_, visitor_options(options_, session_), server);
  begin(snapshot_, servers_[server].snapshot);
}

template <class Of>
void client_connections::begin(const std::shared_ptr<Of>& of, const std::string& at) {
  watch_end(of);
  of->socket.connect(at);
  if (const auto owner = owner_.lock()) {
    asio::co_spawn(executor_, loop::run(*this, owner, of), zmtp::rethrow);
  }
}

template <class Of>
void client_connections::watch_end(const std::shared_ptr<Of>& of) {
  of->monitor.async_receive([this, alive = owner_, weak = std::weak_ptr<Of>{of}](
                                zmtp::error_code ec, const zmtp::monitor_event& event) {
    const auto owner = alive.lock();
    const auto from = weak.lock();
    if (ec || !owner || !from || from->over || stopped_) {
      return;
    }
    if (event.what == zmtp::monitor_event::kind::stopped) {
      listener_.on_unreachable(runtime_.now());
    } else {
      watch_end(from);
    }
  });
}

template <class Of>
void client_connections::close(std::shared_ptr<Of>& of) {
  if (of) {
    of->over = true;
    of->socket.close(std::chrono::milliseconds{0});
    of.reset();
  }
}

void client_connections::on_item(subscriber& from, zmtp::routed_message& item, time_point now) {
  switch (item.what) {
    case zmtp::routed_message::kind::attached: {
      hurry(from.server);
      const auto* const info = from.socket.peer(item.peer);
      listener_.on_subscriber_attached(info != nullptr && parse_announcement(info->properties).acks,
                                       now);
      return;
    }
    case zmtp::routed_message::kind::message:
      listener_.on_subscriber_message(std::move(item.content), now);
      return;
    case zmtp::routed_message::kind::detached: listener_.on_lost(now); return;
  }
}

void client_connections::on_item(snapshot&, zmtp::routed_message& item, time_point now) {
  switch (item.what) {
    case zmtp::routed_message::kind::attached: listener_.on_snapshot_attached(now); return;
    case zmtp::routed_message::kind::message:
      listener_.on_snapshot_message(item.content, now);
      return;
    case zmtp::routed_message::kind::detached: listener_.on_lost(now); return;
  }
}

void client_connections::on_item(collector& from, zmtp::routed_message& item, time_point now) {
  switch (item.what) {
    case zmtp::routed_message::kind::attached: from.peer = item.peer; return;
    case zmtp::routed_message::kind::message:
      if (item.content.size() == 1 && item.content.front().starts_with(subscribes)) {
        listener_.on_collector_subscribed(from.server, now);
      }
      return;
    case zmtp::routed_message::kind::detached:
      from.peer.reset();
      listener_.on_collector_detached(from.server);
      return;
  }
}

void client_connections::on_event(pusher& from, const zmtp::monitor_event& event, time_point now) {
  note_delay(from, event);
  if (event.what == zmtp::monitor_event::kind::attached) {
    from.peer = event.peer;
    listener_.on_collector_subscribed(from.server, now);
  } else if (event.what == zmtp::monitor_event::kind::detached) {
    from.peer.reset();
    listener_.on_collector_detached(from.server);
  }
}

void client_connections::on_event(collector& from, const zmtp::monitor_event& event,
                                  time_point /*now*/) {
  note_delay(from, event);
}

template <class Socket>
void client_connections::note_delay(sender<Socket>& of, const zmtp::monitor_event& event) {
  if (event.what == zmtp::monitor_event::kind::connect_delayed) {
    of.delayed = true;
  } else if (event.what == zmtp::monitor_event::kind::connecting) {
    of.delayed = false;
  }
}

// The server is there: its collector does not wait for the end of a pause that grew while it was not.
void client_connections::hurry(std::size_t server) {
  const auto now = [](auto& to) {
    if (std::exchange(to.delayed, false)) {
      zmtp::error_code ignored;
      to.socket.disconnect(to.at, ignored);
      to.socket.connect(to.at);
    }
  };
  if (options_.collector == collector_kind::pull) {
    now(*pushers_[server]);
  } else {
    now(*collectors_[server]);
  }
}

void client_connections::ask(zmtp::message&& m) {
  if (snapshot_) {
    // If the request is not queued, the client repeats it.
    static_cast<void>(snapshot_->socket.try_send(std::move(m)));
  }
}

void client_connections::publish(std::size_t server, zmtp::message&& m) {
  if (options_.collector == collector_kind::pull) {
    auto& to = *pushers_[server];
    if (to.peer && to.socket.try_send(std::move(m)) == zmtp::send_status::full) {
      to.socket.disconnect(*to.peer);
    }
    return;
  }
  auto& to = *collectors_[server];
  // Disconnects instead of skipping a message. The server gets all pending updates when it is
  // connected again.
  if (to.peer && to.socket.try_send(*to.peer, std::move(m)) == zmtp::send_status::full) {
    to.socket.disconnect(*to.peer);
  }
}

void client_connections::await_written(const client_actions::written_mark& what) {
  auto written = [this, alive = owner_, what](zmtp::error_code ec) {
    if (const auto owner = alive.lock(); owner && !ec && !stopped_) {
      listener_.on_written(what.server, what.mark, runtime_.now());
    }
  };
  if (options_.collector == collector_kind::pull) {
    pushers_[what.server]->socket.async_wait_written(std::move(written));
  } else {
    collectors_[what.server]->socket.async_wait_written(std::move(written));
  }
}

}  // namespace chp
