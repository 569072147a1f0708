// What a server_state that lost its active role had accepted: offered, looked at by the one that has it, and
// settled at both.

#include "chp/properties.h"
#include "chp/server_state.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>

namespace chp {

namespace {

// Of what is done bit by bit: at once.
constexpr std::size_t reconciled_at_once = 4'096;
constexpr std::size_t offered_at_once = 256 * 1024;

}  // namespace

// What the active server had not when it became active: it may have had more than it had reported, or nothing
// any more. True if there is something, which is taken.
bool server_state::offer(std::unique_ptr<store>& before, std::unique_ptr<update_register> applied,
                         const std::optional<replication::origin>& from) {
  const auto last = before->number();
  const auto known = std::exchange(is_diverged_, false) ? backup_.number() : last;
  auto first = known;
  if (from && epoch_of(from->shared) == epoch_of(last)) {
    first = from->shared;
  } else if (from && known <= from->own) {
    // What is of another epoch may be beside ours.
    first = std::min(known, from->shared);
  }
  if (last <= first || epoch_of(last) == epoch_of(map_->number())) {
    return false;
  }
  discard(offered_.take_map());
  offered_.begin(std::move(before), first, std::max(first, known), erased_.take(),
                 std::move(applied));
  return true;
}

void server_state::on_source_writable(time_point now, actions& out) {
  if (offering_ && offered_.write(offered_at_once, now, out.ask)) {
    out.stream_ask = true;
  }
}

// What the other server had accepted when it was active. It counts where nothing has happened to the key
// since they had the same. False: it would, and cannot be taken.
bool server_state::consider(const update& u, sequence base, std::optional<time_point> deadline,
                            time_point now, actions& out) {
  const auto id = update_id::of_frame(u.id);
  const auto* const there = map_->find(u.key);
  // Of one client what it did last counts, though the other was published here first.
  const auto last = there != nullptr ? there->id() : erased_.id_of(u.key);
  const bool is_own_earlier = id.has_session() && last.has_session() &&
                              last.session() == id.session() && last.counter() < id.counter();
  const bool is_later = (there != nullptr && there->number() > base && !is_own_earlier) ||
                        (erased_.of(u.key) > base && !is_own_earlier) ||
                        (there == nullptr && !erased_.complete_from(base));
  // What its client did before may still come, and is not to undo it: here and where the backup takes over.
  const bool is_idle = there == nullptr && u.erases() && !id.has_session();
  // Both may have been sent it: what the other one has accepted may be committed, though it was refused here.
  if (is_later || is_idle || (applied_->contains(id) && !is_refused(id))) {
    ++counters_.resubmissions_outdated;
    settle_by_later(id);
    return true;
  }
  std::string ttl;
  if (deadline) {
    using std::chrono::milliseconds;
    append_ttl(ttl, std::max(std::chrono::ceil<milliseconds>(*deadline - now), milliseconds{1}));
  }
  auto change = u;
  change.properties = ttl;
  if (!accept(change, id, deadline, now, out)) {
    return false;
  }
  ++counters_.resubmitted;
  return true;
}

void server_state::on_input(zmtp::peer_id peer, const resubmission& r, time_point now,
                            actions& out) {
  const auto fault =
      r.change.erases() ? errc{} : map_->check_room(r.change.key, r.change.value, limits_of_both());
  if (fault != errc{}) {
    refuse(fault);
  }
  if (!active_ || fault != errc{}) {
    streams_.miss_offer(peer);
    return;
  }
  std::optional<time_point> deadline;
  if (const auto left = properties{r.change.properties}.find(property_name::ttl_left)) {
    if (const auto ttl = parse_ttl_left(*left)) {
      deadline = now + *ttl;
    }
  }
  if (offering_peer_ != peer) {
    leave_offer();
    offering_peer_ = peer;
    offered_with_ = settlement{std::make_unique<update_register>(next_random(), options_.applied)};
  }
  offered_with_.add(update_id::of_frame(r.change.id));
  if (!consider(r.change, std::max(r.base, common_), deadline, now, out)) {
    streams_.miss_offer(peer);
  }
}

void server_state::on_input(zmtp::peer_id peer, const register_piece& r, time_point /*now*/,
                            actions& /*out*/) {
  if (!active_) {
    streams_.miss_offer(peer);
  } else if (offering_peer_ == peer && offered_with_.applied()->unpack(r.octets)) {
    refuse(errc::malformed_register);
    streams_.miss_offer(peer);
  }
}

// Whoever made it makes it again.
void server_state::leave_offer() {
  if (offering_peer_) {
    streams_.miss_offer(*offering_peer_);
  }
  offering_peer_.reset();
  offered_with_ = {};
}

void server_state::on_input(zmtp::peer_id peer, const resubmission_end& r, time_point /*now*/,
                            actions& out) {
  if (active_ && !streams_.missed_offers(peer)) {
    if (offering_peer_ == peer) {
      offering_peer_.reset();
      begin_settling(std::move(offered_with_));
    }
    std::erase_if(offer_ends_, [&](const offer_end& one) { return one.from == peer; });
    offer_ends_.push_back({peer, r.count, map_->number()});
    answer_offers(out);
  } else {
    // All is offered again on the next connection.
    out.close_askers.push_back(peer);
  }
}

// Whoever offered it forgets it then.
void server_state::answer_offers(actions& out) {
  const auto durable = kept_ ? kept_->durable() : map_->number();
  std::erase_if(offer_ends_, [&](const offer_end& one) {
    const bool is_over = one.number <= durable;
    if (is_over) {
      out.reply.push_back({one.from, make_resubmission_answer(one.count, one.number)});
    }
    return is_over;
  });
}

// Active again before the other server has looked at what this one offers: it looks itself.
void server_state::reconcile(time_point now, actions& out) {
  if (!reconciling_) {
    return;
  }
  reconciling_ = offered_.read(reconciled_at_once, [&](const reconciliation::item& one) {
    const auto octets = one.id.octets();
    const update offered{form::kvmsg, one.key, 0, octets, {}, one.value};
    // Without a number nothing can be done any more.
    (void)consider(offered, offered_.base(), one.deadline, now, out);
  });
  if (!reconciling_) {
    end_offer(out);
  }
}

// What came of it is published apart from the answer. Before it is here this server may become active, and then has
// to know what it had.
void server_state::end_offer_if_here(actions& out) {
  if (looked_at_ && map_->number() >= *looked_at_) {
    looked_at_.reset();
    end_offer(out);
  }
}

// All of it has been looked at.
void server_state::end_offer(actions& out) {
  begin_settling(offered_.take_settlement());
  discard(offered_.take_map());
  out.events.push_back(server_event::reconciled);
}

// Bit by bit.
void server_state::begin_settling(settlement&& what) {
  settle_all();
  settling_ = std::move(what);
}

void server_state::settle_some(std::size_t most) {
  for (; settling_.pending() && most != 0; --most) {
    const auto session = settling_.settle_next(*applied_);
    if (kept_) {
      kept_->add_applied(applied_->piece_of(session));
    }
  }
}

void server_state::settle_all() { settle_some(std::numeric_limits<std::size_t>::max()); }

}  // namespace chp
