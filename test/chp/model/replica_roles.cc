// The roles: start, state messages, votes, takeover, hand over.

#include "test/chp/model/checker.h"
#include "test/chp/model/replica.h"

#include <algorithm>
#include <utility>

namespace chp::model {

replica::replica(std::size_t self, surroundings& around, disk stored, bool promote_alone,
                 bool discard)
    : self_{self},
      around_{around},
      promote_alone_{promote_alone},
      discard_{discard},
      disk_{std::move(stored)} {
  disk_.failed = false;
  heard_at_ = ticked_at_ = around_.now;
  if (has_store()) {
    state_ = disk_.content();
    for (cell& c : state_.map) {
      c.deadline = around_.now + c.ttl;  // section 6: the full time again
    }
  }
  // A reign that never reached the disk may have used the reserved epoch. So each start reserves another one.
  if (disk_.reserved != 0 && !planted_here(planted::epoch_not_reserved)) {
    ++disk_.reserved;
  }
  around_.check->on_start(*this);
}

void replica::crash(std::size_t transactions_written) {
  role_ = role::down;
  paused_ = false;
  disk_.crash(transactions_written);
  state_ = {};
  around_.net.servers.drop();
  around_.net.state_to[self_].reset();
}

void replica::resume() {
  paused_ = false;
  // Section 3: nothing is accepted, dropped or committed before bstar has looked. Messages from the pause are old.
  if (around_.now - ticked_at_ >= around_.how.expiry) {
    suspended_until_ = around_.now + around_.how.expiry;
    heard_at_ = around_.now;
    peer_says_.reset();
    around_.net.state_to[self_].reset();
    voted_at_ = 0;
    if (planted_here(planted::acts_while_suspended)) {
      suspended_until_ = 0;
      heard_at_ = 0;
    }
    around_.check->on_resume(*this);
  }
}

void replica::tick() {
  ticked_at_ = around_.now;
  if (auto& said = around_.net.state_to[self_]; said) {
    hear(*said);
    said.reset();
  }
  check_connection();
  look_at_peer();
  reserve();
  if (role_ == role::stopped) {
    return;
  }
  if (role_ == role::active || planted_here(planted::passive_expires)) {
    expire_keys();
  }
  hand_over_if_store_failed();
  advance_commit();
  if (role_ == role::active && !suspended() && !hands_over_) {
    carry_out_early_ones();
  }
  feed();
  confirm_durable();
  if (!around_.net.cut_to[peer()]) {
    around_.net.state_to[peer()] =
        state_message{role_ == role::active, declines_, state_.lacks_data(), state_.last_row()};
  }
}

void replica::hear(const state_message& said) {
  // Section 4, rule 5: a forged message cannot exhaust the epochs.
  const epoch bound = std::max(state_.last_row().of, bound_by_dialogue_) + 1000;
  if (said.last.of > bound && !planted_here(planted::believes_any_epoch)) {
    return;
  }
  around_.check->on_heard(*this);
  peer_says_ = said;
  heard_at_ = around_.now;
  highest_seen_ = std::max(highest_seen_, said.last.of);
  if (said.active || said.lacks_data || later(state_.last_row(), said.last)) {
    declines_ = false;  // the peer has taken over, or cannot: it has lost what it had confirmed
  }
  suspended_until_ = 0;
}

void replica::forge_epoch(epoch e) { hear({false, true, false, {e, 1, numbered(e, 1)}}); }

void replica::look_at_peer() {
  if (around_.now >= suspended_until_) {
    suspended_until_ = 0;
  }
  const row own = state_.last_row();
  if (!peer_heard()) {
    declines_ = false;
    lose_connection();  // and with it the backup: from now on the active commits alone, or nothing (block)
    if (role_ == role::passive && may_serve_unheard()) {
      become_active();
    }
    return;
  }
  if (!peer_says_) {
    return;
  }
  const bool lacks = state_.lacks_data();
  const bool peer_is_later = peer_says_->lacks_data != lacks ? lacks : later(peer_says_->last, own);
  if (role_ == role::active) {
    // As in bstar, tags decide between two active servers only.
    const bool counts = lacks || peer_says_->active || peer_says_->last.of != own.of;
    if (peer_is_later && counts && !peer_says_->declines) {
      become_passive();
    }
  } else if (peer_says_->active) {
    if (disk_.failed) {
      lose_connection();  // the active commits without this server
    } else if (greeting_ == 0 || (!following_ && around_.now - greeted_at_ > around_.how.expiry)) {
      greet();
    }
  } else if (!declines_ && ((peer_says_->declines && !lacks) || !peer_is_later)) {
    const bool same = peer_says_->lacks_data == lacks && !later(own, peer_says_->last);
    const bool may_serve =
        !lacks || peer_says_->lacks_data || planted_here(planted::empty_server_serves);
    if (may_serve && (!same || self_ == 0 || peer_says_->declines)) {
      become_active();
    }
  }
}

// Section 3: a server without data waits until it has heard that its peer has none, with two exceptions.
bool replica::may_serve_unheard() const {
  if (declines_) {
    return false;
  }
  if (state_.lacks_data() && !planted_here(planted::empty_server_serves)) {
    const bool never_had_data = self_ == 0 && disk_.reserved <= 1 && state_.rows.empty();
    return promote_alone_ || never_had_data;
  }
  return promote_alone_ || (voted_at_ != 0 && around_.now - voted_at_ < around_.how.expiry);
}

// The next epoch is on disk before this server can need it, so a full disk prevents no takeover.
void replica::reserve() {
  if (role_ == role::passive && !disk_.failed) {
    const epoch next = std::max(state_.last_row().of, highest_seen_) + 1;
    disk_.reserved =
        planted_here(planted::epoch_not_reserved) ? next : std::max(disk_.reserved, next);
  }
}

void replica::become_active() {
  const epoch next = std::max(std::max(state_.last_row().of, highest_seen_) + 1,
                              planted_here(planted::epoch_not_reserved) ? 0 : disk_.reserved);
  if (disk_.reserved < next) {
    return;  // not on disk
  }
  role_ = role::active;
  promote_alone_ = false;
  highest_seen_ = std::max(highest_seen_, next);
  following_ = false;
  greeting_ = 0;
  follower_.reset();
  around_.check->on_active(*this, next);
  state_.both = std::min(state_.both, state_.end());
  state_.needed = std::min(state_.needed, state_.end());
  inherited_ = state_.end();
  // The passive hears of a commit before its own disk has it. An active never names such a commit: its peer takes
  // a commit for a sign that the disk of the active has it.
  state_.commit = std::min(state_.commit, durable());
  state_.publish(state_.end(), around_.now, around_.how.fault);
  for (cell& c : state_.map) {
    c.deadline = around_.now + c.ttl;
  }
  append({.at = numbered(next, 0), .what = kind::reign, .tag_or_ends = around_.draw_random()});
  const auto waiting = std::exchange(waiting_, {});
  for (const waiting_update& w : waiting) {
    serve(w.client, w.what);
  }
  for (const entry& e : std::exchange(cut_, {})) {
    if (state_.length() < around_.how.log_limit) {
      append({.what = e.what, .key = e.key, .update = e.update});
    }
  }
}

void replica::become_passive() {
  around_.check->on_passive(*this);
  role_ = role::passive;
  follower_.reset();
  hands_over_ = false;
  greeting_ = 0;
  following_ = false;
  waiting_.clear();
  subscribed_ = {};
  for (auto& links : around_.net.links) {
    links[self_].down.clear();
    links[self_].answers.clear();  // the connections to clients end
  }
}

// Section 3, hand over. The backup in sync has confirmed all that was acknowledged; wait until it has the rest too.
void replica::hand_over_if_store_failed() {
  hands_over_ = role_ == role::active && disk_.failed && in_sync();
  if (hands_over_ && follower_->confirmed == state_.end()) {
    become_passive();
    declines_ = true;
  }
}

void replica::check_connection() {
  if (!suspended() && connection_ != 0 && connection_ != around_.net.servers.number &&
      !around_.net.cut_to[self_]) {
    lose_connection();
  }
}

void replica::lose_connection() {
  if (connection_ != 0 && connection_ == around_.net.servers.number) {
    around_.net.servers.drop();
  }
  connection_ = 0;
  greeting_ = 0;
  following_ = false;
  if (follower_) {
    follower_.reset();
    around_.check->on_backup_dropped(*this);
  }
}

void replica::send(const peer_message& message) {
  if (connection_ == around_.net.servers.number) {
    around_.net.servers.to[peer()].push_back(message);
  }
}

void replica::send(std::size_t client, const to_client& message) {
  client_link& link = around_.net.links[client][self_];
  (std::holds_alternative<answer>(message) ? link.answers : link.down).push_back(message);
}

void replica::on_peer(const peer_message& message) {
  std::visit([this](const auto& m) { on(m); }, message);
}

void replica::on_client(std::size_t client, const to_server& message) {
  if (suspended()) {
    return;
  }
  if (role_ == role::active) {
    std::visit([&](const auto& m) { serve(client, m); }, message);
  } else if (std::holds_alternative<want_snapshot>(message)) {
    voted_at_ = around_.now;
  } else if (const auto* const u = std::get_if<update>(&message)) {
    keep_waiting(client, *u);
  }
}

number replica::durable() const {
  if (!has_store()) {
    return state_.end();
  }
  return disk_.content().copy == state_.copy ? std::min(disk_.content().end(), state_.end()) : 0;
}

void replica::sync(std::size_t transactions) {
  disk_.sync(transactions);
  if (runs()) {
    advance_commit();
    feed();
    confirm_durable();
  }
}

void replica::store() {
  if (std::exchange(changed_, false) && has_store()) {
    disk_.write(state_);
  }
}

}  // namespace chp::model
