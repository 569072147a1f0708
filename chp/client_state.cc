#include "chp/client_state.h"

#include "chp/acknowledgement.h"
#include "chp/properties.h"
#include "chp/subtree.h"

#include <utility>
#include <variant>

namespace chp {

namespace {

client_options workable(client_options options) {
  if (options.wire_format != form::kvmsg) {
    options.server_ttl.reset();
  }
  return options;
}

}  // namespace

client_state::client_state(std::size_t servers, const client_options& options,
                           std::uint64_t session, std::uint64_t seed)
    : options_{workable(options)},
      limits_{.max_value_size = options.most_value_bytes},
      round_{servers, options, static_cast<std::uint32_t>(seed)},
      dialogue_{options_},
      gaps_{options.subtree},
      store_seed_{seed},
      map_{new_store()},
      incoming_{new_store()},
      updates_{servers, options, session} {}

bool client_state::following() const noexcept {
  return visiting_ && dialogue_.at() == server_dialogue::phase::following;
}

void client_state::start(time_point now, actions& out) {
  started_ = true;
  visit(now, out);
}

// As soon as the current server may be connected to.
void client_state::visit(time_point now, actions& out) {
  if (now < round_.earliest()) {
    return;
  }
  visiting_ = true;
  ++visits_;
  ours_ = false;
  dialogue_.begin(now, round_.timeout_divisor());
  round_.on_visit(now);
  out.connections.push_back({actions::connection::open, round_.current()});
}

void client_state::leave(time_point now, actions& out) {
  ++counters_.servers_left;
  out.connections.push_back({actions::connection::close, round_.current()});
  visiting_ = false;
  discard(incoming_);
  behind_.clear();
  behind_bytes_ = 0;
  updates_.follow_none();
  round_.turn_to_next();
  visit(now, out);
}

void client_state::leave(client_event::kind why, time_point now, actions& out) {
  out.events.push_back({why, round_.current()});
  leave(now, out);
}

void client_state::carry(server_dialogue::action action, time_point now, actions& out) {
  using enum server_dialogue::action;
  switch (action) {
    case nothing:
    case adopt: return;  // the caller has the end of the snapshot
    case ask:
      out.asks.push_back(options_.snapshots == snapshot_kind::whole
                             ? make_snapshot_request()
                             : make_snapshot_request(options_.subtree));
      return;
    case renew:
      out.connections.push_back({actions::connection::renew_snapshot, round_.current()});
      return;
    case leave:
      if (dialogue_.at() == server_dialogue::phase::asking) {
        round_.on_unanswered();
      }
      this->leave(client_event::kind::server_silent, now, out);
      return;
  }
}

void client_state::on_subscriber_attached(bool ours, time_point now, actions& out) {
  ours_ = ours && options_.wire_format == form::kvmsg;
  // The copy starts with the next update, because the sequence of earlier ones is unknown.
  if (dialogue_.on_subscriber_attached(now) == server_dialogue::action::adopt) {
    follow(0, {}, now, out);
  }
}

void client_state::on_snapshot_attached(time_point now, actions& out) {
  carry(dialogue_.on_snapshot_attached(now), now, out);
}

void client_state::on_lost(time_point now, actions& out) {
  leave(client_event::kind::server_lost, now, out);
}

void client_state::on_unreachable(time_point now, actions& out) {
  leave(client_event::kind::server_unreachable, now, out);
}

void client_state::on_subscriber_message(zmtp::message&& m, time_point now, actions& out) {
  const auto parsed = parse_publication(m, options_.wire_format, limits_);
  if (!parsed) {
    ignore(parsed.error(), now, out);
    return;
  }
  carry(dialogue_.on_publication(now), now, out);
  if (const auto* const h = std::get_if<heartbeat>(&*parsed)) {
    on_heartbeat(*h, now, out);
  } else if (const auto& u = std::get<update>(*parsed); concerns_us(u.key)) {
    // A subscription to HUGZ also receives keys that begin with HUGZ.
    on_update(u, std::move(m), now, out);
  }
}

// A map with holes is none: what we do not take ends the visit.
void client_state::ignore(errc fault, time_point now, actions& out) {
  ++counters_.invalid[static_cast<std::size_t>(fault)];
  if (fault == errc::value_too_long) {
    leave(client_event::kind::too_large, now, out);
  }
}

void client_state::on_heartbeat(const heartbeat& h, time_point now, actions& out) {
  // Acknowledgements count only after the server's history was checked against the copy. The client
  // then resends its updates, and the server acknowledges them again.
  if (!ours_ || !following()) {
    return;
  }
  const auto notified = find_acknowledgement(h.properties);
  if (!notified) {
    return;
  }
  if (notified->degraded != degraded_) {
    degraded_ = notified->degraded;
    out.events.push_back({degraded_ ? client_event::kind::degraded : client_event::kind::replicated,
                          round_.current()});
  }
  updates_.on_acknowledgement(*notified, now, out);
}

void client_state::on_update(const update& u, zmtp::message&& m, time_point now, actions& out) {
  if (!following()) {
    keep(std::move(m), now, out);
    return;
  }
  // Applying may end the visit.
  const bool acknowledges = ours_;
  switch (gaps_.look(u.number, u.properties)) {
    case gap_check::verdict::next: apply(u, now, out); break;
    case gap_check::verdict::old: ++counters_.old_updates; break;
    case gap_check::verdict::gap:
      ++counters_.gaps;
      if (options_.snapshots == snapshot_kind::none) {
        // There is nothing to fill it with.
        out.events.push_back({client_event::kind::gap, round_.current()});
        gaps_.begin(u.number, {}, false);
        apply(u, now, out);
        break;
      }
      close_gap(dialogue_.begin_again(now), client_event::kind::gap, now, out);
      keep(std::move(m), now, out);
      return;
  }
  if (!acknowledges) {
    updates_.on_echo(u, now, out);
  }
}

void client_state::close_gap(server_dialogue::action renew, client_event::kind why, time_point now,
                             actions& out) {
  out.events.push_back({why, round_.current()});
  updates_.follow_none();
  discard(incoming_);
  behind_.clear();
  behind_bytes_ = 0;
  carry(renew, now, out);
}

// Stores a message that arrives during the snapshot.
void client_state::keep(zmtp::message&& m, time_point now, actions& out) {
  behind_bytes_ += m.framed_size();
  if (behind_bytes_ > options_.most_bytes_behind_snapshot) {
    ++counters_.gaps;
    close_gap(dialogue_.begin_again(now), client_event::kind::gap, now, out);
    behind_bytes_ = m.framed_size();
  }
  behind_.push_back(std::move(m));
}

void client_state::apply(const update& u, time_point now, actions& out) {
  seen_ = u.number;
  ++counters_.updates;
  if (u.erases()) {
    if (!map_->erase(u.key, u.number)) {
      return;
    }
  } else if (map_->apply({.key = u.key, .value = u.value}, u.number) != errc{}) {
    leave(client_event::kind::too_large, now, out);
    return;
  }
  if (watched_) {
    out.changes.push_back(
        {std::string{u.key}, std::string{u.value}, u.number, u.value.empty() && !u.erases()});
  }
}

void client_state::on_snapshot_message(const zmtp::message& m, time_point now, actions& out) {
  const auto parsed = parse_snapshot(m, options_.wire_format, limits_);
  if (!parsed) {
    ignore(parsed.error(), now, out);
    return;
  }
  if (const auto* const entry = std::get_if<update>(&*parsed)) {
    if (dialogue_.on_entry(now) && !entry->erases() && concerns_us(entry->key) &&
        incoming_->apply({.key = entry->key, .value = entry->value}, 0) != errc{}) {
      leave(client_event::kind::too_large, now, out);
    } else if (!ours_ && options_.wire_format == form::kvmsg) {
      // The Guide's servers tell whose update it was.
      updates_.on_echo(*entry, now, out);
    }
  } else if (const auto* const end = std::get_if<snapshot_end>(&*parsed)) {
    on_snapshot_end(*end, now, out);
  } else {
    ignore(errc::unknown_command, now, out);
  }
}

void client_state::on_snapshot_end(const snapshot_end& end, time_point now, actions& out) {
  if (dialogue_.on_end(now) != server_dialogue::action::adopt) {
    return;
  }
  const auto begun = properties{end.properties}.find("begun");
  switch (round_.judge(end.number, begun ? parse_number(*begun).value_or(0) : 0, seen_)) {
    case server_round::verdict::refuse:
      leave(client_event::kind::history_refused, now, out);
      return;
    case server_round::verdict::take_older:
      out.events.push_back({client_event::kind::history_lost, round_.current()});
      break;
    case server_round::verdict::take: break;
  }
  adopt(end, now, out);
}

void client_state::adopt(const snapshot_end& end, time_point now, actions& out) {
  ++counters_.snapshots;
  map_.swap(incoming_);
  if (watched_) {
    tell_difference(*incoming_, end.number, out);
  }
  discard(incoming_);
  out.connections.push_back({actions::connection::close_snapshot, round_.current()});
  follow(end.number, end.properties, now, out);
}

void client_state::follow(sequence from, std::string_view properties, time_point now,
                          actions& out) {
  gaps_.begin(from, properties, ours_);
  seen_ = from;
  if (!std::exchange(ready_, true)) {
    out.became_ready = true;
  }
  out.events.push_back({client_event::kind::following, round_.current()});
  behind_bytes_ = 0;
  const auto visit = visits_;
  for (auto& m : std::exchange(behind_, {})) {
    if (!visiting_ || visits_ != visit) {
      return;
    }
    const auto parsed = parse_publication(m, options_.wire_format, limits_);
    on_update(std::get<update>(*parsed), std::move(m), now, out);
  }
  if (following() && visits_ == visit) {
    updates_.follow(round_.current(), ours_, now, out);
  }
}

// The snapshot has been swapped in.
void client_state::tell_difference(const store& before, sequence at, actions& out) {
  map_->for_each({}, [&](const store::entry& is) {
    if (const auto* const was = before.find(is.key());
        was == nullptr || was->value() != is.value()) {
      out.changes.push_back(
          {std::string{is.key()}, std::string{is.value()}, at, is.value().empty()});
    }
    return true;
  });
  before.for_each({}, [&](const store::entry& was) {
    if (map_->find(was.key()) == nullptr) {
      out.changes.push_back({std::string{was.key()}, {}, at});
    }
    return true;
  });
}

std::unique_ptr<store> client_state::new_store() const {
  return std::make_unique<store>(
      store_seed_, store_limits{.max_keys = options_.most_keys, .max_bytes = options_.most_bytes});
}

void client_state::discard(std::unique_ptr<store>& what) {
  if (!what->empty()) {
    discarded_.push_back(std::move(what));
    what = new_store();
  }
}

bool client_state::tidy(std::size_t most) noexcept {
  if (!discarded_.empty() && discarded_.back()->dismantle(most)) {
    discarded_.pop_back();
  }
  return discarded_.empty();
}

void client_state::on_deadline(time_point now, actions& out) {
  updates_.on_deadline(now, out);
  if (!started_) {
    return;
  }
  if (!visiting_) {
    visit(now, out);
    return;
  }
  carry(dialogue_.on_deadline(now), now, out);
}

std::optional<client_state::time_point> client_state::next_deadline() const noexcept {
  auto next = updates_.next_deadline();
  const auto own = !started_   ? std::nullopt
                   : visiting_ ? dialogue_.next_deadline()
                               : std::optional{round_.earliest()};
  if (own && (!next || *own < *next)) {
    next = own;
  }
  return next;
}

client_status client_state::status() const {
  auto counters = counters_;
  counters.resent = updates_.resent();
  counters.committed = updates_.committed();
  return {.ready = ready_,
          .following = following(),
          .degraded = degraded_,
          .acknowledges = following() && ours_,
          .server = round_.current(),
          .number = seen_.value_or(0),
          .keys = map_->keys(),
          .bytes = map_->bytes(),
          .sent = updates_.sent(),
          .unsent = updates_.unsent(),
          .counters = counters};
}

}  // namespace chp
