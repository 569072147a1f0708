#include "chp/client_senders.h"

#include "chp/announcement.h"
#include "zmtp/message_batch.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace chp {

namespace asio = boost::asio;

namespace {

constexpr char subscribes = 1;

// The state limits the updates that are sent and not committed. A server with a full queue is
// disconnected.
zmtp::socket_options sender_options(const client_options& from) {
  auto options = from.socket;
  options.send_mark.messages.reset();
  options.reconnect.initial = from.retry;
  options.reconnect.maximum = std::max(from.retry, from.longest_retry);
  options.reconnect.refused_maximum = options.reconnect.maximum;
  return options;
}

zmtp::socket_options publisher_options(const client_options& from) {
  auto options = sender_options(from);
  options.announce_peers = true;
  options.xpub.announce_as_pub = true;
  options.xpub.notifications = zmtp::xpub_options::notices::all;
  return options;
}

// A collector that is not connected gets the pending updates when it connects.
zmtp::socket_options pusher_options(const client_options& from) {
  auto options = sender_options(from);
  options.immediate = true;
  return options;
}

}  // namespace

template <class Socket>
struct client_senders::sender {
  sender(const asio::any_io_executor& executor, const zmtp::socket_options& options,
         std::size_t which, std::string to)
      : socket{executor, options}, monitor{socket.monitor()}, server{which}, at{std::move(to)} {}

  Socket socket;
  zmtp::monitor monitor;
  std::size_t server;
  std::string at;  // may be empty: nowhere
  std::optional<zmtp::peer_id> peer;
  bool delayed = false;  // it waits until it connects again
};

struct client_senders::loop {
  template <class Sender>
  static asio::awaitable<void> watch(client_senders& of, std::shared_ptr<void> /*owner*/,
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

  static asio::awaitable<void> run(client_senders& of, std::shared_ptr<void> /*owner*/,
                                   std::shared_ptr<collector> from) {
    const auto token = asio::as_tuple(asio::use_awaitable);
    zmtp::message_batch batch;
    for (;;) {
      const auto [ec, count] = co_await from->socket.async_receive(batch, token);
      if (ec) {
        co_return;
      }
      const auto now = of.runtime_.now();
      for (const auto next : batch) {
        if (of.stopped_) {
          co_return;
        }
        auto item = next.to_routed_message();
        of.on_item(*from, item, now);
      }
    }
  }
};

client_senders::client_senders(const asio::any_io_executor& executor,
                               const std::vector<server_address>& servers,
                               const client_options& options, listener& to)
    : executor_{executor},
      runtime_{zmtp::runtime::of(executor)},
      kind_{options.collector},
      listener_{to} {
  for (std::size_t i = 0; i != servers.size(); ++i) {
    const auto& at = servers[i].collector;
    if (kind_ == collector_kind::pull) {
      pushers_.push_back(std::make_shared<pusher>(executor_, pusher_options(options), i, at));
    } else {
      collectors_.push_back(
          std::make_shared<collector>(executor_, publisher_options(options), i, at));
    }
  }
}

void client_senders::start(const std::shared_ptr<void>& owner) {
  owner_ = owner;
  for (const auto& one : pushers_) {
    begin(one);
  }
  for (const auto& one : collectors_) {
    begin(one);
    asio::co_spawn(executor_, loop::run(*this, owner, one), zmtp::rethrow);
  }
}

template <class Socket>
void client_senders::begin(const std::shared_ptr<sender<Socket>>& of) {
  asio::co_spawn(executor_, loop::watch(*this, owner_.lock(), of), zmtp::rethrow);
  if (!of->at.empty()) {
    of->socket.connect(of->at);
  }
}

void client_senders::stop() {
  stopped_ = true;
  for (const auto& one : collectors_) {
    one->socket.close();
  }
  for (const auto& one : pushers_) {
    one->socket.close();
  }
}

void client_senders::on_item(collector& from, zmtp::routed_message& item, time_point now) {
  switch (item.what) {
    case zmtp::routed_message::kind::attached: from.peer = item.peer; return;
    case zmtp::routed_message::kind::message:
      if (item.content.size() == 1 && item.content.front().starts_with(subscribes)) {
        const auto* const info = from.socket.peer(item.peer);
        const bool has_log = info != nullptr && parse_announcement(info->properties).log;
        listener_.on_collector_subscribed(from.server, has_log, now);
      }
      return;
    case zmtp::routed_message::kind::detached:
      from.peer.reset();
      listener_.on_collector_detached(from.server);
      return;
  }
}

void client_senders::on_event(pusher& from, const zmtp::monitor_event& event, time_point now) {
  note_delay(from, event);
  if (event.what == zmtp::monitor_event::kind::attached) {
    from.peer = event.peer;
    listener_.on_collector_subscribed(from.server, false, now);
  } else if (event.what == zmtp::monitor_event::kind::detached) {
    from.peer.reset();
    listener_.on_collector_detached(from.server);
  }
}

void client_senders::on_event(collector& from, const zmtp::monitor_event& event,
                              time_point /*now*/) {
  note_delay(from, event);
}

template <class Socket>
void client_senders::note_delay(sender<Socket>& of, const zmtp::monitor_event& event) {
  if (event.what == zmtp::monitor_event::kind::connect_delayed) {
    of.delayed = true;
  } else if (event.what == zmtp::monitor_event::kind::connecting) {
    of.delayed = false;
  }
}

void client_senders::reconnect_now(std::size_t server) {
  const auto now = [](auto& to) {
    if (std::exchange(to.delayed, false)) {
      zmtp::error_code ignored;
      to.socket.disconnect(to.at, ignored);
      to.socket.connect(to.at);
    }
  };
  if (kind_ == collector_kind::pull) {
    now(*pushers_[server]);
  } else {
    now(*collectors_[server]);
  }
}

void client_senders::publish(std::size_t server, zmtp::message&& m) {
  if (kind_ == collector_kind::pull) {
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

void client_senders::await_written(const client_actions::written_mark& what) {
  auto written = [this, alive = owner_, what](zmtp::error_code ec) {
    if (const auto owner = alive.lock(); owner && !ec && !stopped_) {
      listener_.on_written(what.server, what.mark, runtime_.now());
    }
  };
  if (kind_ == collector_kind::pull) {
    pushers_[what.server]->socket.async_wait_written(std::move(written));
  } else {
    collectors_[what.server]->socket.async_wait_written(std::move(written));
  }
}

}  // namespace chp
