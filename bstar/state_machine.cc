#include "bstar/state_machine.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace bstar {

namespace {

// A peer that has received one of this number of last ticks has received a recent message. Without
// changes of state, a node sends at most two in a heartbeat.
constexpr std::uint64_t fresh_ticks = 4;

peer_state waiting(role of) noexcept {
  return of == role::primary ? peer_state::primary : peer_state::backup;
}

role other(role of) noexcept { return of == role::primary ? role::backup : role::primary; }

// If two nodes are not active, the one with the higher rank becomes active.
auto rank(const account& data, peer_state in, role of) noexcept {
  return std::tuple{!data.lacks_data, data.position, data.of, in == peer_state::passive,
                    of == role::primary};
}

}  // namespace

state_machine::state_machine(const pair_options& options, epoch persisted, std::uint32_t random,
                             time_point now)
    : options_{options},
      state_{options.as == role::primary ? state::primary : state::backup},
      epoch_{persisted},
      seen_{persisted},
      persisted_{persisted},
      tick_{std::uint64_t{random} << 31},
      fresh_from_{tick_ + 1},
      started_at_{now},
      awake_at_{now},
      publish_at_{now + options.heartbeat},
      retry_at_{now},
      settled_at_{now},
      silent_since_{now} {}

void state_machine::on_peer(const peer_report& report, time_point now, actions& out) {
  look(now, out);
  silent_since_ = now;
  doubted_at_.reset();
  silent_ = false;
  peer_ = report;
  const bool fresh = is_fresh(report, now);
  if (report.more) {
    received_ = report.more->tick;
    seen_ = is_unproven(report) ? seen_ : std::max(seen_, report.more->of);
  }
  if (report.state == peer_state::active) {
    hear_active(report, now, out);
  } else {
    hear_inactive(report, fresh, now, out);
  }
  if (report.more && !fresh && !answered_) {
    // Sends the state now, because the peer has not yet received a recent one. The next heartbeat
    // would be later.
    answered_ = true;
    publish(now, out);
  }
}

void state_machine::hear_active(const peer_report& report, time_point now, actions& out) {
  promotion_.reset();
  switch (state_) {
    case state::primary:
    case state::backup: become_passive(passive_reason::peer_active, now, out); break;
    case state::passive: break;
    case state::suspended:
      if (!report.more) {
        // The peer took over during the pause.
        become_passive(passive_reason::peer_active, now, out);
        break;
      }
      [[fallthrough]];
    case state::active:
      tell(event::dual_active, out);
      if (report.more && report.more->of > epoch_) {
        become_passive(passive_reason::superseded, now, out);
      } else if (!report.more && options_.as == role::backup) {
        become_passive(passive_reason::yielded, now, out);
      }
      break;
  }
  if (report.more && state_ == state::passive && !is_unproven(report)) {
    follow(report.more->of, out);
  }
}

void state_machine::hear_inactive(const peer_report& report, bool fresh, time_point now,
                                  actions& out) {
  if (report.state == waiting(options_.as)) {
    tell(event::same_role, out);
  } else if (report.state == peer_state::passive && state_ == state::passive) {
    tell(event::dual_passive, out);
  } else {
    notified_.reset();
  }
  switch (state_) {
    case state::primary:
    case state::backup:
    case state::passive:
      if (fresh && may_replace(report)) {
        promote(now, out);
      }
      break;
    case state::active:
    case state::suspended:
      if (report.more && report.more->of > epoch_) {
        become_passive(passive_reason::superseded, now, out);
      } else if (fresh && state_ == state::suspended) {
        state_ = state::active;
        tell(event::resumed, out);
      }
      break;
  }
}

bool state_machine::may_replace(const peer_report& peer) const noexcept {
  if (declines_) {
    return false;
  }
  if (peer.more && peer.more->declines) {
    // Two nodes that have lost data can each have a part of them.
    return !data_lost_ || (peer.more->lacks_data && position_ >= peer.more->position);
  }
  if (peer.more && peer.state != waiting(options_.as)) {
    return newer_than(peer);
  }
  // The Guide's table.
  switch (state_) {
    case state::primary: return peer.state == peer_state::backup;
    case state::passive: return true;
    case state::backup:
    case state::active:
    case state::suspended: break;
  }
  return false;
}

bool state_machine::newer_than(const peer_report& peer) const noexcept {
  const auto own = report();
  return rank(*own.more, own.state, options_.as) > rank(*peer.more, peer.state, other(options_.as));
}

bool state_machine::on_client_request(time_point now, actions& out) {
  look(now, out);
  if (declines_) {
    return serving();
  }
  switch (state_) {
    case state::active: return true;
    case state::primary:
      if (!data_lost_ && (options_.primary_serves_at_once || silent_)) {
        promote(now, out);
      }
      break;
    case state::passive:
    case state::suspended:
      if (!data_lost_ && silent_) {
        promote(now, out);
      }
      break;
    case state::backup: break;
  }
  return serving();
}

void state_machine::on_deadline(time_point now, actions& out) {
  look(now, out);
  if (now >= promote_at()) {
    promote(now, out);
  }
  if (now >= publish_at_) {
    answered_ = false;
    publish(now, out);
    publish_at_ = now + options_.heartbeat;
  }
}

state_machine::time_point state_machine::next_deadline() const noexcept {
  return std::min({publish_at_, promote_at(), look_at()});
}

state_machine::time_point state_machine::look_at() const noexcept {
  if (silent_) {
    return time_point::max();
  }
  return doubted_at_ ? *doubted_at_ + margin()
                     : silent_since_ + options_.expiry_or_default() - margin();
}

// Returns the time at which this node becomes active without another event.
state_machine::time_point state_machine::promote_at() const noexcept {
  const auto never = time_point::max();
  if (promotion_ || declines_) {
    return never;
  }
  const bool waits = state_ == state::backup || (data_lost_ && state_ == state::primary);
  if (waits && options_.promote_alone_after && !peer_) {
    return std::max(started_at_ + *options_.promote_alone_after, retry_at_);
  }
  if (data_lost_) {
    return never;
  }
  switch (state_) {
    case state::primary:
    case state::passive:
    case state::suspended:
      return options_.take_over == takeover::on_expiry && silent_ ? retry_at_ : never;
    case state::backup:
    case state::active: break;
  }
  return never;
}

// Detects a pause of this node and an unresponsive peer. Must be called first, because messages
// that are read right after a pause are old.
void state_machine::look(time_point now, actions& out) {
  // A message may need up to the margin until the peer has read it. The wait for the peer's state
  // after a pause, which can be longer, is not another pause.
  if (now >=
      std::max(awake_at_ + options_.expiry_or_default(), publish_at_ + 2 * margin()) - margin()) {
    awake_at_ = now;
    fresh_from_ = tick_ + 1;
    // Reads pending messages before it sends a state that may be outdated. A Guide's node that has
    // taken over would exit on that state, so it gets time to send its own.
    const bool guides = peer_ && !peer_->more;
    publish_at_ = now + margin() + (guides ? options_.heartbeat : std::chrono::milliseconds{0});
    settled_at_ = publish_at_ + margin();
    promotion_.reset();
    doubted_at_.reset();
    silent_ = false;
    // The connection to the peer may have ended during the pause, so that no message is pending.
    silent_since_ = now;
    if (state_ == state::active) {
      state_ = state::suspended;
      tell(event::suspended, out);
    }
  }
  const bool was_silent = silent_;
  look_for_peer(now);
  if (silent_ && !was_silent) {
    tell(event::peer_unresponsive, out);
  }
  if (!silent_) {
    lack_told_ = false;
  } else if (data_lost_ && !std::exchange(lack_told_, true)) {
    tell(event::data_lost, out);
  }
}

void state_machine::look_for_peer(time_point now) noexcept {
  if (silent_ || now < silent_since_ + options_.expiry_or_default() - margin()) {
    return;
  }
  if (!doubted_at_ || now >= *doubted_at_ + margin() + margin() / 2) {
    doubted_at_ = now;
  } else if (now >= *doubted_at_ + margin()) {
    silent_ = true;
  }
}

void state_machine::publish(time_point now, actions& out) noexcept {
  ++tick_;
  awake_at_ = now;
  out.publish = true;
}

bool state_machine::is_fresh(const peer_report& report, time_point now) const noexcept {
  if (!report.more) {
    return now >= settled_at_;
  }
  const auto received = report.more->received;
  return received >= fresh_from_ && received <= tick_ && tick_ - received < fresh_ticks;
}

bool state_machine::is_unproven(const peer_report& peer) const noexcept {
  const auto known = std::max(epoch_, seen_);
  return known != 0 && peer.more && peer.more->of > known && peer.more->of - known > max_epoch_step;
}

}  // namespace bstar
