// How a node changes its role and its epoch, and what it says of itself.
#include "bstar/state_machine.h"

#include <boost/container_hash/hash.hpp>

#include <algorithm>
#include <tuple>

namespace bstar {

namespace {

// The primary has the odd epochs.
epoch first_own_after(epoch last, role of) noexcept {
  const bool odd = of == role::primary;
  const auto next = last + 1;
  return (next % 2 == 1) == odd ? next : next + 1;
}

}  // namespace

void state_machine::promote(time_point now, actions& out) {
  if (promotion_) {
    return;
  }
  if (peer_ && is_unproven(*peer_)) {
    retry_at_ = now + options_.heartbeat;
    tell(event::epoch_unproven, out);
    return;
  }
  const auto next = first_own_after(std::max(epoch_, seen_), options_.as);
  if (next > max_epoch) {
    retry_at_ = now + options_.heartbeat;
    tell(event::epochs_exhausted, out);
  } else if (next <= persisted_) {
    become_active(next, now, out);
  } else {
    promotion_ = promotion{.to = next, .asked_at = now};
    out.persist = next;
  }
}

void state_machine::renew_epoch(time_point now, actions& out) {
  if (state_ == state::active && now >= retry_at_) {
    promote(now, out);
  }
}

void state_machine::hand_over(time_point now, actions& out) {
  if (state_ == state::active) {
    become_passive(passive_reason::handed_over, now, out);
  }
}

void state_machine::on_persisted(epoch which, time_point now, actions& out) {
  persisted_ = std::max(persisted_, which);
  look(now, out);
  if (!promotion_ || promotion_->to > persisted_) {
    return;
  }
  const auto [to, asked_at] = *promotion_;
  promotion_.reset();
  if (now - asked_at >= options_.expiry_or_default()) {
    return;
  }
  if (to > seen_) {
    become_active(to, now, out);
  } else {
    promote(now, out);
  }
}

void state_machine::on_not_persisted(time_point now) noexcept {
  promotion_.reset();
  retry_at_ = now + options_.heartbeat;
}

void state_machine::become_active(epoch with, time_point now, actions& out) {
  if (state_ == state::suspended) {
    tell(event::resumed, out);
  }
  state_ = state::active;
  data_lost_ = false;
  epoch_ = with;
  out.became_active = with;
  publish(now, out);
}

void state_machine::become_passive(passive_reason why, time_point now, actions& out) {
  state_ = state::passive;
  promotion_.reset();  // an active node's promotion was for another epoch
  out.became_passive = why;
  publish(now, out);
}

// Ensures that the next epoch of this node is later than every epoch that clients have seen, even
// if the peer that used it is lost after this node restarts.
void state_machine::follow(epoch of, actions& out) {
  epoch_ = std::max(epoch_, of);
  if (epoch_ > persisted_) {
    out.persist = epoch_;
  }
}

void state_machine::tell(event what, actions& out) {
  switch (what) {
    case event::same_role:
    case event::dual_active:
    case event::dual_passive:
    case event::epochs_exhausted:
    case event::epoch_unproven:
      if (notified_ == what) {
        return;
      }
      notified_ = what;
      break;
    case event::suspended:
    case event::resumed:
    case event::data_lost:
    case event::peer_unresponsive: break;
  }
  out.events.push_back(what);
}

peer_report state_machine::report() const noexcept {
  auto in = peer_state::active;
  switch (state_) {
    case state::primary: in = peer_state::primary; break;
    case state::backup: in = peer_state::backup; break;
    case state::passive: in = peer_state::passive; break;
    case state::active:
    case state::suspended: break;
  }
  return {.state = in,
          .more = account{.of = epoch_,
                          .position = position_,
                          .tick = tick_,
                          .received = received_,
                          .lacks_data = data_lost_,
                          .declines = declines_}};
}

bool operator==(const state_machine& a, const state_machine& b) noexcept {
  const auto memory = [](const state_machine& m) {
    return std::tie(m.state_, m.epoch_, m.seen_, m.persisted_, m.position_, m.data_lost_,
                    m.declines_, m.tick_, m.fresh_from_, m.received_, m.peer_, m.promotion_,
                    m.notified_, m.answered_, m.started_at_, m.awake_at_, m.publish_at_,
                    m.retry_at_, m.settled_at_, m.silent_since_, m.doubted_at_, m.silent_,
                    m.lack_told_);
  };
  return memory(a) == memory(b);
}

std::size_t hash_value(const state_machine& of) noexcept {
  std::size_t seed = 0;
  const auto add = [&seed](auto value) { boost::hash_combine(seed, value); };
  const auto add_time = [&](state_machine::time_point at) { add(at.time_since_epoch().count()); };
  add(static_cast<int>(of.state_));
  add(of.epoch_);
  add(of.seen_);
  add(of.persisted_);
  add(of.position_);
  add(of.data_lost_);
  add(of.declines_);
  add(of.tick_);
  add(of.fresh_from_);
  add(of.received_);
  if (of.peer_) {
    add(hash_value(*of.peer_));
  }
  if (of.promotion_) {
    add(of.promotion_->to);
    add_time(of.promotion_->asked_at);
  }
  add(of.notified_ ? static_cast<int>(*of.notified_) : -1);
  add(of.answered_);
  for (const auto at : {of.started_at_, of.awake_at_, of.publish_at_, of.retry_at_, of.settled_at_,
                        of.silent_since_, of.doubted_at_.value_or(state_machine::time_point{})}) {
    add_time(at);
  }
  add(of.silent_);
  add(of.lack_told_);
  return seed;
}

}  // namespace bstar
