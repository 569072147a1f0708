// The active server: the check of an update, the log, the commit, the answers, the entries for the passive.

#include "test/chp/model/checker.h"
#include "test/chp/model/replica.h"

#include <algorithm>
#include <utility>

namespace chp::model {

void replica::serve(std::size_t client, const want_snapshot&) {
  subscribed_[client] = true;
  const number shown = state_.published;
  send(client, snapshot{state_.rows, state_.map, shown, place_of(state_.rows, state_.end()),
                        !in_sync() || state_.both < shown, state_.log});
}

void replica::serve(std::size_t client, const update& message) {
  if (hands_over_ || !carry_out(client, message)) {
    if (waiting_.size() == around_.how.waiting_limit) {
      waiting_.pop_front();  // the client sends it again
    }
    waiting_.push_back({client, message});
    return;
  }
  carry_out_early_ones();
}

void replica::carry_out_early_ones() {
  for (bool progress = true; std::exchange(progress, false);) {
    for (auto w = waiting_.begin(); w != waiting_.end() && !progress; ++w) {
      if (state_.length() < around_.how.log_limit && carry_out(w->client, w->what)) {
        waiting_.erase(w);
        progress = true;
        break;
      }
    }
  }
}

bool replica::reads(const to_server& message) const {
  const bool full = role_ == role::active && state_.length() >= around_.how.log_limit;
  return std::holds_alternative<want_snapshot>(message) || !full;
}

// Section 3, check of an update.
bool replica::carry_out(std::size_t client, const update& message) {
  if (message.session != 0) {
    session_of_[client] = message.session;
    session* const known = state_.find_session(message.session);
    if (known == nullptr && session_is_forgotten(message.since)) {
      send(client, unknown_session{message.session});
      return true;
    }
    const std::uint32_t low = planted_here(planted::ignores_low)
                                  ? 1
                                  : std::max(message.low, known == nullptr ? 1 : known->low);
    std::uint32_t next = std::max(low, known == nullptr ? 1 : known->next);
    if (known != nullptr) {
      for (const outcome& o : known->outcomes) {
        if (o.counter == message.counter) {
          answer_if_committed(client, message.session, o);
          return true;
        }
      }
    }
    if (planted_here(planted::ignores_low) && message.counter < next) {
      next = message.counter;
    }
    if (message.counter < next) {
      return true;
    }
    if (message.counter > next && !planted_here(planted::makes_counters_out_of_order)) {
      return false;
    }
  }
  // An update with an opaque id is looked for among the last 100,000, here in the whole history.
  if (message.session == 0 && message.has_id &&
      std::any_of(state_.log.begin(), state_.log.end(),
                  [&](const entry& e) { return e.update == message.number; })) {
    return true;
  }
  const rows_of_map map = state_.map_at_end();
  const auto used = static_cast<std::size_t>(
      std::count_if(map.begin(), map.end(), [](const cell& c) { return c.update != 0; }));
  const bool refused = message.asks || (!message.erases && map[message.key].update == 0 &&
                                        used >= around_.how.key_limit);
  if (refused && (message.session == 0 || planted_here(planted::refusals_not_logged))) {
    if (message.session != 0) {
      send(client, answer{message.session, message.counter, 0, 0, false, truth::both});
    }
    return true;
  }
  append({.what = refused          ? kind::refusal
                  : message.erases ? kind::erase
                                   : kind::set,
          .key = message.key,
          .ttl = message.ttl,
          .update = message.number,
          .session = message.session,
          .counter = message.counter,
          .low = message.low});
  return true;
}

// `since` is the end of the log that the session began with. A history that does not contain it says nothing about
// how old the session is, so it counts as the begin of the history.
bool replica::session_is_forgotten(const position& since) const {
  const bool counts =
      contains(state_.rows, since) || planted_here(planted::trusts_since_of_lost_history);
  return (counts ? since.at : 0) < state_.forgotten;
}

void replica::append(entry e) {
  if (e.what != kind::reign) {
    e.at = state_.end() + 1;
  }
  e.stamp = around_.draw();
  around_.check->on_append(*this, e);
  state_.append(e, around_.how);
  changed_ = true;
  feed();
  advance_commit();
}

// Section 4: at most a window beyond the last confirmation.
void replica::feed() {
  if (role_ != role::active || !follower_ || suspended()) {
    return;
  }
  entries message{follower_->greeting, {}, state_.commit};
  const entry* const last = state_.log.data() + state_.log.size();
  const entry* e = state_.above(follower_->sent);
  const entry* const confirmed = state_.above(follower_->confirmed);
  for (; e != last && e - confirmed < static_cast<std::ptrdiff_t>(around_.how.window); ++e) {
    message.list.push_back(*e);
    follower_->sent = e->at;
  }
  if (!message.list.empty() || state_.commit != told_commit_) {
    told_commit_ = state_.commit;
    send(message);
  }
}

void replica::advance_commit() {
  if (role_ != role::active || suspended()) {
    return;
  }
  const number own = planted_here(planted::commits_before_durable) ? state_.end() : durable();
  const number old_both = state_.both;
  if (follower_) {
    state_.both = std::max(state_.both, std::min(own, follower_->confirmed));
    // In sync: it has the end of the log as of FOLLOW, and all that was committed alone meanwhile.
    const number has_all =
        planted_here(planted::joins_at_mark) ? 0 : std::max(follower_->mark, state_.commit);
    if (!follower_->in_sync && follower_->confirmed >= std::max(follower_->mark, has_all)) {
      follower_->in_sync = true;
      around_.check->on_in_sync(*this);
    }
    if (planted_here(planted::joins_at_follow)) {
      follower_->in_sync = true;
    }
  }
  const number old_commit = state_.commit;
  if (in_sync()) {
    state_.commit = std::max(state_.commit, planted_here(planted::truth_by_membership)
                                                ? own
                                                : std::min(own, follower_->confirmed));
  } else if (!around_.how.block) {
    state_.commit = std::max(state_.commit, own);
  }
  if (planted_here(planted::truth_by_membership) && in_sync()) {
    state_.both = state_.commit;
  }
  const number shown =
      planted_here(planted::publishes_before_commit) ? state_.end() : state_.commit;
  const number old_published = state_.published;
  if (shown > old_published) {
    state_.publish(shown, around_.now, around_.how.fault);
    around_.check->on_published(*this);
    for (const entry* e = state_.above(old_published);
         e != state_.log.data() + state_.log.size() && e->at <= shown; ++e) {
      for (std::size_t c = 0; c < client_count; ++c) {
        if (subscribed_[c]) {
          const bool degraded = !in_sync() || (e->at > state_.both &&
                                               !planted_here(planted::publishes_before_commit));
          send(c, change{*e, degraded});
        }
      }
    }
  }
  if (state_.commit != old_commit) {
    answer_range(old_commit, state_.commit);
  }
  if (state_.both != old_both) {
    answer_range(old_both,
                 std::min(old_commit,
                          state_.both));  // these entries were on one server, and are now on both
  }
  // Section 4, rule 4.
  const number passive_needs = follower_ ? follower_->confirmed : state_.commit;
  state_.trim(around_.how.log_limit / 2, planted_here(planted::trims_beyond_commit)
                                             ? state_.end()
                                             : std::min(state_.commit, passive_needs));
  if (state_.commit != old_commit) {
    changed_ = true;
    feed();
  }
}

void replica::answer_range(number from, number to) {
  for (std::size_t c = 0; c < client_count; ++c) {
    if (session* const s = state_.find_session(session_of_[c]); s != nullptr && subscribed_[c]) {
      for (const outcome& o : s->outcomes) {
        if (o.at > from && o.at <= to) {
          answer_if_committed(c, s->id, o);
        }
      }
    }
  }
}

answer replica::answer_of(std::uint32_t id, const outcome& o) const {
  const entry* const e = state_.find(o.at);
  return {id,     o.counter,
          o.at,   e == nullptr ? 0 : e->stamp,
          o.made, o.at <= state_.both ? truth::both : truth::one};
}

void replica::answer_if_committed(std::size_t client, std::uint32_t id, const outcome& o) {
  if (o.at <= state_.commit || planted_here(planted::acknowledges_inherited)) {
    const answer a = answer_of(id, o);
    around_.check->on_answer(*this, a);
    send(client, a);
  }
}

// Section 6: only the active erases, and an expiry names the value that it ends.
void replica::expire_keys() {
  if (planted_here(planted::passive_expires) && role_ == role::passive) {
    for (cell& c : state_.map) {
      if (c.ttl != 0 && c.deadline <= around_.now) {
        c = {};
      }
    }
    return;
  }
  const rows_of_map map = state_.map_at_end();
  for (std::size_t k = 0; k < key_count && !suspended(); ++k) {
    const cell& c = state_.map[k];
    if (c.update != 0 && c.ttl != 0 && c.deadline <= around_.now &&
        state_.length() < around_.how.log_limit &&
        (map[k] == c || planted_here(planted::expiry_of_any_value))) {
      append({.what = kind::expiry, .key = static_cast<std::uint8_t>(k), .tag_or_ends = c.at});
    }
  }
}

void replica::on(const hello& message) {
  const row own = state_.last_row();
  const row other = message.rows.empty() ? row{} : message.rows.back();
  bound_by_dialogue_ = std::max(bound_by_dialogue_, other.of);
  connection_ = around_.net.servers.number;
  // bstar decides first who is active, by epochs alone.
  if (role_ != role::active || suspended() || (!message.lacks_data && other.of > own.of)) {
    return;
  }
  const number common = common_point(state_.rows, message.rows, around_.how.fault);
  const bool from_log =
      message.end <= common && state_.above(common) >= state_.above(state_.first - 1);
  follower f{message.greeting, state_.end(), from_log ? common : state_.end(),
             from_log ? std::min(common, message.durable) : 0, false};
  if (planted_here(planted::counts_end_of_hello) && from_log) {
    f.confirmed = common;
  }
  if (in_sync()) {
    around_.check->on_backup_dropped(*this);
  }
  follower_ = f;
  told_commit_ = 0;
  send(follow{message.greeting, common, std::max(state_.both, inherited_),
              from_log ? nullptr : std::make_shared<const kept>(state_)});
  feed();
}

void replica::on(const confirm& message) {
  const bool latest = follower_ && message.greeting == follower_->greeting;
  if (role_ == role::active && follower_ &&
      (latest || planted_here(planted::ignores_greeting_numbers))) {
    follower_->confirmed = std::max(follower_->confirmed, message.durable);
    advance_commit();
    feed();
  }
}

}  // namespace chp::model
