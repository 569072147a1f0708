#include "chp/server_state.h"

#include "chp/properties.h"
#include "chp/subtree.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace chp {

namespace {

constexpr std::string_view hugz = "HUGZ";
// Python's peers read four bytes as a signed number.
constexpr sequence max_sequence_of_4 = 0x7fff'ffff;
// Batch sizes of incremental work.
constexpr std::size_t expired_at_once = 1'000;
constexpr std::size_t tidied_at_once = 10'000;
constexpr std::size_t settled_at_once = 1'000;

server_options workable(server_options options) {
  using std::chrono::milliseconds;
  options.heartbeat = std::max(options.heartbeat, milliseconds{1});
  options.snapshot_piece = std::max<std::size_t>(options.snapshot_piece, 1);
  options.snapshots_of_a_peer = std::max<std::size_t>(options.snapshots_of_a_peer, 1);
  options.backup_timeout = std::max(options.backup_timeout, milliseconds{1});
  options.snapshot_timeout = std::max(options.snapshot_timeout, milliseconds{1});
  return options;
}

}  // namespace

server_state::server_state(const server_options& options, kind as, std::uint64_t random)
    : options_{workable(options)},
      kind_{as},
      random_{random},
      map_{std::make_unique<store>(next_random(), store_limits::none())},
      applied_{std::make_unique<update_register>(next_random(), options_.applied)},
      counts_{next_random(), options_.directories},
      streams_{options_},
      deferred_{random, options_.applied.max_sessions},
      backup_{options_.backup_timeout},
      erased_{next_random(), options_.tombstones},
      pending_{next_random(), options_.pending_bytes},
      replication_{options_, next_random()} {}

// Returns numbers that peers cannot predict from earlier ones.
std::uint64_t server_state::next_random() noexcept {
  random_ += 0x9e37'79b9'7f4a'7c15;
  auto bits = random_;
  bits = (bits ^ bits >> 30) * 0xbf58'476d'1ce4'e5b9;
  bits = (bits ^ bits >> 27) * 0x94d0'49bb'1331'11eb;
  return bits ^ bits >> 31;
}

// Subscribers.

void server_state::on_subscriber_attached(zmtp::peer_id peer, const zmtp::metadata& said) {
  const auto announced = parse_announcement(said);
  subscribers_.insert_or_assign(peer, announced);
  if (announced.session) {
    acks_.attach(*announced.session, peer);
  }
}

void server_state::on_subscription(zmtp::peer_id peer, std::string_view topic, actions& out) {
  if (active_ && topic == hugz && options_.wire_format == form::kvmsg) {
    out.tell.push_back({peer, make_heartbeat()});
  }
}

void server_state::on_subscriber_detached(zmtp::peer_id peer) {
  subscribers_.erase(peer);
  acks_.detach(peer);
}

// The snapshot port.

void server_state::on_snapshot_client_attached(zmtp::peer_id peer, const zmtp::metadata& said) {
  streams_.attach(peer, parse_announcement(said));
}

void server_state::on_snapshot_client_detached(zmtp::peer_id peer, actions& out) {
  streams_.detach(peer);
  if (offering_peer_ == peer) {
    leave_offer();
  }
  std::erase_if(offer_ends_, [&](const offer_end& one) { return one.from == peer; });
  tidying_ = true;
  const auto before = backup_.in_sync();
  backup_.on_detached(peer);
  watch_backup(before, out);
}

bool server_state::is_vote(zmtp::peer_id peer, const zmtp::message& m) const {
  const auto input = parse_snapshot_port(m, options_.limit);
  const auto* const said = streams_.find(peer);
  return input && std::holds_alternative<snapshot_request>(*input) && said != nullptr &&
         !said->backup;
}

void server_state::on_snapshot_client_message(zmtp::peer_id peer, const zmtp::message& m,
                                              time_point now, actions& out) {
  const auto input = parse_snapshot_port(m, options_.limit);
  if (!input) {
    refuse(input.error());
    // The message may have been an offer.
    streams_.miss_offer(peer);
    return;
  }
  const auto* const said = streams_.find(peer);
  const bool is_request = std::holds_alternative<snapshot_request>(*input);
  if (said == nullptr || (!is_request && !(said->backup && paired()))) {
    ++counters_.ignored_messages;
    return;
  }
  std::visit([&](const auto& each) { on_input(peer, each, now, out); }, *input);
}

void server_state::on_input(zmtp::peer_id peer, const snapshot_request& r, time_point /*now*/,
                            actions& out) {
  const auto done = active_ ? streams_.ask(peer, r.subtree) : snapshot_streams::asked::refused;
  switch (done) {
    case snapshot_streams::asked::first: out.stream.push_back(peer); return;
    case snapshot_streams::asked::another: return;
    case snapshot_streams::asked::refused: ++counters_.ignored_requests; return;
  }
}

void server_state::on_writable(zmtp::peer_id peer, time_point now, actions& out) {
  if (!active_) {
    return;
  }
  const auto made = streams_.write(
      peer, {*map_, counts_, *applied_, begun_.value_or(0), common_, own_}, now, out.reply);
  counters_.snapshots += made.ended ? 1U : 0U;
  tidying_ = tidying_ || made.ended;
  if (made.of_backup && paired()) {
    const auto before = backup_.in_sync();
    backup_.on_snapshot(peer, *made.of_backup, notices_);
    watch_backup(before, out);
  }
  if (made.more) {
    out.stream.push_back(peer);
  }
}

void server_state::on_input(zmtp::peer_id peer, const position_report& r, time_point now,
                            actions& out) {
  const auto before = backup_.in_sync();
  backup_.on_report(peer, r, map_->number(), notices_, now);
  watch_backup(before, out);
}

void server_state::watch_backup(bool was_in_sync, actions& out) {
  const auto in_sync = backup_.in_sync();
  if (in_sync != was_in_sync) {
    out.events.push_back(in_sync ? server_event::backup_in_sync : server_event::backup_lost);
  }
  commit();
  if (backup_.awaited()) {
    forget_erasures(backup_.number());
  }
}

// Updates.

std::optional<sequence> server_state::next_number(actions& out) {
  // The number after the last position would be in another epoch, which may be the other server's.
  // Without epochs there is no such conflict, and eight bytes are enough.
  const auto last = map_->number();
  const bool is_last = options_.wire_format == form::kvsimple_4
                           ? last >= max_sequence_of_4
                           : has_epoch(last) && position_of(last) == max_position;
  if (is_last) {
    if (!std::exchange(used_up_, true)) {
      out.events.push_back(server_event::epoch_used_up);
    }
    return std::nullopt;
  }
  return last + 1;
}

// Before it is used up; again after a heartbeat, if none could be had.
void server_state::renew_epoch(time_point now, actions& out) {
  const auto last = map_->number();
  if (has_epoch(last) && max_position - position_of(last) < options_.epoch_reserve &&
      now >= next_renewal_) {
    next_renewal_ = now + options_.heartbeat;
    out.renew_epoch = true;
  }
}

void server_state::on_update(zmtp::message&& m, time_point now, actions& out) {
  const auto parsed_update = parse_set(m, options_.wire_format, options_.limit);
  const auto id =
      parsed_update ? update_id::of_frame(parsed_update->id) : id_of_set(m, options_.wire_format);
  if (applied_->contains(id)) {
    ++counters_.repeated;
    acknowledge_again(id);
    return;
  }
  if (!active_) {
    if (!parsed_update) {
      refuse(parsed_update.error());
    } else if (paired()) {
      const auto before = pending_.dropped();
      (void)pending_.add(std::move(m), id, now);
      counters_.pending_dropped += pending_.dropped() - before;
    }
    return;
  }
  if (puts_off(id)) {
    ++counters_.deferred;
    return;
  }
  if (!parsed_update) {
    turn_away(id, parsed_update.error(), now, out);
    return;
  }
  const auto& u = *parsed_update;
  if (is_superseded(u.key, id)) {
    ++counters_.repeated;
    settle_by_later(id);
    acknowledge_again(id);
    return;
  }
  if (const auto fault = u.erases() ? errc{} : map_->check_room(u.key, u.value, options_.map);
      fault != errc{}) {
    turn_away(id, fault, now, out);
  } else if (accept(u, id, deadline_of(u, now), now, out)) {
    ++counters_.updates;
  }
}

// Returns whether the client has changed the key later, and that update came first. It came through
// the other server of the pair, or while this one was pending and did not fit.
bool server_state::is_superseded(std::string_view key, const update_id& id) const {
  if (!id.has_session() || applied_->find(id.session()).counter < id.counter()) {
    return false;
  }
  const auto* const there = map_->find(key);
  const auto last = there != nullptr ? there->id() : erased_.id_of(key);
  return last.has_session() && last.session() == id.session() && last.counter() > id.counter();
}

std::optional<server_state::time_point> server_state::deadline_of(const update& u,
                                                                  time_point came) {
  if (u.properties.empty()) {
    return std::nullopt;
  }
  const auto value = properties{u.properties}.find(property_name::ttl);
  const auto ttl = value ? parse_ttl(*value) : std::nullopt;
  return ttl ? std::optional{came + *ttl} : std::nullopt;
}

void server_state::acknowledge_again(const update_id& id) {
  if (active_ && id.has_session()) {
    acks_.owe(id.session());
    // Later updates that were deferred arrive with this one.
    deferred_.on_taken(id.session(), id.counter());
  }
}

// An update without an id gets one here, so that all servers use the same one. The Guide's passive
// servers need it. Returns false if no number is left.
bool server_state::accept(const update& u, const update_id& id, std::optional<time_point> deadline,
                          time_point now, actions& out) {
  const auto number = next_number(out);
  if (!number) {
    return false;
  }
  const auto own = id.empty() ? update_id::of_random(next_random(), next_random()) : id;
  if (u.erases()) {
    map_->erase(u.key, *number);
    if (paired()) {
      erased_.add(u.key, own, *number);
    }
    keep_erasure(u.key, own, *number);
  } else {
    const store::change to{u.key, u.value, own, deadline};
    if (const auto fault = map_->apply(to, *number); fault != errc{}) {
      refuse(fault);
      return false;
    }
    keep_set(to, *number, now);
  }
  applied_->insert(id);
  publish(u, own, *number, out);
  settle(id, *number, now);
  return true;
}

void server_state::publish(const update& u, const update_id& id, sequence number, actions& out) {
  properties_.clear();
  if (u.key.front() == '/' && options_.wire_format == form::kvmsg) {
    append_directory_counts(properties_, counts_.add(u.key));
  }
  out.publish.push_back(make_publication(options_.wire_format, u, id, number, properties_));
}

// Acknowledges the update now, or when the backup and the disk have it.
void server_state::settle(const update_id& id, sequence number, time_point now) {
  if (waits_for_backup()) {
    backup_.on_update(now);
  }
  if (!id.has_session()) {
    return;
  }
  if (is_told_later()) {
    acks_.await(id.session(), id.counter(), number);
  } else {
    acks_.owe(id.session());
  }
}

// Time.

void server_state::expire(time_point now, actions& out) {
  const auto last = map_->number();
  if (now < expire_from_ || !may_number() ||
      (has_epoch(last) && max_position - position_of(last) < expired_at_once)) {
    return;
  }
  sequence number = last;
  counters_.expired += map_->expire(now, expired_at_once, [&](const store::entry& e) {
    const auto id = update_id::of_random(next_random(), next_random());
    publish({options_.wire_format, e.key(), 0, {}, {}, {}}, id, ++number, out);
    if (paired()) {
      erased_.add(e.key(), id, number);
    }
    keep_erasure(e.key(), id, number);
    settle(id, number, now);
    return number;
  });
}

void server_state::on_turn_end(time_point now, actions& out) {
  if (active_) {
    renew_epoch(now, out);
  }
  write_down(out);
  if (!active_) {
    report_position(out);
  } else if (may_tell()) {
    acks_.tell(*applied_, paired() && !backup_.in_sync(), now, out.tell);
  }
}

std::optional<server_state::time_point> server_state::next_deadline() const noexcept {
  if (tidying_ || settling_.pending() || !discarded_.empty() || !counts_.is_tidy() ||
      (kept_ && kept_->reading()) ||
      (active_ ? reconciling_ || committing_ || (forgetting_erasures_ && backup_.awaited())
               : forgetting_pending_)) {
    return time_point{};
  }
  std::optional<time_point> first;
  const auto consider_also = [&first](std::optional<time_point> due) {
    first = due && (!first || *due < *first) ? due : first;
  };
  if (active_) {
    consider_also(next_heartbeat_);
    if (const auto due = map_->next_deadline(); due && may_number()) {
      consider_also(std::max(*due, expire_from_));
    }
    if (may_tell()) {
      consider_also(acks_.next_deadline());
    }
    consider_also(backup_.next_deadline());
  } else {
    consider_also(replication_.next_deadline());
  }
  if (kept_ && !offered_.pending()) {
    consider_also(kept_->next_deadline());
  }
  return first;
}

void server_state::on_deadline(time_point now, actions& out) {
  tidying_ = tidying_ && !map_->tidy(tidied_at_once);
  dismantle();
  settle_some(settled_at_once);
  write_whole(now);
  if (!active_) {
    forget_pending();
    replication_.on_deadline(now, out);
    return;
  }
  const auto before = backup_.in_sync();
  backup_.on_deadline(map_->number(), now);
  watch_backup(before, out);
  reconcile(now, out);
  expire(now, out);
  if (next_heartbeat_ && now >= *next_heartbeat_) {
    next_heartbeat_ = now + options_.heartbeat;
    if (options_.wire_format == form::kvmsg) {
      ++counters_.heartbeats;
      out.publish.push_back(make_heartbeat());
    }
  }
}

server_status server_state::status() const {
  server_status s;
  s.counters = counters_;
  s.active = active_;
  s.backup_in_sync = backup_.in_sync();
  s.following = replication_.state() == replication::phase::following;
  s.number = map_->number();
  s.committed = backup_.in_sync() ? backup_.number() : map_->number();
  s.durable = map_->number();
  if (kept_) {
    s.kept = kept_->how();
    s.durable = kept_->durable();
    s.committed = std::min(s.committed, s.durable);
    s.unwritten_bytes = kept_->bytes();
  }
  s.keys = map_->keys();
  s.bytes = map_->bytes();
  s.subscribers = subscribers_.size();
  s.snapshot_clients = streams_.peers();
  s.snapshots = streams_.size();
  s.pending = pending_.size();
  s.waiting = acks_.waiting();
  return s;
}

}  // namespace chp
