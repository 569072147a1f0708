// The passive server: HELLO, the cut with its file of lost updates, snapshots, entries, confirmations.

#include "test/chp/model/checker.h"
#include "test/chp/model/replica.h"

#include <algorithm>

namespace chp::model {

void replica::greet() {
  if (disk_.failed || around_.net.cut_to[0] || around_.net.cut_to[1]) {
    return;  // a server whose store failed does not follow; and a cut lets no connection be made
  }
  if (connection_ != around_.net.servers.number) {
    around_.net.servers.drop();
    connection_ = around_.net.servers.number;
  }
  greeting_ = around_.draw_random();
  greeted_at_ = around_.now;
  following_ = false;
  confirmed_ = 0;
  send(hello{greeting_, state_.rows, state_.end(), durable(), state_.lacks_data()});
}

void replica::on(const follow& message) {
  const bool ours =
      message.greeting == greeting_ || planted_here(planted::ignores_greeting_numbers);
  if (role_ != role::passive || !ours || following_) {
    return;
  }
  if (state_.end() > message.common && !write_lost(message.common)) {
    return;
  }
  following_ = true;
  if (!planted_here(planted::half_copy_serves)) {
    state_.needed = std::max(state_.needed, message.needed);
  }
  if (message.snapshot) {
    install(*message.snapshot);
  }
  confirm_durable();
}

// Section 4, rule 2. The server does not cut entries that both had. It stops and names the command that decides.
bool replica::write_lost(number common) {
  if (std::min(state_.both, state_.end()) > common && !discard_ &&
      !planted_here(planted::drops_what_both_had)) {
    role_ = role::stopped;
    around_.net.servers.drop();
    around_.check->on_stopped(*this);
    return false;
  }
  if (disk_.failed) {
    return false;
  }
  std::vector<number> file;
  for (const entry* e = state_.above(std::max(common, state_.first - 1));
       e != state_.log.data() + state_.log.size(); ++e) {
    file.push_back(e->at);
    if (planted_here(planted::loser_offers_again) &&
        (e->what == kind::set || e->what == kind::erase)) {
      cut_.push_back(*e);
    }
  }
  bool incomplete = state_.above(common) < state_.above(state_.first - 1);
  if (planted_here(planted::file_without_rows)) {
    incomplete = false;
  } else {
    for (const cell& c : state_.map) {
      if (c.at > common) {
        file.push_back(c.at);
      }
    }
  }
  if (planted_here(planted::cuts_without_file)) {
    file.clear();
  }
  around_.check->on_cut(*this, common, file, incomplete, discard_);
  discard_ = false;
  return true;
}

// One transaction replaces everything.
void replica::install(const kept& snapshot) {
  kept next = snapshot;
  next.map = snapshot.map_at_end();
  next.published = next.end();
  next.first = next.end() + 1;
  next.copy = around_.draw();
  next.both = std::min(state_.both, next.end());
  next.needed = 0;
  if (planted_here(planted::snapshot_keeps_rows)) {
    for (std::size_t k = 0; k < key_count; ++k) {
      next.map[k] = next.map[k].update == 0 ? state_.map[k] : next.map[k];
    }
  }
  if (planted_here(planted::snapshot_without_sessions)) {
    next.sessions.clear();
    next.forgotten = 0;
  }
  if (planted_here(planted::snapshot_in_two_transactions) && has_store()) {
    kept half = state_;
    half.map = next.map;
    disk_.write(half);
  }
  for (cell& c : next.map) {
    c.deadline = around_.now + c.ttl;
  }
  state_ = std::move(next);
  highest_seen_ = std::max(highest_seen_, state_.last_row().of);
  changed_ = true;
}

void replica::on(const entries& message) {
  const bool ours = following_ && message.greeting == greeting_;
  if (role_ != role::passive || (!ours && !planted_here(planted::ignores_greeting_numbers))) {
    return;
  }
  for (const entry& e : message.list) {
    if (e.at <= state_.end()) {
      continue;
    }
    const bool follows =
        e.what == kind::reign ? e.at == numbered(epoch_of(e.at), 0) : e.at == state_.end() + 1;
    if (!follows) {
      if (!planted_here(planted::ignores_greeting_numbers)) {
        greet();
        return;
      }
      continue;
    }
    state_.append(e, around_.how);
    highest_seen_ = std::max(highest_seen_, epoch_of(e.at));
    changed_ = true;
    std::erase_if(waiting_, [&](const waiting_update& w) {
      return w.what.number == e.update && w.what.has_id;
    });
  }
  const number named = std::min(message.commit, state_.end());
  state_.commit = std::max(state_.commit, named);
  // The disk of the active has all entries that it calls committed. So both have them once the own
  // disk has them too. The own commit can be of an own reign, and says nothing about the peer.
  state_.both = std::max(state_.both, std::min(named, durable()));
  state_.publish(state_.commit, around_.now, around_.how.fault);
  state_.trim(around_.how.log_limit / 2, state_.commit);
  confirm_durable();
}

// At most once a turn.
void replica::confirm_durable() {
  if (role_ != role::passive || !following_) {
    return;
  }
  const number have = planted_here(planted::confirms_before_durable) ? state_.end() : durable();
  if (have > confirmed_) {
    confirmed_ = have;
    send(confirm{greeting_, have});
  }
}

// Updates of the Guide's clients, which send to both servers and never again. Our clients send again.
void replica::keep_waiting(std::size_t client, const update& message) {
  const bool known = std::any_of(state_.log.begin(), state_.log.end(),
                                 [&](const entry& e) { return e.update == message.number; });
  if (message.session != 0 ||
      (!message.has_id && !planted_here(planted::remakes_updates_without_id)) ||
      (known && message.has_id)) {
    return;
  }
  if (waiting_.size() == around_.how.waiting_limit) {
    waiting_.pop_front();
  }
  waiting_.push_back({client, message});
}

}  // namespace chp::model
