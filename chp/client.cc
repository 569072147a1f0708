#include "chp/client.h"

#include "chp/announcement.h"
#include "chp/client_state.h"
#include "chp/subtree.h"
#include "chp/update_id.h"
#include "chp/waiting_handlers.h"
#include "chp/watch_queue.h"
#include "zmtp/error.h"
#include "zmtp/pattern/alarm.h"
#include "zmtp/routing/routed_message.h"
#include "zmtp/socket/complete.h"
#include "zmtp/socket/dealer_socket.h"
#include "zmtp/socket/monitor.h"
#include "zmtp/socket/sub_socket.h"
#include "zmtp/socket/xpub_socket.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <utility>

namespace chp {

namespace asio = boost::asio;
using boost::system::error_code;
using clock = std::chrono::steady_clock;

namespace {

constexpr char subscribes = 1;

std::uint64_t random_number() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

// The socket is not to connect again by itself: which server is next is for the state to say.
zmtp::socket_options visitor_options(std::uint64_t session) {
  zmtp::socket_options options;
  options.announce_peers = true;
  options.reconnect.stop_after = 1;
  options.extensions = announce_client(session);
  return options;
}

// The state bounds what is sent and not committed; to whom that is too much, its connection is ended.
zmtp::socket_options publisher_options(const client_options& from, std::uint64_t session) {
  zmtp::socket_options options;
  options.announce_peers = true;
  options.send_mark.messages.reset();
  options.reconnect.initial = from.retry;
  options.reconnect.maximum = std::max(from.retry, from.longest_retry);
  options.reconnect.refused_maximum = options.reconnect.maximum;
  options.extensions = announce_client(session);
  options.xpub.announce_as_pub = true;
  options.xpub.told = zmtp::xpub_options::notices::all;
  return options;
}

void expect_connectable(const server_address& server) {
  for (const auto* const at : {&server.snapshot, &server.publisher, &server.collector}) {
    if (const auto to = zmtp::endpoint::parse(*at); !to || !to->connectable()) {
      throw boost::system::system_error{to ? zmtp::errc::bad_endpoint : to.error(),
                                        "connect " + *at};
    }
  }
}

}  // namespace

outcome outcome_of(const error_code& ec) noexcept {
  if (!ec) {
    return outcome::committed;
  }
  return ec == errc::unconfirmed || ec == asio::error::operation_aborted ? outcome::unknown
                                                                         : outcome::not_made;
}

// Owned by its coroutines, so that it goes with the context when that goes, and the handlers with it.
class client::core : public std::enable_shared_from_this<core> {
public:
  core(const asio::any_io_executor& executor, std::vector<server_address> servers,
       const client_options& options, std::uint64_t session, event_handler&& on_event,
       const std::shared_ptr<client_state>& state)
      : executor_{executor},
        servers_{std::move(servers)},
        options_{options},
        session_{session},
        on_event_{std::move(on_event)},
        state_owner_{state},
        state_{*state},
        alarm_{executor, [this] { on_time(); }},
        sets_{executor},
        readies_{executor} {}

  void start() {
    for (std::size_t i = 0; i != servers_.size(); ++i) {
      collectors_.push_back(std::make_shared<collector>(
          executor_, publisher_options(options_, session_), i, servers_[i].collector));
      asio::co_spawn(executor_, hear(shared_from_this(), collectors_.back()), zmtp::rethrow);
    }
    state_.start(clock::now(), actions_);
    carry_out();
  }

  void stop() {
    if (std::exchange(stopped_, true)) {
      return;
    }
    alarm_.cancel();
    close(subscriber_);
    close(snapshot_);
    for (const auto& one : collectors_) {
      one->socket.close();
    }
    end_all(sets_);
    end_all(readies_);
    for (const auto& one : std::exchange(watchers_, {})) {
      if (const auto queue = one.lock()) {
        queue->end();
      }
    }
  }

  void wait_ready(const zmtp::deadline& until, done_handler&& handler) {
    const auto number = ++last_wait_;
    readies_.add(number, std::move(handler), [self = weak_from_this(), number] {
      if (const auto one = self.lock()) {
        one->readies_.complete_later(number, asio::error::operation_aborted);
      }
    });
    if (stopped_) {
      readies_.complete_later(number, asio::error::operation_aborted);
    } else if (state_.ready()) {
      readies_.complete_later(number, error_code{});
    } else if (until.at()) {
      ready_ends_.emplace(*until.at(), number);
      set_alarm();
    }
  }

  void set(std::string&& key, std::string&& value, const set_options& how, done_handler&& handler) {
    if (stopped_) {
      zmtp::complete_later(executor_, std::move(handler), asio::error::operation_aborted);
      return;
    }
    const auto given = state_.set(std::move(key), std::move(value), how.ttl, how.until.at(),
                                  clock::now(), actions_);
    if (!given) {
      zmtp::complete_later(executor_, std::move(handler), given.error());
      return;
    }
    const auto ticket = *given;
    sets_.add(ticket, std::move(handler), [self = weak_from_this(), ticket] {
      if (const auto one = self.lock()) {
        one->state_.cancel(ticket);
        one->sets_.complete_later(ticket, asio::error::operation_aborted);
      }
    });
    carry_out();
  }

  void add_watcher(const std::shared_ptr<watch_queue>& queue) {
    if (stopped_) {
      queue->end();
    } else {
      watchers_.push_back(queue);
      state_.tell_changes(true);
    }
  }

private:
  // A connection to the current server.
  template <class Socket>
  struct visit {
    visit(const asio::any_io_executor& executor, const zmtp::socket_options& options)
        : socket{executor, options}, monitor{socket.monitor()} {}

    Socket socket;
    zmtp::monitor monitor;
    bool over = false;
  };
  using subscriber = visit<zmtp::sub_socket>;
  using snapshot = visit<zmtp::dealer_socket>;
  struct collector {
    collector(const asio::any_io_executor& executor, const zmtp::socket_options& options,
              std::size_t which, const std::string& at)
        : socket{executor, options}, server{which} {
      socket.connect(at);
    }

    zmtp::xpub_socket socket;
    std::size_t server;
    std::optional<zmtp::peer_id> peer;
    bool over = false;
  };

  template <class From>
  static asio::awaitable<void> hear(std::shared_ptr<core> self, std::shared_ptr<From> from) {
    const auto token = asio::as_tuple(asio::use_awaitable);
    std::vector<zmtp::routed_message> batch;
    for (;;) {
      const auto [ec, count] = co_await from->socket.async_receive(batch, token);
      if (ec) {
        co_return;
      }
      const auto now = clock::now();
      for (auto& item : batch) {
        // What came behind the end of a visit is of no account.
        if (from->over || self->stopped_) {
          co_return;
        }
        self->on_item(*from, item, now);
        self->carry_out();
      }
    }
  }

  void on_item(subscriber& from, zmtp::routed_message& item, clock::time_point now) {
    switch (item.what) {
      case zmtp::routed_message::kind::attached: {
        const auto* const info = from.socket.peer(item.peer);
        state_.on_subscriber_attached(info != nullptr && parse_announcement(info->properties).acks);
        return;
      }
      case zmtp::routed_message::kind::message:
        state_.on_subscriber_message(std::move(item.content), now, actions_);
        return;
      case zmtp::routed_message::kind::detached: state_.on_lost(now, actions_); return;
    }
  }

  void on_item(snapshot&, zmtp::routed_message& item, clock::time_point now) {
    switch (item.what) {
      case zmtp::routed_message::kind::attached: state_.on_snapshot_attached(now, actions_); return;
      case zmtp::routed_message::kind::message:
        state_.on_snapshot_message(item.content, now, actions_);
        return;
      case zmtp::routed_message::kind::detached: state_.on_lost(now, actions_); return;
    }
  }

  void on_item(collector& from, zmtp::routed_message& item, clock::time_point now) {
    switch (item.what) {
      case zmtp::routed_message::kind::attached: from.peer = item.peer; return;
      case zmtp::routed_message::kind::message:
        if (item.content.part_count() == 1 && item.content.front().starts_with(subscribes)) {
          state_.on_collector_subscribed(from.server, now, actions_);
        }
        return;
      case zmtp::routed_message::kind::detached:
        from.peer.reset();
        state_.on_collector_detached(from.server);
        return;
    }
  }

  template <class Of>
  void watch_end(const std::shared_ptr<Of>& of) {
    of->monitor.async_receive([self = weak_from_this(), weak = std::weak_ptr<Of>{of}](
                                  error_code ec, const zmtp::monitor_event& event) {
      const auto own = self.lock();
      const auto from = weak.lock();
      if (ec || !own || !from || from->over || own->stopped_) {
        return;
      }
      if (event.what == zmtp::monitor_event::kind::stopped) {
        own->state_.on_unreachable(clock::now(), own->actions_);
        own->carry_out();
      } else {
        own->watch_end(from);
      }
    });
  }

  void on_time() {
    const auto now = clock::now();
    while (!ready_ends_.empty() && ready_ends_.begin()->first <= now) {
      const auto number = ready_ends_.begin()->second;
      ready_ends_.erase(ready_ends_.begin());
      readies_.complete_now(number, make_error_code(zmtp::errc::timed_out));
    }
    state_.on_deadline(now, actions_);
    carry_out();
  }

  void set_alarm() {
    if (!stopped_) {
      alarm_.set(state_.next_deadline());
      if (!ready_ends_.empty()) {
        alarm_.set(ready_ends_.begin()->first);
      }
    }
  }

  // Handlers call the client, which brings new actions: these come behind.
  void carry_out() {
    if (std::exchange(carrying_out_, true)) {
      return;
    }
    const auto self = shared_from_this();
    while (!actions_.empty() && !stopped_) {
      auto taken = std::exchange(actions_, {});
      perform(taken);
    }
    carrying_out_ = false;
    set_alarm();
    tidy();
  }

  // Between what else the executor has to do.
  void tidy() {
    constexpr std::size_t keys_at_once = 2'000;
    if (!tidying_ && !state_.tidy(keys_at_once)) {
      tidying_ = true;
      asio::post(executor_, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
          self->tidying_ = false;
          self->tidy();
        }
      });
    }
  }

  void perform(client_actions& actions) {
    for (const auto& c : actions.connections) {
      connect(c);
    }
    for (auto& m : actions.asks) {
      if (snapshot_) {
        static_cast<void>(snapshot_->socket.try_send(std::move(m)));
      }
    }
    for (auto& p : actions.publications) {
      publish(*collectors_[p.server], std::move(p.content));
    }
    for (const auto& w : actions.await_written) {
      await_written(w);
    }
    if (!actions.changes.empty()) {
      tell_watchers(actions.changes);
    }
    for (const auto& c : actions.completions) {
      sets_.complete_now(c.ticket, c.ec);
    }
    if (actions.became_ready) {
      ready_ends_.clear();
      while (!readies_.empty()) {
        readies_.complete_now(readies_.first(), error_code{});
      }
    }
    for (const auto& event : actions.events) {
      if (on_event_) {
        zmtp::call_user(executor_, [&] { on_event_(event); });
      }
    }
  }

  void connect(const client_actions::connecting& c) {
    using enum client_actions::connection;
    switch (c.what) {
      case close:
        this->close(subscriber_);
        this->close(snapshot_);
        return;
      case open: {
        subscriber_ = std::make_shared<subscriber>(executor_, visitor_options(session_));
        subscriber_->socket.subscribe(options_.subtree);
        subscriber_->socket.subscribe("HUGZ");
        begin(subscriber_, servers_[c.server].publisher);
        open_snapshot(c.server);
        return;
      }
      case renew_snapshot:
        this->close(snapshot_);
        open_snapshot(c.server);
        return;
      case close_snapshot: this->close(snapshot_); return;
    }
  }

  void open_snapshot(std::size_t server) {
    snapshot_ = std::make_shared<snapshot>(executor_, visitor_options(session_));
    begin(snapshot_, servers_[server].snapshot);
  }

  template <class Of>
  void begin(const std::shared_ptr<Of>& of, const std::string& at) {
    watch_end(of);
    of->socket.connect(at);
    asio::co_spawn(executor_, hear(shared_from_this(), of), zmtp::rethrow);
  }

  template <class Of>
  static void close(std::shared_ptr<Of>& of) {
    if (of) {
      of->over = true;
      of->socket.close(std::chrono::milliseconds{0});
      of.reset();
    }
  }

  void publish(collector& to, zmtp::message&& m) {
    // Not to leave one out: it is sent all that is pending once it is connected again.
    if (to.peer && to.socket.try_send(*to.peer, std::move(m)) == zmtp::send_status::full) {
      to.socket.disconnect(*to.peer);
    }
  }

  void await_written(const client_actions::written_mark& w) {
    collectors_[w.server]->socket.async_wait_written([self = weak_from_this(), w](error_code ec) {
      if (const auto own = self.lock(); own && !ec && !own->stopped_) {
        own->state_.on_written(w.server, w.mark, own->actions_);
        own->carry_out();
      }
    });
  }

  void tell_watchers(const std::vector<change>& changes) {
    // Handlers may make more of them.
    for (const auto& one : std::vector{watchers_}) {
      if (const auto queue = one.lock(); queue && !queue->closed()) {
        queue->add(changes);
      }
    }
    std::erase_if(watchers_, [](const auto& one) {
      const auto queue = one.lock();
      return !queue || queue->closed();
    });
    state_.tell_changes(!watchers_.empty());
  }

  static void end_all(waiting_handlers<void(error_code)>& of) {
    while (!of.empty()) {
      of.complete_later(of.first(), asio::error::operation_aborted);
    }
  }

  asio::any_io_executor executor_;
  const std::vector<server_address> servers_;
  const client_options options_;
  const std::uint64_t session_;
  const event_handler on_event_;
  const std::shared_ptr<client_state> state_owner_;
  client_state& state_;
  client_actions actions_;
  bool carrying_out_ = false;
  bool tidying_ = false;
  bool stopped_ = false;
  zmtp::alarm alarm_;
  std::vector<std::shared_ptr<collector>> collectors_;
  std::shared_ptr<subscriber> subscriber_;
  std::shared_ptr<snapshot> snapshot_;
  waiting_handlers<void(error_code)> sets_;  // by ticket
  waiting_handlers<void(error_code)> readies_;
  std::uint64_t last_wait_ = 0;
  std::set<std::pair<clock::time_point, std::uint64_t>> ready_ends_;
  std::vector<std::weak_ptr<watch_queue>> watchers_;
};

client::client(asio::any_io_executor executor, const std::vector<server_address>& servers,
               const client_options& options, event_handler on_event)
    : executor_{std::move(executor)}, watched_changes_{options.watched_changes} {
  if (servers.empty()) {
    throw boost::system::system_error{zmtp::errc::bad_endpoint, "a client without a server"};
  }
  for (const auto& server : servers) {
    expect_connectable(server);
  }
  if (!is_subtree(options.subtree)) {
    throw boost::system::system_error{errc::malformed_subtree, options.subtree};
  }
  const auto session = update_id::make_session(random_number());
  state_ = std::make_shared<client_state>(servers.size(), options, session, random_number());
  const auto own =
      std::make_shared<core>(executor_, servers, options, session, std::move(on_event), state_);
  own->start();
  core_ = own;
}

client::~client() { stop(); }

void client::stop() {
  if (const auto own = core_.lock()) {
    own->stop();
  }
}

void client::start_wait_ready(zmtp::deadline until, done_handler&& handler) {
  if (const auto own = core_.lock()) {
    own->wait_ready(until, std::move(handler));
  } else {
    zmtp::complete_later(executor_, std::move(handler), asio::error::operation_aborted);
  }
}

void client::start_set(std::string&& key, std::string&& value, const set_options& how,
                       done_handler&& handler) {
  if (value.empty()) {
    zmtp::complete_later(executor_, std::move(handler), errc::value_empty);
    return;
  }
  give(std::move(key), std::move(value), how, std::move(handler));
}

void client::start_erase(std::string&& key, zmtp::deadline until, done_handler&& handler) {
  give(std::move(key), {}, {.until = until}, std::move(handler));
}

void client::give(std::string&& key, std::string&& value, const set_options& how,
                  done_handler&& handler) {
  if (const auto own = core_.lock()) {
    own->set(std::move(key), std::move(value), how, std::move(handler));
  } else {
    zmtp::complete_later(executor_, std::move(handler), asio::error::operation_aborted);
  }
}

std::optional<std::string> client::get(std::string_view key) const {
  const auto* const found = state_->map().find(key);
  return found == nullptr ? std::nullopt : std::optional{std::string{found->value()}};
}

void client::for_each(
    std::string_view subtree,
    const std::function<void(std::string_view key, std::string_view value)>& visit) const {
  state_->map().for_each(subtree, [&](const store::entry& e) {
    visit(e.key(), e.value());
    return true;
  });
}

watcher client::watch(std::string_view subtree) {
  auto queue = std::make_shared<watch_queue>(executor_, std::string{subtree}, watched_changes_);
  if (const auto own = core_.lock()) {
    own->add_watcher(queue);
  } else {
    queue->end();
  }
  return watcher{std::move(queue)};
}

client_status client::status() const { return state_->status(); }

}  // namespace chp
