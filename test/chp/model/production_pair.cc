// The roles of a production server: the rules that bstar will have, as in replica_roles.cc.

#include "test/chp/model/checker.h"
#include "test/chp/model/production_server.h"
#include "test/chp/model/production_words.h"
#include "zmtp/storage/error.h"

#include <algorithm>
#include <utility>

namespace chp::model {

row production_server::last_row() const { return row_of(log_->last_reign()); }

void production_server::resume() {
  paused_ = false;
  if (around_.now - ticked_at_ < around_.how.expiry) {
    return;
  }
  suspended_until_ = around_.now + around_.how.expiry;
  heard_at_ = around_.now;
  peer_says_.reset();
  around_.net.state_to[self_].reset();
  voted_at_ = 0;
  if (planted_here(planted::acts_while_suspended)) {
    suspended_until_ = 0;
    heard_at_ = 0;
  } else {
    log_->suspend();
  }
  around_.check->on_resume(*this);
}

void production_server::tick() {
  ticked_at_ = around_.now;
  if (auto& said = around_.net.state_to[self_]; said) {
    hear(*said);
    said.reset();
  }
  check_connection();
  look_at_peer();
  if (log_->stopped()) {
    return;
  }
  if (log_->is_active() && log_->suspended() && !suspended()) {
    log_->become_active(last_row().of, now(), actions_);  // it goes on
  }
  reserve();
  log_->on_deadline(now());
  turn();
  if (!around_.net.cut_to[peer()] && !log_->stopped()) {
    around_.net.state_to[peer()] =
        state_message{log_->is_active(), log_->declines(), log_->lacks_data(), last_row()};
  }
}

void production_server::hear(const state_message& said) {
  const epoch bound = std::max(last_row().of, bound_by_dialogue_) + 1000;
  if (said.last.of > bound && !planted_here(planted::believes_any_epoch)) {
    return;
  }
  around_.check->on_heard(*this);
  peer_says_ = said;
  heard_at_ = around_.now;
  highest_seen_ = std::max(highest_seen_, said.last.of);
  log_->on_peer_state({said.active, said.lacks_data, said.declines}, sequence_of(said.last.last));
  suspended_until_ = 0;
}

void production_server::forge_epoch(epoch e) { hear({false, true, false, {e, 1, numbered(e, 1)}}); }

void production_server::look_at_peer() {
  if (around_.now >= suspended_until_) {
    suspended_until_ = 0;
  }
  const row own = last_row();
  if (!peer_heard()) {
    log_->on_peer_unresponsive(actions_);
    lose_connection();
    if (!log_->is_active() && may_serve_unheard()) {
      become_active();
    }
    return;
  }
  if (!peer_says_) {
    return;
  }
  const bool lacks = log_->lacks_data();
  const bool peer_is_later = peer_says_->lacks_data != lacks ? lacks : later(peer_says_->last, own);
  if (log_->is_active()) {
    // As in bstar, tags decide between two active servers only.
    const bool counts = lacks || peer_says_->active || peer_says_->last.of != own.of;
    if (peer_is_later && counts && !peer_says_->declines) {
      become_passive();
    }
  } else if (peer_says_->active) {
    if (drive_.failed) {
      lose_connection();
    } else if (connection_ == 0 ||
               (!log_->following() && around_.now - greeted_at_ > around_.how.expiry)) {
      greet();
    }
  } else if (!log_->declines() && ((peer_says_->declines && !lacks) || !peer_is_later)) {
    const bool same = peer_says_->lacks_data == lacks && !later(own, peer_says_->last);
    const bool may_serve =
        !lacks || peer_says_->lacks_data || planted_here(planted::empty_server_serves);
    if (may_serve && (!same || self_ == 0 || peer_says_->declines)) {
      become_active();
    }
  }
}

bool production_server::may_serve_unheard() const {
  if (log_->declines()) {
    return false;
  }
  if (log_->lacks_data() && !planted_here(planted::empty_server_serves)) {
    const auto known = drive_.reserved <= 1 ? 0 : drive_.reserved;  // 1 is reserved at first
    return promote_alone_ || (self_ == 0 && !log_->had_data(known));
  }
  return promote_alone_ || (voted_at_ != 0 && around_.now - voted_at_ < around_.how.expiry);
}

void production_server::reserve() {
  if (!log_->is_active() && !drive_.failed) {
    const epoch next = std::max(last_row().of, highest_seen_) + 1;
    drive_.reserved =
        planted_here(planted::epoch_not_reserved) ? next : std::max(drive_.reserved, next);
  }
}

void production_server::become_active() {
  const epoch next = std::max(std::max(last_row().of, highest_seen_) + 1,
                              planted_here(planted::epoch_not_reserved) ? 0 : drive_.reserved);
  if (drive_.reserved < next) {
    return;  // not on disk
  }
  if (!around_.how.has_witness) {
    begin_reign(next);
  } else if (asked_for_ == 0) {
    asked_for_ = next;
    log_->acquire(next);
  }
}

void production_server::begin_reign(epoch e) {
  promote_alone_ = false;
  highest_seen_ = std::max(highest_seen_, e);
  around_.check->on_active(*this, e);
  log_->become_active(e, now(), actions_);
}

void production_server::on_epoch(const epoch_answer& answer) {
  const auto asked_for = std::exchange(asked_for_, 0);
  const bool is_current = asked_for != 0 && asked_for > highest_seen_ && !suspended() &&
                          !(peer_heard() && peer_says_ && peer_says_->active);
  highest_seen_ = std::max(highest_seen_, answer.known);
  if (answer.is_granted && is_current && !log_->is_active()) {
    begin_reign(asked_for);
  }
}

void production_server::ask_witness(const witness_state::attempt& what) {
  auto& line = around_.net.witness[self_];
  line.asked.push_back({what.from, what.to});
  const bool removes = what.to.epoch == what.from.epoch && what.to.in_sync.size() == 1;
  if (planted_here(planted::counts_removal_before_answer) && removes) {
    line.asked.back().is_answered = true;
    line.answers.emplace_back(what.to);
  }
}

void production_server::on_witness(const std::optional<membership>& answer) {
  const auto ec = answer ? boost::system::error_code{}
                         : boost::system::error_code{zmtp::storage_errc::store_full};
  log_->on_witness(ec, answer.value_or(membership{}), now(), actions_);
  turn();
}

void production_server::on_witness_changed(const membership& record) {
  log_->on_witness_changed(record);
  turn();
}

void production_server::become_passive() {
  around_.check->on_passive(*this);
  subscriber_.on_passive(shown_, around_.now);
  log_->become_passive(now(), actions_);
  streams_copy_ = false;
}

void production_server::greet() {
  if (drive_.failed || around_.net.cut_to[0] || around_.net.cut_to[1]) {
    return;
  }
  if (connection_ != around_.net.servers.number) {
    around_.net.servers.drop();
    connection_ = around_.net.servers.number;
  }
  greeted_at_ = around_.now;
  log_->on_peer_connected(actions_);
}

void production_server::check_connection() {
  if (!suspended() && connection_ != 0 && connection_ != around_.net.servers.number &&
      !around_.net.cut_to[self_]) {
    lose_connection();
  }
}

void production_server::lose_connection() {
  if (connection_ != 0 && connection_ == around_.net.servers.number) {
    around_.net.servers.drop();
  }
  connection_ = 0;
  streams_copy_ = false;
  log_->on_peer_lost(actions_);
}

}  // namespace chp::model
