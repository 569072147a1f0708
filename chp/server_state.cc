#include "chp/server_state.h"

#include "chp/command.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace chp {

namespace {

constexpr std::size_t tidied_at_once = 10'000;
// An earlier version of Zinc's clients has at most this number of updates in flight.
constexpr std::uint64_t earlier_in_flight = 32'768;

server_options workable(server_options options) {
  using std::chrono::milliseconds;
  options.heartbeat = std::max(options.heartbeat, milliseconds{1});
  options.limit.max_value_size = std::min(options.limit.max_value_size, largest_value);
  options.snapshot_piece = std::max<std::size_t>(options.snapshot_piece, 1);
  options.snapshots_of_a_peer = std::max<std::size_t>(options.snapshots_of_a_peer, 1);
  options.snapshot_timeout = std::max(options.snapshot_timeout, milliseconds{1});
  return options;
}

history_options history_options_of(const server_options& options) {
  return {.log = options.log, .clients = options.clients, .max_ids = options.ids};
}

update_log_options log_options_of(const server_options& options, server_state::kind as,
                                  bool has_store) {
  return {.state = {.history = history_options_of(options),
                    .map = options.map,
                    .has_store = has_store,
                    .unwritten_bytes = options.unwritten_bytes,
                    .store_retry = options.store_retry},
          .wire_format = options.wire_format,
          .is_paired = as != server_state::kind::alone,
          .policy = options.degraded,
          .has_witness = as == server_state::kind::witnessed,
          .witness_retry = options.heartbeat / 4,
          .window = options.backup_window,
          .piece = options.snapshot_piece,
          .waiting_bytes = options.waiting_bytes,
          .directories = options.directories,
          .epoch_reserve = options.epoch_reserve};
}

replica replica_of(const replica_options& options, std::uint64_t random, loaded_state&& found) {
  return found.past ? replica{options, random, std::move(found.past), found.numbers}
                    : replica{options, random};
}

}  // namespace

std::unique_ptr<history> server_state::make_history(const server_options& options,
                                                    std::uint64_t random) {
  return std::make_unique<history>(history_options_of(options), random);
}

server_state::server_state(const server_options& options, kind as, std::uint64_t random,
                           loaded_state found, bool discard)
    : options_{workable(options)},
      kind_{as},
      random_{random},
      log_{log_options_of(options_, as, found.past != nullptr), random_(),
           replica_of(log_options_of(options_, as, found.past != nullptr).state, random_(),
                      std::move(found)),
           discard},
      access_{options_.access},
      streams_{options_},
      stored_{log_.state().stored()},
      guide_{options_} {}

// Roles.

boost::system::result<std::uint64_t, errc> server_state::next_epoch(std::uint64_t wanted) const {
  const bool counts = log_.state().has_store() && options_.wire_format == form::kvmsg;
  const auto epoch = counts ? std::max(wanted, epoch_of(number()) + 1) : wanted;
  if (epoch > max_epoch) {
    return errc::sequence_too_large;
  }
  return epoch;
}

void server_state::activate(std::uint64_t epoch, time_point now, actions& out) {
  if (active()) {
    log_.become_active(epoch, now, from_log_);  // another reign, if the epoch is later
    used_up_ = used_up_ && log_.is_used_up();
    return;
  }
  used_up_ = false;
  guide_.end();
  greet_at_.reset();
  const bool was_passive = !log_.is_active();
  if (was_passive) {
    out.follow_feed = false;
    if (notices_.are_all_zincs()) {
      log_.forget_subscribers();  // they have connected again
    }
  }
  // Numbers never go down.
  const auto last = log_.last_reign().epoch;
  log_.become_active(epoch != 0 && was_passive ? std::max(epoch, last + 1) : epoch, now, from_log_);
  if (was_passive) {
    passed_ = log_.state().past().published();
  }
  out.events.push_back(server_event::active);
  if (paired()) {
    // Earlier subscribers have the notice of an earlier reign, or none.
    notices_.begin_reign();
  }
  next_heartbeat_ = now;
  on_deadline(now, out);  // HUGZ
}

void server_state::suspend(actions& out) {
  if (active()) {
    log_.suspend();
    streams_.clear(out.close_snapshot_clients);
    next_heartbeat_.reset();
  }
}

void server_state::deactivate(time_point now, actions& out) {
  if (log_.is_active()) {
    streams_.clear(out.close_snapshot_clients);
    if (backup_) {
      out.close_snapshot_clients.push_back(*std::exchange(backup_, std::nullopt));
    }
    log_.become_passive(now, from_log_);
    next_heartbeat_.reset();
    out.events.push_back(server_event::passive);
  }
}

// Updates.

void server_state::on_update(const message_parts& m) {
  propose(parse_proposal(m, options_.wire_format, options_.limit));
}

void server_state::propose(proposal&& p) {
  if (p.id.has_session() && !p.has_low) {
    add_low(p);
  }
  log_.propose(p, from_log_);
}

// Earlier versions of Zinc's clients do not say which outcomes they wait for. They send their updates
// in order.
void server_state::add_low(proposal& p) const {
  const auto& past = log_.state().past();
  const auto counter = p.id.counter();
  if (!past.clients().contains(p.id.session())) {
    p.low = counter;
  } else if (counter > earlier_in_flight) {
    p.low = counter - earlier_in_flight;
  }
}

// The end of a turn.

void server_state::on_turn_end(time_point now, actions& out) {
  log_.end_turn(now, from_log_);
  pass_on(out);
  watch_store(out);
  for (auto& each : access_.take_refusals()) {
    out.refusals.push_back(std::move(each));
  }
  if (active()) {
    if (log_.is_used_up() && !std::exchange(used_up_, true)) {
      out.events.push_back(server_event::epoch_used_up);
    }
    notices_.tell(paired() && log_.degraded(), now, out.tell);
    bound_past_entries(out);
    if (out.renew_epoch) {
      out.renew_epoch = now >= next_renewal_;
      next_renewal_ = out.renew_epoch ? now + options_.heartbeat : next_renewal_;
    }
  }
}

void server_state::pass_on(actions& out) {
  std::move(from_log_.write.begin(), from_log_.write.end(), std::back_inserter(out.write));
  from_log_.write.clear();
  if (!notices_.earlier().empty()) {
    insert_passed(out);
  }
  out.publish.append(std::move(from_log_.publish));
  for (const auto& each : from_log_.answers) {
    notices_.note(each);
  }
  from_log_.answers.clear();
  out.events.insert(out.events.end(), from_log_.events.begin(), from_log_.events.end());
  from_log_.events.clear();
  pass_on_peer(out);
  if (std::exchange(from_log_.disconnect_clients, false)) {
    // The clients connect again at once, and to the other server if this one is passive.
    notices_.for_each_zinc_client(
        [&](zmtp::peer_id peer) { out.close_subscribers.push_back(peer); });
  }
  out.step_down = std::exchange(from_log_.step_down, false) || out.step_down;
  out.renew_epoch = std::exchange(from_log_.renew_epoch, false) || out.renew_epoch;
  if (from_log_.attempt) {
    out.attempt = std::exchange(from_log_.attempt, std::nullopt);
  }
  if (from_log_.epoch) {
    out.epoch = std::exchange(from_log_.epoch, std::nullopt);
  }
  if (from_log_.lost) {
    out.lost = std::exchange(from_log_.lost, std::nullopt);
  }
}

void server_state::watch_store(actions& out) {
  const auto now_stored = log_.state().stored();
  if (now_stored == stored_) {
    return;
  }
  switch (now_stored) {
    case store_status::all: out.events.push_back(server_event::stored); break;
    case store_status::full: out.events.push_back(server_event::store_full); break;
    case store_status::failed: out.events.push_back(server_event::store_failed); break;
    case store_status::nothing: break;
  }
  stored_ = now_stored;
}

// Time.

std::optional<server_state::time_point> server_state::next_deadline() const noexcept {
  if (!map().past().is_tidy()) {
    return time_point{};
  }
  auto first = log_.next_deadline();
  const auto consider = [&first](std::optional<time_point> due) {
    first = due && (!first || *due < *first) ? due : first;
  };
  if (active()) {
    consider(next_heartbeat_);
    consider(notices_.next_deadline());
  } else if (!log_.is_active()) {
    consider(greet_at_);
    consider(guide_.next_deadline());
  }
  return first;
}

void server_state::on_deadline(time_point now, actions& out) {
  (void)log_.past().map().tidy(tidied_at_once);
  log_.on_deadline(now);
  guide_.on_deadline(now, out);
  if (greet_at_ && now >= *greet_at_) {
    greet(now);
  }
  if (next_heartbeat_ && now >= *next_heartbeat_) {
    next_heartbeat_ = now + options_.heartbeat;
    if (options_.wire_format == form::kvmsg) {
      ++counters_.heartbeats;
      out.publish.append(make_heartbeat());
    }
  }
}

server_status server_state::status() const {
  const auto& state = log_.state();
  const auto& past = state.past();
  server_status s;
  s.counters = counters_;
  s.counters.log = log_.counters();
  s.counters.forbidden = access_.counters();
  s.active = active();
  s.backup_in_sync = log_.in_sync();
  s.degraded = paired() && log_.degraded();
  s.following = log_.following() || guide_.following();
  s.stopped = log_.stopped();
  s.number = state.end();
  s.committed = state.commit();
  s.both = state.both();
  s.stored = state.stored();
  s.durable = state.durable();
  s.keys = past.map().keys();
  s.bytes = past.map().bytes();
  s.log_entries = past.log().entries();
  s.log_bytes = past.log().memory();
  s.sessions = past.clients().size();
  s.subscribers = notices_.size();
  s.snapshot_clients = streams_.peers();
  s.snapshots = streams_.size();
  s.waiting = log_.waiting();
  s.member = state.member();
  return s;
}

}  // namespace chp
