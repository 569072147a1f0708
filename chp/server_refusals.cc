// The part of server_state for updates that are not made, and for notices of them within a pair.

#include "chp/acknowledgement.h"
#include "chp/server_state.h"

#include <algorithm>
#include <string>

namespace chp {

// Refuses the update for good, also when it is sent again. The client gets the reason when the
// backup and the disk have the refusal.
void server_state::turn_away(const update_id& id, errc why, time_point now, actions& out) {
  refuse(why);
  if (!active_ || !id.has_session()) {
    return;
  }
  if (!applied_->refuse(id, why)) {
    acknowledge_again(id);
    return;
  }
  ++notices_;
  if (kept_) {
    kept_->refuse(id, why, notices_);
  }
  if (paired()) {
    std::string notice;
    append_refusal_notice(notice, {notices_, id.session(), id.counter(), why});
    for (const auto& [peer, said] : subscribers_) {
      if (said.backup) {
        out.tell.push_back({peer, make_heartbeat(notice)});
      }
    }
  }
  if (waits_for_backup()) {
    backup_.on_update(now);
  }
  if (is_told_later()) {
    acks_.await_notice(id.session(), id.counter(), notices_);
  } else {
    acks_.owe(id.session());
  }
}

bool server_state::is_refused(const update_id& id) const {
  if (!id.has_session()) {
    return false;
  }
  const auto refused = applied_->find(id.session()).refused;
  return std::any_of(refused.begin(), refused.end(), [&](const refusal& one) {
    return one.updates.first <= id.counter() && id.counter() <= one.updates.last;
  });
}

// Updates that exceed the limit of waiting ones stay at their client.
bool server_state::puts_off(const update_id& id) {
  if (!id.has_session()) {
    return false;
  }
  const bool is_full = is_told_later() && acks_.waiting() >= options_.waiting_updates;
  if (is_full || deferred_.holds(id.session(), id.counter())) {
    deferred_.add(id.session(), id.counter());
    return true;
  }
  deferred_.on_taken(id.session(), id.counter());
  return false;
}

bool server_state::on_not_told(zmtp::peer_id peer) {
  acks_.not_taken(peer);
  const auto found = subscribers_.find(peer);
  return found != subscribers_.end() && found->second.backup;
}

// The active server has refused this update, so this server must not make it.
void server_state::note_refusal(const heartbeat& said) {
  if (const auto notice = find_refusal_notice(said.properties)) {
    const auto id = update_id::of_session(notice->session, notice->counter);
    applied_->refuse(id, notice->why);
    pending_.confirm(id);
    notices_heard_ = notice->number;
    if (kept_) {
      kept_->refuse(id, notice->why, notices_heard_);
    }
  }
}

}  // namespace chp
