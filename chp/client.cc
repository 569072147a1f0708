#include "chp/client.h"

#include "chp/client_connections.h"
#include "chp/client_state.h"
#include "chp/subtree.h"
#include "chp/update_id.h"
#include "chp/waiting_handlers.h"
#include "chp/watch_queue.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <cstdint>
#include <set>
#include <utility>

namespace chp {

namespace asio = boost::asio;
using boost::system::error_code;
using clock = std::chrono::steady_clock;

namespace {

void expect_connectable(const server_address& server, const client_options& options) {
  for (const auto* const at : {&server.snapshot, &server.publisher, &server.collector}) {
    const bool is_needed = at == &server.snapshot
                               ? options.snapshots != snapshot_kind::none
                               : at == &server.publisher || !server.collector.empty();
    if (!is_needed) {
      continue;
    }
    if (const auto to = zmtp::endpoint::parse(*at); !to || !to->connectable()) {
      throw boost::system::system_error{to ? zmtp::errc::bad_endpoint : to.error(),
                                        "cannot connect to " + *at};
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
class client::core final : public client_connections::listener,
                           public std::enable_shared_from_this<core> {
public:
  core(const asio::any_io_executor& executor, std::vector<server_address> servers,
       const client_options& options, std::uint64_t session, event_handler&& on_event,
       const std::shared_ptr<client_state>& state)
      : executor_{executor},
        runtime_{zmtp::runtime::of(executor)},
        on_event_{std::move(on_event)},
        state_owner_{state},
        state_{*state},
        alarm_{executor, [this] { on_time(); }},
        connections_{executor, std::move(servers), options, session, *this},
        sets_{executor},
        readies_{executor} {}

  void start() {
    connections_.start(shared_from_this());
    state_.start(runtime_.now(), actions_);
    carry_out();
  }

  void stop() {
    if (std::exchange(stopped_, true)) {
      return;
    }
    alarm_.cancel();
    connections_.stop();
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
    } else if (const auto end = until.at(runtime_)) {
      ready_ends_.emplace(*end, number);
      set_alarm();
    }
  }

  void set(std::string&& key, std::string&& value, const set_options& how, done_handler&& handler) {
    if (stopped_) {
      zmtp::complete_later(executor_, std::move(handler), asio::error::operation_aborted);
      return;
    }
    const auto given = state_.set(std::move(key), std::move(value), how.ttl, how.until.at(runtime_),
                                  runtime_.now(), actions_);
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
  void on_subscriber_attached(bool acknowledges, clock::time_point now) override {
    state_.on_subscriber_attached(acknowledges, now, actions_);
    carry_out();
  }
  void on_subscriber_message(zmtp::message&& m, clock::time_point now) override {
    state_.on_subscriber_message(std::move(m), now, actions_);
    carry_out();
  }
  void on_snapshot_attached(clock::time_point now) override {
    state_.on_snapshot_attached(now, actions_);
    carry_out();
  }
  void on_snapshot_message(const zmtp::message& m, clock::time_point now) override {
    state_.on_snapshot_message(m, now, actions_);
    carry_out();
  }
  void on_lost(clock::time_point now) override {
    state_.on_lost(now, actions_);
    carry_out();
  }
  void on_unreachable(clock::time_point now) override {
    state_.on_unreachable(now, actions_);
    carry_out();
  }
  void on_collector_subscribed(std::size_t server, clock::time_point now) override {
    state_.on_collector_subscribed(server, now, actions_);
    carry_out();
  }
  void on_collector_detached(std::size_t server) override { state_.on_collector_detached(server); }
  void on_written(std::size_t server, std::uint64_t mark, clock::time_point now) override {
    state_.on_written(server, mark, now, actions_);
    carry_out();
  }

  void on_time() {
    const auto now = runtime_.now();
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
    for (const auto& one : actions.connections) {
      connections_.connect(one);
    }
    for (auto& m : actions.asks) {
      connections_.ask(std::move(m));
    }
    for (auto& one : actions.publications) {
      connections_.publish(one.server, std::move(one.content));
    }
    for (const auto& one : actions.await_written) {
      connections_.await_written(one);
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
  zmtp::runtime& runtime_;
  const event_handler on_event_;
  const std::shared_ptr<client_state> state_owner_;
  client_state& state_;
  client_actions actions_;
  bool carrying_out_ = false;
  bool tidying_ = false;
  bool stopped_ = false;
  zmtp::alarm alarm_;
  client_connections connections_;
  waiting_handlers<void(error_code)> sets_;  // by ticket
  waiting_handlers<void(error_code)> readies_;
  std::uint64_t last_wait_ = 0;
  std::set<std::pair<clock::time_point, std::uint64_t>> ready_ends_;
  std::vector<std::weak_ptr<watch_queue>> watchers_;
};

client::client(asio::any_io_executor executor, const std::vector<server_address>& servers,
               const client_options& options, event_handler on_event)
    : executor_{std::move(executor)},
      watched_changes_{options.watched_changes},
      how_{options.wire_format} {
  if (servers.empty()) {
    throw boost::system::system_error{zmtp::errc::bad_endpoint, "a client without a server"};
  }
  for (const auto& server : servers) {
    expect_connectable(server, options);
  }
  if (!is_subtree(options.subtree)) {
    throw boost::system::system_error{errc::malformed_subtree, options.subtree};
  }
  auto& chance = zmtp::runtime::of(executor_);
  const auto session = update_id::make_session(chance.random<std::uint64_t>());
  state_ = std::make_shared<client_state>(servers.size(), options, session,
                                          chance.random<std::uint64_t>());
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
  if (value.empty() && how_ == form::kvmsg) {
    zmtp::complete_later(executor_, std::move(handler), errc::value_empty);
    return;
  }
  give(std::move(key), std::move(value), how, std::move(handler));
}

void client::start_erase(std::string&& key, zmtp::deadline until, done_handler&& handler) {
  if (how_ != form::kvmsg) {
    zmtp::complete_later(executor_, std::move(handler), errc::not_in_kvsimple);
    return;
  }
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
