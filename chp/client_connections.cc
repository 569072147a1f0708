#include "chp/client_connections.h"

#include "chp/announcement.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace chp {

namespace asio = boost::asio;
using clock = std::chrono::steady_clock;

namespace {

// Answers are of kvmsg.
std::vector<std::string> announcement_of(const client_options& from, std::uint64_t session) {
  return from.wire_format == form::kvmsg ? announce_client(session) : std::vector<std::string>{};
}

// The socket must not reconnect by itself, because the state chooses the next server.
zmtp::socket_options visitor_options(const client_options& from, std::uint64_t session) {
  auto options = from.socket;
  options.limit = socket_limits(options.limit, {.max_value_size = from.most_value_bytes});
  options.announce_peers = true;
  options.reconnect.stop_after = 1;
  options.extensions = announcement_of(from, session);
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

struct client_connections::loop {
  template <class From>
  static asio::awaitable<void> run(client_connections& of, std::shared_ptr<void> /*owner*/,
                                   std::shared_ptr<From> from) {
    const auto token = asio::as_tuple(asio::use_awaitable);
    zmtp::message_batch batch;
    for (;;) {
      const auto [ec, count] = co_await from->socket.async_receive(batch, token);
      if (ec) {
        co_return;
      }
      const auto now = of.runtime_.now();
      for (const auto next : batch) {
        if (from->over || of.stopped_) {
          co_return;
        }
        of.on_item(*from, next, now);
      }
      of.listener_.on_batch_end();
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

void client_connections::start(const std::shared_ptr<void>& owner) { owner_ = owner; }

void client_connections::stop() {
  stopped_ = true;
  close(subscriber_);
  close(snapshot_);
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

void client_connections::on_item(subscriber& from, const zmtp::message_view& item, time_point now) {
  switch (item.what()) {
    case zmtp::routed_message::kind::attached: {
      const auto* const info = from.socket.peer(item.peer());
      const bool has_log = info != nullptr && parse_announcement(info->properties).log;
      listener_.on_subscriber_attached(from.server, has_log, now);
      return;
    }
    case zmtp::routed_message::kind::message: listener_.on_subscriber_message(item, now); return;
    case zmtp::routed_message::kind::detached: listener_.on_lost(now); return;
  }
}

void client_connections::on_item(snapshot&, const zmtp::message_view& item, time_point now) {
  switch (item.what()) {
    case zmtp::routed_message::kind::attached: listener_.on_snapshot_attached(now); return;
    case zmtp::routed_message::kind::message: listener_.on_snapshot_message(item, now); return;
    case zmtp::routed_message::kind::detached: listener_.on_lost(now); return;
  }
}

void client_connections::ask(zmtp::message&& m) {
  if (snapshot_) {
    // If the request is not queued, the client repeats it.
    static_cast<void>(snapshot_->socket.try_send(std::move(m)));
  }
}

}  // namespace chp
