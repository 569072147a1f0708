#include "chp/client_core.h"

#include "chp/update_id.h"
#include "zmtp/error.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

namespace chp {

namespace asio = boost::asio;
using boost::system::error_code;

client_core::client_core(const asio::any_io_executor& executor,
                         const std::vector<server_address>& servers, const client_options& options,
                         std::uint64_t session, client::event_handler&& on_event,
                         const std::shared_ptr<client_state>& state)
    : executor_{executor},
      runtime_{zmtp::runtime::of(executor)},
      on_event_{std::move(on_event)},
      state_owner_{state},
      state_{*state},
      alarm_{executor, [this] { on_time(); }},
      connections_{executor, servers, options, session, *this},
      senders_{executor, servers, options, *this},
      sets_{executor},
      readies_{executor} {}

void client_core::start() {
  connections_.start(shared_from_this());
  senders_.start(shared_from_this());
  state_.start(runtime_.now(), actions_);
  carry_out();
}

void client_core::stop() {
  if (std::exchange(stopped_, true)) {
    return;
  }
  alarm_.cancel();
  connections_.stop();
  senders_.stop();
  while (!sets_.empty()) {
    sets_.complete_later(sets_.first(), asio::error::operation_aborted, truth::unknown);
  }
  while (!readies_.empty()) {
    readies_.complete_later(readies_.first(), asio::error::operation_aborted);
  }
  for (const auto& one : std::exchange(watchers_, {})) {
    if (const auto queue = one.lock()) {
      queue->end();
    }
  }
}

void client_core::wait_ready(const zmtp::deadline& until, done_handler&& handler) {
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

void client_core::add_update(std::string&& key, std::optional<std::string>&& value,
                             const set_options& how, set_handler&& handler) {
  if (stopped_) {
    zmtp::complete_later(executor_, std::move(handler), asio::error::operation_aborted,
                         truth::unknown);
    return;
  }
  const auto given = state_.add_update(
      std::move(key), std::move(value),
      {.ttl = how.ttl, .for_both = how.require == required::both, .end = how.until.at(runtime_)},
      runtime_.now(), actions_);
  if (!given) {
    zmtp::complete_later(executor_, std::move(handler), given.error(), truth::unknown);
    return;
  }
  const auto ticket = *given;
  sets_.add(ticket, std::move(handler), [self = weak_from_this(), ticket] {
    if (const auto one = self.lock()) {
      one->state_.cancel(ticket);
      one->sets_.complete_later(ticket, asio::error::operation_aborted, truth::unknown);
    }
  });
  carry_out();
}

void client_core::add_watcher(const std::shared_ptr<watch_queue>& queue) {
  if (stopped_) {
    queue->end();
  } else {
    watchers_.push_back(queue);
    state_.tell_changes(true);
  }
}

void client_core::on_subscriber_attached(std::size_t server, bool has_log, time_point now) {
  senders_.reconnect_now(server);
  state_.on_subscriber_attached(has_log, now, actions_);
  carry_out();
}

void client_core::on_time() {
  const auto now = runtime_.now();
  while (!ready_ends_.empty() && ready_ends_.begin()->first <= now) {
    const auto number = ready_ends_.begin()->second;
    ready_ends_.erase(ready_ends_.begin());
    readies_.complete_now(number, make_error_code(zmtp::errc::timed_out));
  }
  state_.on_deadline(now, actions_);
  carry_out();
}

void client_core::set_alarm() {
  if (!stopped_) {
    alarm_.set(state_.next_deadline());
    if (!ready_ends_.empty()) {
      alarm_.set(ready_ends_.begin()->first);
    }
  }
}

// Handlers call the client, which brings new actions: these come behind.
void client_core::carry_out() {
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

// One step at a time, so that other handlers of the executor run in between.
void client_core::tidy() {
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

void client_core::perform(client_actions& actions) {
  for (const auto& one : actions.connections) {
    connections_.connect(one);
  }
  for (auto& m : actions.asks) {
    connections_.ask(std::move(m));
  }
  for (auto& one : actions.publications) {
    senders_.publish(one.server, std::move(one.content));
  }
  for (const auto& one : actions.await_written) {
    senders_.await_written(one);
  }
  tell(actions);
  if (!actions.changes.empty() && !stopped_) {
    tell_watchers(actions.changes);
  }
  complete(actions);
  if (actions.needs_session && !stopped_) {
    begin_session();
  }
}

void client_core::complete(const client_actions& actions) {
  for (const auto& c : actions.completions) {
    sets_.complete_now(c.ticket, c.ec, c.says);
  }
  if (actions.became_ready || actions.forbidden) {
    ready_ends_.clear();
    const auto ec = actions.became_ready ? error_code{} : errc::subtree_forbidden;
    while (!readies_.empty()) {
      readies_.complete_now(readies_.first(), ec);
    }
  }
}

void client_core::tell(const client_actions& actions) {
  if (!actions.lost.empty() && lost_handler_) {
    const auto handler = lost_handler_;  // a copy, because a call may replace it
    for (const auto& one : actions.lost) {
      zmtp::call_user(executor_, [&] { handler(one); });
    }
  }
  if (on_event_) {
    for (const auto& event : actions.events) {
      zmtp::call_user(executor_, [&] { on_event_(event); });
    }
  }
}

// Sessions are random, so that two clients never share one.
void client_core::begin_session() {
  const auto session = update_id::make_session(runtime_.random<std::uint64_t>());
  connections_.begin_session(session);
  state_.begin_session(session, runtime_.now(), actions_);
}

void client_core::tell_watchers(const std::vector<change>& changes) {
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

}  // namespace chp
