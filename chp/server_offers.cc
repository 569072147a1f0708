// The part of server_state that handles the updates of a former active server: they are offered,
// processed by the active server, and settled at both.

#include "chp/properties.h"
#include "chp/server_state.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>

namespace chp {

namespace {

// Batch sizes of incremental work.
constexpr std::size_t reconciled_at_once = 4'096;
constexpr std::size_t offered_at_once = 256 * 1024;

}  // namespace

// Offers the updates that the active server did not have when it became active. It may have had
// more than it had reported, or nothing. Returns true if there are any, and then takes the map.
bool server_state::offer(std::unique_ptr<store>& before, std::unique_ptr<update_register> applied,
                         const std::optional<replication::origin>& from) {
  const auto last = before->number();
  const auto known = std::exchange(is_diverged_, false) ? backup_.number() : last;
  auto first = known;
  if (from && epoch_of(from->shared) == epoch_of(last)) {
    first = from->shared;
  } else if (from && known <= from->own) {
    // Updates of another epoch may conflict with those of this server.
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

// Processes an offered update. It is accepted if the key has not changed since both servers had the
// same. Returns false if it cannot be taken now.
bool server_state::consider(const update& u, sequence base, std::optional<time_point> deadline,
                            time_point now, actions& out) {
  const auto id = update_id::of_frame(u.id);
  const auto* const there = map_->find(u.key);
  // The latest update of a client wins, even if the other server published an earlier one first.
  const auto last = there != nullptr ? there->id() : erased_.id_of(u.key);
  const bool is_own_earlier = id.has_session() && last.has_session() &&
                              last.session() == id.session() && last.counter() < id.counter();
  const bool is_later = (there != nullptr && there->number() > base && !is_own_earlier) ||
                        (erased_.of(u.key) > base && !is_own_earlier) ||
                        (there == nullptr && !erased_.complete_from(base));
  // An earlier update of the same client may still arrive, and must not undo this one: neither here
  // nor at a backup that takes over.
  const bool is_idle = there == nullptr && u.erases() && !id.has_session();
  // The client may have sent the update to both servers. The other server has accepted it, so it
  // may be committed although this server refused it.
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
  } else if (offering_peer_ == peer && offered_with_.applied()->unpack(r.bytes)) {
    refuse(errc::malformed_register);
    streams_.miss_offer(peer);
  }
}

// The other server repeats its offer.
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
    out.close_snapshot_clients.push_back(peer);
  }
}

// The other server forgets its offer after the answer.
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
    const auto bytes = one.id.bytes();
    const update offered{form::kvmsg, one.key, 0, bytes, {}, one.value};
    // Without a number nothing can be done any more.
    (void)consider(offered, offered_.base(), one.deadline, now, out);
  });
  if (!reconciling_) {
    end_offer(out);
  }
}

// The results of the offer are published separately from the answer. If this server becomes active
// before it has them, it still needs its offer.
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
