// The part of server_state for changes of the role and for the passive role.

#include "chp/acknowledgement.h"
#include "chp/server_state.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace chp {

namespace {

// Batch sizes of incremental work.
constexpr std::size_t dismantled_at_once = 10'000;
constexpr std::size_t uncounted_at_once = 1'000;
constexpr std::size_t compared_at_once = 4'096;

}  // namespace

void server_state::activate(std::uint64_t epoch, time_point now, actions& out) {
  const auto shared = map_->number();
  const auto first = make_sequence(std::min<std::uint64_t>(epoch, max_epoch), 0);
  if (!begun_) {
    // The map does not include updates of an earlier history of the pair.
    begun_ = shared == 0 ? first : 0;
  }
  if (first > shared) {
    map_->pass(first);
    counts_.clear();
    if (kept_) {
      kept_->note({}, first);
    }
  }
  used_up_ = false;
  // The server may have had more of the other server's publications than it had reported.
  if (own_epoch_ == 0 || epoch_of(shared) != own_epoch_) {
    common_ = shared;
    own_ = first;
  }
  own_epoch_ = epoch_of(map_->number());
  const bool was_suspended = std::exchange(suspended_, false);
  if (std::exchange(active_, true)) {
    return;
  }
  if (!was_suspended) {
    // Behind all that it has taken over, which is written in this order.
    told_from_ = map_->number();
    if (kept_) {
      kept_->begin_notices();
    }
  }
  // Otherwise this server has had updates that the other server does not have.
  if (!is_diverged_ && !was_suspended) {
    backup_.begin(shared);
    forget_erasures(shared);
  }
  // Clients could not refresh their keys while no server was active.
  const auto received = replication_.last_heard();
  expire_from_ = received && !was_suspended ? now + (now - *received) : now;
  replication_.end();
  out.events.push_back(server_event::active);
  if (!was_suspended) {
    reconciling_ = offered_.pending();
    offering_ = false;
    looked_at_.reset();
    offered_.rewind();
  }
  settle_all();
  replay(now, out);
  next_heartbeat_ = now;
  on_deadline(now, out);
  answer_offers(out);
}

void server_state::suspend(actions& out) {
  if (std::exchange(active_, false)) {
    suspended_ = true;
    streams_.clear(out.close_snapshot_clients);
    next_heartbeat_.reset();
  }
}

void server_state::deactivate(time_point now, actions& out) {
  // Completes the own offer first, because the next offer would come before it.
  while (reconciling_) {
    reconcile(now, out);
  }
  settle_all();
  const bool was_suspended = std::exchange(suspended_, false);
  if (std::exchange(active_, false) || was_suspended) {
    out.events.push_back(server_event::passive);
    is_diverged_ = is_diverged_ || (paired() && map_->number() > backup_.number());
    streams_.clear(out.close_snapshot_clients);
    // Zinc's clients then connect to the other server immediately.
    for (const auto& [peer, said] : subscribers_) {
      if (said.acks) {
        out.close_subscribers.push_back(peer);
      }
    }
    acks_.clear_waiting();
    deferred_.clear();
    // All is offered again on the next connection.
    leave_offer();
    for (const auto& one : std::exchange(offer_ends_, {})) {
      out.close_snapshot_clients.push_back(one.from);
    }
    backup_.clear();
    next_heartbeat_.reset();
    reported_ = 0;
  }
  if (paired() && replication_.state() == replication::phase::off) {
    replication_.begin(now, out);
  }
}

// Makes the pending updates of clients that the former active server has not confirmed. Their times
// to live started when they arrived.
void server_state::replay(time_point now, actions& out) {
  for (const auto& one : pending_.take()) {
    const auto u = parse_set(one.content, options_.wire_format, options_.limit);
    const bool is_behind =
        one.id.has_session() && deferred_.holds(one.id.session(), one.id.counter());
    if (!u || is_behind || applied_->contains(one.id)) {
      continue;
    }
    if (is_superseded(u->key, one.id)) {
      settle_by_later(one.id);
      continue;
    }
    if (const auto fault = u->erases() ? errc{} : map_->check_room(u->key, u->value, options_.map);
        fault != errc{}) {
      turn_away(one.id, fault, now, out);
    } else if (accept(*u, one.id, deadline_of(*u, one.received), now, out)) {
      ++counters_.replayed;
    }
  }
}

// Takes a publication of the active server.
void server_state::on_publication(zmtp::message&& m, time_point now, actions& out) {
  const auto input = parse_publication(m, options_.wire_format, options_.limit);
  if (!input) {
    refuse(input.error());
    return;
  }
  const auto* const hugz = std::get_if<heartbeat>(&*input);
  const bool is_update = hugz == nullptr || find_refusal_notice(hugz->properties);
  if (replication_.on_publication(m, is_update, now, out)) {
    follow(m, now, out);
    end_offer_if_here(out);
  }
}

void server_state::follow(const zmtp::message& m, time_point now, actions& out) {
  const auto input = parse_publication(m, options_.wire_format, options_.limit);
  if (const auto* const hugz = input ? std::get_if<heartbeat>(&*input) : nullptr) {
    note_refusal(*hugz);
    return;
  }
  const auto* const u = input ? std::get_if<update>(&*input) : nullptr;
  if (u == nullptr) {
    return;
  }
  const auto last = map_->number();
  if (u->number <= last) {
    ++counters_.outdated;
    return;
  }
  if (u->number != last + 1) {
    ++counters_.gaps;
    replication_.on_gap(out);
    return;
  }
  const auto id = update_id::of_frame(u->id);
  applied_->insert(id);
  if (u->erases()) {
    follow_erasure(u->key, id, u->number);
  } else {
    const store::change to{u->key, u->value, id, deadline_of(*u, now)};
    if (const auto fault = map_->apply(to, u->number); fault != errc{}) {
      refuse(fault);
      follow_erasure(u->key, id, u->number);
    } else {
      keep_set(to, u->number, now);
    }
  }
  pending_.confirm(id);
  ++counters_.followed;
}

// Earlier updates of the client may arrive after this server becomes active.
void server_state::follow_erasure(std::string_view key, const update_id& id, sequence number) {
  map_->erase(key, number);
  if (awaits_earlier(id)) {
    erased_.add(key, id, number);
    forget_erasures(number);
  }
  keep_erasure(key, id, number);
}

// The connection to the active server's snapshot port.
void server_state::on_source_attached(const zmtp::metadata& said, time_point now, actions& out) {
  reported_ = 0;
  replication_.on_source_attached(parse_announcement(said), now, out);
}

void server_state::on_source_detached() {
  offering_ = false;
  looked_at_.reset();
  replication_.on_source_detached();
}

void server_state::on_source_message(const zmtp::message& m, time_point now,
                                     std::chrono::milliseconds wall, actions& out) {
  const auto input = parse_snapshot(m, options_.wire_format, options_.limit);
  if (!input) {
    refuse(input.error());
    return;
  }
  if (const auto* const answer = std::get_if<resubmission_answer>(&*input);
      answer != nullptr && offering_ && offered_.on_end(answer->count)) {
    offering_ = false;
    looked_at_ = answer->number;
    end_offer_if_here(out);
    return;
  }
  if (const auto* const entry = std::get_if<update>(&*input);
      entry != nullptr && !replication_.source_is_ours()) {
    // A server of the Guide does not say what else it has applied.
    pending_.confirm(update_id::of_frame(entry->id));
  }
  const auto gaps = std::count(out.events.begin(), out.events.end(), server_event::gap);
  if (auto whole = replication_.on_part(*input, map_->number(), now, wall, out)) {
    adopt(std::move(*whole), now, out);
  }
  counters_.gaps += static_cast<std::uint64_t>(
      std::count(out.events.begin(), out.events.end(), server_event::gap) - gaps);
}

void server_state::adopt(replication::snapshot&& taken, time_point now, actions& out) {
  if (kept_) {
    kept_->replace();
  }
  auto before = std::exchange(map_, std::move(taken.map));
  auto applied_before = taken.applied ? std::exchange(applied_, std::move(taken.applied)) : nullptr;
  begun_ = taken.begun;
  looked_at_.reset();
  tidying_ = false;
  const bool can_offer = replication_.source_is_ours();
  if (can_offer && offer(before, std::move(applied_before), taken.from)) {
    out.events.push_back(server_event::diverged);
  }
  discard(std::move(before));
  settling_ = {};
  erased_.clear();
  notices_heard_ = 0;
  notices_reported_ = 0;
  pending_.begin_forgetting();
  forgetting_pending_ = true;
  forget_pending();
  out.events.push_back(server_event::synchronized);
  for (const auto& m : taken.since) {
    if (replication_.state() == replication::phase::following) {
      follow(m, now, out);
    }
  }
  if (can_offer && offered_.pending()) {
    offered_.rewind();
    offering_ = true;
    out.stream_ask = true;
  }
}

// The offer must be processed first, because the active server forgets erasures as soon as this
// server has them.
void server_state::report_position(actions& out) {
  const auto number = kept_ ? kept_->durable() : map_->number();
  const auto notices = kept_ ? kept_->durable_notice() : notices_heard_;
  if (replication_.state() == replication::phase::following && replication_.source_is_ours() &&
      !offered_.pending() && (reported_ != number || notices_reported_ != notices)) {
    reported_ = number;
    notices_reported_ = notices;
    out.ask.push_back(make_position_report(reported_, notices_reported_));
  }
}

// Removes pending updates that are in the copied map. Clients send updates to both servers.
void server_state::forget_pending() {
  forgetting_pending_ =
      forgetting_pending_ && !pending_.forget_known(compared_at_once, [this](const update_id& id) {
        return applied_->contains(id);
      });
}

// A map that is not needed any more goes bit by bit.
void server_state::discard(std::unique_ptr<store> map) {
  if (map) {
    discarded_.push_back(std::move(map));
  }
}

void server_state::dismantle() {
  counts_.tidy(uncounted_at_once);
  if (!discarded_.empty() && discarded_.back()->dismantle(dismantled_at_once)) {
    discarded_.pop_back();
  }
}

}  // namespace chp
