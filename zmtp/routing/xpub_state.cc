#include "zmtp/routing/xpub_state.h"

#include "zmtp/command.h"

#include <cstring>
#include <utility>
#include <variant>

namespace zmtp {

namespace {

// The form in which a ZMTP 3.0 peer would send it.
message notice(bool subscribe, std::string_view topic) {
  message m;
  const auto bytes = m.prepare_back(1 + topic.size());
  bytes[0] = std::byte{subscribe};
  if (!topic.empty()) {
    std::memcpy(bytes.data() + 1, topic.data(), topic.size());
  }
  return m;
}

}  // namespace

xpub_state::xpub_state(const socket_options& options, std::uint64_t seed)
    : pub_state{options.xpub.announce_as_pub ? socket_type::pub : pattern,
                options,
                seed,
                {.announces = true}},
      notified_{seed} {}

// The options may have changed.
void xpub_state::follow_options() {
  if (const auto& wanted = options_.xpub.last_values; !wanted) {
    last_values_.reset();
    behind_.clear();
  } else if (last_values_) {
    last_values_->change_limit(*wanted);
  } else {
    last_values_.emplace(*wanted);
  }
}

bool xpub_state::tells_all(bool subscribe) const noexcept {
  using enum xpub_options::notices;
  const auto notified = options_.xpub.notifications;
  return options_.xpub.manual || notified == all || (notified == subscriptions && subscribe);
}

void xpub_state::on_subscription(pipe& p, bool subscribe, std::string_view topic) {
  const auto done = options_.xpub.manual ? change::none : apply(p, subscribe, topic);
  // The user may receive a topic again that the peer already has, but not the end of a topic that
  // the peer never had. While subscriptions were manual, the user received topics that are not in
  // the index.
  const bool may_end =
      options_.xpub.manual || notified_.contains(p.id.slot, topic) || !p.in.empty();
  const bool again = done == change::none && (subscribe ? tells_all(true) : may_end);
  if (done == change::made || again) {
    deliver(p, notice(subscribe, topic));
  }
  if (done == change::made) {
    subscribe ? begin_catching_up(p, topic) : stop_catching_up(p, topic);
  }
}

void xpub_state::begin_catching_up(pipe& p, std::string_view topic) {
  follow_options();
  if (last_values_) {
    if (p.id.slot >= behind_.size()) {
      behind_.resize(p.id.slot + 1);
    }
    behind_[p.id.slot].insert_or_assign(std::string{topic}, topic);
    catch_up(p);
  }
}

void xpub_state::stop_catching_up(const pipe& p, std::string_view topic) {
  if (p.id.slot < behind_.size()) {
    auto& behind = behind_[p.id.slot];
    if (const auto found = behind.find(topic); found != behind.end()) {
      behind.erase(found);
    }
  }
}

// Sends last values while the queue has space.
void xpub_state::catch_up(pipe& p) {
  if (p.id.slot >= behind_.size() || behind_[p.id.slot].empty()) {
    return;
  }
  close_group();
  auto& behind = behind_[p.id.slot];
  while (!behind.empty()) {
    auto& [topic, from] = *behind.begin();
    const auto take = [&, &next = from](const message& m) {
      if (p.out.full()) {
        next = m.front();
        return false;
      }
      queue(p, message{m});
      return true;
    };
    const bool all = last_values_->visit(topic, options_.xpub.last_values_of, from, take);
    if (!all) {
      return;
    }
    behind.erase(behind.begin());
  }
}

void xpub_state::on_written(pipe& p) {
  pub_state::on_written(p);
  catch_up(p);
}

void xpub_state::on_detached(pipe& p) {
  if (p.id.slot < behind_.size()) {
    behind_[p.id.slot].clear();
  }
  pub_state::on_detached(p);
}

bool xpub_state::receive(routed_message& to) {
  while (const auto* const p = next_readable()) {
    if (p->announced && p->in.mark_at_front() && withdraw(*p, to.content)) {
      to.what = routed_message::kind::message;
      to.peer = p->id;
      ++counters_.messages_received;
      return true;
    }
    static_cast<void>(socket_state::receive(to));
    if (to.what != routed_message::kind::message) {
      if (options_.announce_peers) {
        return true;
      }
    } else if (to.content.size() != 1 || is_news(to.peer, to.content.front())) {
      return true;
    } else {
      --counters_.messages_received;
    }
  }
  return false;
}

bool xpub_state::receive(message& to) {
  routed_message received;
  while (receive(received)) {
    if (received.what == routed_message::kind::message) {
      to = std::move(received.content);
      return true;
    }
  }
  return false;
}

bool xpub_state::receive(message_batch& to) {
  const auto before = to.size();
  while (accepts(to)) {
    to.reserve();
    routed_message next;
    if (!receive(next)) {
      break;
    }
    to.push_back({.content = std::move(next.content), .peer = next.peer, .what = next.what});
  }
  return to.size() != before;
}

// For a message of one part, returns whether the user receives it. A part with the form of a
// subscription is one, because the conversation removes all others.
bool xpub_state::is_news(peer_id from, std::string_view part) {
  const auto parsed = command::parse_subscription(part);
  const auto* const s = std::get_if<command::subscription>(&parsed);
  if (s == nullptr) {
    return true;
  }
  const auto& limit = options_.limit;
  if (!s->subscribe) {
    if (!notified_.cancel(from.slot, s->topic)) {
      return false;
    }
    return tells_all(false) || !notified_.contains(s->topic);
  }
  if (notified_.contains(from.slot, s->topic)) {
    return tells_all(true);
  }
  // Otherwise the limits were checked when the subscription arrived.
  if (options_.xpub.manual &&
      (notified_.subscriptions_of(from.slot) >= limit.subscriptions ||
       notified_.topic_bytes_of(from.slot) + s->topic.size() > limit.subscription_bytes)) {
    on_refused_subscriptions(1);
    return false;
  }
  const bool first = !notified_.contains(s->topic);
  notified_.subscribe(from.slot, s->topic);
  return first || tells_all(true);
}

// Call before the peer's detach. Takes back one of its topics whose end the user must receive.
// Returns false if no such topic is left.
bool xpub_state::withdraw(const pipe& p, message& to) {
  while (const auto topic = notified_.newest_of(p.id.slot)) {
    to = notice(false, *topic);
    if (is_news(p.id, to.front())) {
      return true;
    }
  }
  return false;
}

send_status xpub_state::send(message&& m, if_full then) {
  follow_options();
  if (!last_values_) {
    return pub_state::send(std::move(m), then);
  }
  // Stores nothing before the message is queued, and cannot fail after that. Otherwise the caller
  // would send the message again.
  auto next = last_values_->prepare(m);
  const auto status = pub_state::send(std::move(m), then);
  if (status == send_status::queued) {
    last_values_->keep(std::move(next));
  }
  return status;
}

// Last values are stored one by one.
send_status xpub_state::send(message_batch& from, if_full then) {
  follow_options();
  return last_values_ ? socket_state::send(from, then) : pub_state::send(from, then);
}

send_status xpub_state::send_to(message_batch& from) {
  close_group();
  return pub_state::send_to(from);
}

send_status xpub_state::send(peer_id to, message&& m) {
  close_group();
  return queue_for(to, std::move(m));
}

pipe* xpub_state::subscriber(peer_id id) const noexcept {
  auto* const p = find(id);
  return p != nullptr && p->attached ? p : nullptr;
}

bool xpub_state::subscribe(peer_id peer, std::string_view topic) {
  auto* const p = subscriber(peer);
  if (p != nullptr && index().subscribe(p->id.slot, topic)) {
    begin_catching_up(*p, topic);
  }
  return p != nullptr;
}

bool xpub_state::cancel(peer_id peer, std::string_view topic) {
  auto* const p = subscriber(peer);
  if (p != nullptr && index().cancel(p->id.slot, topic)) {
    stop_catching_up(*p, topic);
  }
  return p != nullptr;
}

}  // namespace zmtp
