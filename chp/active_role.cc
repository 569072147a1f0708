#include "chp/active_role.h"

#include "chp/answers.h"

#include <algorithm>
#include <utility>

namespace chp {

namespace {

constexpr std::size_t expired_at_once = 1'000;
constexpr std::size_t upgraded_at_once = 10'000;
// Python's peers read four bytes as a signed number.
constexpr sequence max_sequence_of_4 = 0x7fff'ffff;
// The Guide's clients leave a server that is silent for 5 s. Later than this, none has stayed.
constexpr std::chrono::seconds subscribers_stay{30};

}  // namespace

active_role::active_role(log_parts& with, std::uint64_t epoch, std::uint64_t tag, time_point now)
    : parts_{with},
      since_{now},
      updates_seen_{with.counters.updates},
      inherited_{with.state.end()},
      told_{inherited_} {
  auto& state = parts_.state;
  state.lower_needs(state.end());
  // A passive server gets a commit before its disk has the entry. The peer takes the commit of
  // an active server for a sign that its disk has it.
  state.lower_commit(state.durable());
  state.publish(state.end(), now, [](const log_entry&, bool) {});
  parts_.published.begin(state.end());
  const auto& past = state.past();
  // The numbers of a log that was cut or copied say nothing about what the subscribers have.
  if (const auto& was = parts_.was_active; was && now - was->at <= subscribers_stay &&
                                           past.reigns().contains(was->told) &&
                                           was->told.number >= past.log().start()) {
    told_ = was->told.number;
  }
  state.begin_reign(epoch, tag);
  announced_both_ = state.both();
}

void active_role::end(time_point now, log_actions& out) {
  drop_backup(out);
  parts_.was_active = ended_role{parts_.state.past().reigns().place_of(told()), now};
}

bool active_role::is_used_up() const noexcept {
  const auto last = parts_.state.end();
  return parts_.options.wire_format == form::kvsimple_4
             ? last >= max_sequence_of_4
             : has_epoch(last) && position_of(last) == max_position;
}

errc active_role::check(const proposal& p) {
  if (p.fault != errc{}) {
    return p.fault;
  }
  if (p.asks) {
    return errc::refused;
  }
  return p.erases ? errc{} : parts_.state.check_room(p.key, p.value);
}

sequence active_role::begin_of_session(const proposal& p) const {
  const auto& past = parts_.state.past();
  if (!p.has_low) {
    return past.end();  // earlier versions of Zinc's clients do not say when it began
  }
  // A history that does not contain the place says nothing about the age of the session.
  const auto since = parse_since(p.since).value_or(position{});
  return past.reigns().contains(since) ? since.number : 0;
}

void active_role::propose(const proposal& p, log_actions& out) {
  auto& state = parts_.state;
  if (suspended_ || is_used_up()) {
    ++parts_.counters.deferred;
    return;
  }
  if (p.id.has_session()) {
    const auto& clients = state.past().clients();
    // The age of a known session does not matter.
    const auto since = clients.contains(p.id.session()) ? 0 : begin_of_session(p);
    const auto [verdict, known] = clients.decide(p.id, p.low, since);
    switch (verdict) {
      case sessions::verdict::execute: break;
      case sessions::verdict::known:
        ++parts_.counters.repeated;
        if (known.number <= answered_up_to()) {
          answer_outcome(p.id, known, out);
        }
        return;
      case sessions::verdict::over: ++parts_.counters.repeated; return;
      case sessions::verdict::early:
      case sessions::verdict::full: ++parts_.counters.deferred; return;
      case sessions::verdict::unknown:
        ++parts_.counters.unknown;
        out.answers.push_back(
            {.session = p.id.session(), .counter = p.id.counter(), .is_unknown = true});
        return;
    }
  } else if (!p.id.empty() && state.past().ids().contains(p.id)) {
    ++parts_.counters.repeated;
    return;
  }
  const auto why = check(p);
  if (why != errc{}) {
    parts_.refuse(why);
    if (!p.id.has_session()) {
      return;
    }
  }
  append(p, why);
}

void active_role::append(const proposal& p, errc why) {
  auto& state = parts_.state;
  log_entry e{.number = state.end() + 1, .id = p.id, .low = p.id.has_session() ? p.low : 0};
  if (why != errc{}) {
    e.kind = entry_kind::refusal;
    e.argument = refusal_code(why);
  } else {
    e.kind = p.erases ? entry_kind::erasure : entry_kind::set;
    e.ttl = p.erases ? std::chrono::milliseconds{0} : p.ttl;
    e.key = p.key;
    e.properties = p.properties;
    e.value = p.value;
  }
  state.append(e);
  ++parts_.counters.updates;
}

// After a reign of a third-party server, the commit index does not prove that both servers have it.
sequence active_role::answered_up_to() const noexcept {
  const auto& state = parts_.state;
  const bool waits_for_both =
      parts_.options.is_paired && parts_.options.policy == degraded_policy::block;
  return waits_for_both ? std::min(state.commit(), state.both()) : state.commit();
}

truth active_role::truth_of(sequence number) const noexcept {
  const auto& state = parts_.state;
  if (number <= state.both()) {
    return number <= state.both_disks() ? truth::both_disks : truth::both_servers;
  }
  return state.has_store() ? truth::one_disk : truth::one_server;
}

void active_role::answer_outcome(const update_id& id, const entry_outcome& of,
                                 log_actions& out) const {
  out.answers.push_back({.session = id.session(),
                         .counter = id.counter(),
                         .number = of.number,
                         .why = of.why,
                         .says = truth_of(of.number)});
}

void active_role::answer_entry(const log_entry& e, log_actions& out) const {
  if (e.id.has_session()) {
    const bool is_refused = e.kind == entry_kind::refusal;
    answer_outcome(
        e.id, {e.number, is_refused ? refusal_of(static_cast<std::uint8_t>(e.argument)) : errc{}},
        out);
  }
}

// Answers the entries above `from` up to `to`, as far as the log has them.
void active_role::answer_range(sequence from, sequence to, log_actions& out) const {
  if (from >= to) {
    return;
  }
  const auto& log = parts_.state.past().log();
  auto at = log.after(std::max(from, log.start()));
  for (log_entry e; log.read(at, e) && e.number <= to;) {
    answer_entry(e, out);
  }
}

// The clients of the Guide do not notice that the peer was active for less than 5 s. They drop numbers
// that are not above their last one, so new entries must come later. Returns whether nothing is left.
bool active_role::publish_missed(log_actions& out) {
  if (told_ >= inherited_) {
    return true;
  }
  const auto& past = parts_.state.past();
  auto at = past.log().after(told_);
  log_entry e;
  for (auto left = published_at_once; left != 0 && told_ < inherited_; --left) {
    (void)past.log().read(at, e);
    told_ = e.number;
    if (past.is_current(e)) {
      parts_.published.add_missed(e, out.publish);
    }
  }
  return told_ == inherited_;
}

void active_role::advance(time_point now, log_actions& out) {
  auto& state = parts_.state;
  const auto was_in_sync = in_sync();
  auto& witness = parts_.witness;
  const bool alone = (!parts_.options.is_paired || parts_.options.policy == degraded_policy::ack) &&
                     (!witness || witness->is_alone());
  const auto before = state.commit();
  const auto target = tracker_.advance(before, state.durable(), alone);
  const bool has_told = publish_missed(out);
  const auto commit =
      has_told ? state.past().log().step(before, target, published_at_once) : before;
  goes_on_ = !has_told || commit != target;
  state.raise_both(std::min(state.durable(), tracker_.confirmed()),
                   follower_ && follower_->has_store);
  const auto both = state.both();
  state.raise_commit(commit);
  if (witness && tracker_.in_sync()) {
    witness->add(follower_->member);
  }
  if (in_sync() && !was_in_sync) {
    out.events.push_back(server_event::backup_in_sync);
  }
  // The log that this server had when it became active is published already.
  answer_range(before, std::min(commit, state.past().published()), out);
  state.publish(commit, now, [&](const log_entry& e, bool changed) {
    parts_.published.add(e, changed, out.publish);
    answer_entry(e, out);
  });
  tell_upgraded(std::min(before, both), out);
  if (announced_both_ >= std::min(before, both)) {
    announced_both_ =
        std::max(announced_both_, std::min(commit, both));  // they were answered just now
  }
}

void active_role::count_acknowledged(time_point now) {
  const auto to = answered_up_to();
  while (!not_acknowledged_.empty() && not_acknowledged_.front().last <= to) {
    const auto& oldest = not_acknowledged_.front();
    parts_.counters.acknowledge_time.add(now - oldest.at, oldest.count);
    not_acknowledged_.pop_front();
  }
}

// Clients get another answer when an update that one server had is on both.
void active_role::tell_upgraded(sequence to, log_actions& out) {
  if (announced_both_ >= to) {
    return;
  }
  const auto& log = parts_.state.past().log();
  auto at = log.after(std::max(announced_both_, log.start()));
  log_entry e;
  for (std::size_t most = upgraded_at_once; most != 0; --most) {
    if (!log.read(at, e) || e.number > to) {
      announced_both_ = to;
      return;
    }
    answer_entry(e, out);
    announced_both_ = e.number;
  }
}

void active_role::on_deadline(time_point now) {
  auto& state = parts_.state;
  const auto last = state.end();
  const bool is_near_end = has_epoch(last) && max_position - position_of(last) < expired_at_once;
  if (suspended_ || !state.has_room() || is_near_end) {
    return;
  }
  state.past().map().visit_due(now, expired_at_once, [&](const store::entry& e) {
    // The full time counts from the moment at which this server became active.
    if (const auto full = since_ + e.ttl(); full > now) {
      return full;
    }
    state.append({.number = state.end() + 1,
                  .kind = entry_kind::expiry,
                  .argument = e.number(),
                  .key = e.key()});
    ++parts_.counters.expired;
    return time_point::max();
  });
}

std::optional<active_role::time_point> active_role::next_deadline() const noexcept {
  const auto& state = parts_.state;
  if (goes_on_ && !suspended_) {
    return time_point{};
  }
  const auto due = state.past().map().next_deadline();
  if (suspended_ || !due || *due == time_point::max() || !state.has_room()) {
    return std::nullopt;
  }
  return due;
}

void active_role::end_turn(time_point now, log_actions& out) {
  if (suspended_) {
    return;
  }
  auto& state = parts_.state;
  if (const auto updates = parts_.counters.updates; updates != updates_seen_) {
    not_acknowledged_.push_back({state.end(), updates - updates_seen_, now});
    updates_seen_ = updates;
  }
  advance(now, out);
  count_acknowledged(now);
  const auto needless = std::min(state.commit(), told());
  state.trim(tracker_.has_backup() ? std::min(needless, tracker_.confirmed()) : needless,
             parts_.options.is_paired || state.has_store() ? trimmed_to::half : trimmed_to::newest);
  feed(out);
  hand_over(out);
  const auto last = state.end();
  out.renew_epoch = out.renew_epoch || (has_epoch(last) && max_position - position_of(last) <
                                                               parts_.options.epoch_reserve);
}

}  // namespace chp
