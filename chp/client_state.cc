#include "chp/client_state.h"

#include "chp/answers.h"
#include "chp/properties.h"

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
      visit_{options_},
      gaps_{options.subtree},
      map_{options, seed},
      updates_{servers, options, session} {}

bool client_state::following() const noexcept {
  return visiting_ && visit_.at() == server_visit::phase::following;
}

void client_state::start(time_point now, actions& out) {
  started_ = true;
  visit(now, out);
}

// As soon as the current server may be connected to.
void client_state::visit(time_point now, actions& out) {
  if (now < round_.earliest() || needs_session_) {
    return;
  }
  visiting_ = true;
  ++visits_;
  has_log_ = false;
  notice_.reset();
  visit_.begin(now, round_.timeout_divisor());
  round_.on_visit(now);
  out.connections.push_back({actions::connection::open, round_.current()});
}

void client_state::end_visit(actions& out) {
  out.connections.push_back({actions::connection::close, round_.current()});
  visiting_ = false;
  drop_snapshot();
  updates_.follow_none();
}

void client_state::drop_snapshot() {
  map_.drop_snapshot();
  updates_.on_snapshot_dropped();
  notice_.reset();
  behind_.clear();
  behind_bytes_ = 0;
}

void client_state::leave(time_point now, actions& out) {
  ++counters_.servers_left;
  end_visit(out);
  round_.turn_to_next();
  visit(now, out);
}

void client_state::leave(client_event::kind why, time_point now, actions& out) {
  out.events.push_back({why, round_.current()});
  leave(now, out);
}

void client_state::carry(server_visit::action action, time_point now, actions& out) {
  using enum server_visit::action;
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
      if (visit_.at() == server_visit::phase::asking) {
        round_.on_unanswered();
      }
      this->leave(client_event::kind::server_silent, now, out);
      return;
  }
}

void client_state::on_subscriber_attached(bool has_log, time_point now, actions& out) {
  has_log_ = has_log && options_.wire_format == form::kvmsg;
  if (!has_log_) {
    degraded_ = false;  // such a server does not tell
  }
  // The copy starts with the next update, because the sequence of earlier ones is unknown.
  if (visit_.on_subscriber_attached(now) == server_visit::action::adopt) {
    follow(0, {}, now, out);
  }
}

void client_state::on_snapshot_attached(time_point now, actions& out) {
  carry(visit_.on_snapshot_attached(now), now, out);
}

void client_state::on_lost(time_point now, actions& out) {
  leave(client_event::kind::server_lost, now, out);
}

void client_state::on_unreachable(time_point now, actions& out) {
  leave(client_event::kind::server_unreachable, now, out);
}

void client_state::on_subscriber_message(const message_parts& m, time_point now, actions& out) {
  const auto parsed = parse_publication(m, options_.wire_format, limits_);
  if (!parsed) {
    ignore(parsed.error(), now, out);
    return;
  }
  carry(visit_.on_publication(now), now, out);
  if (const auto* const h = std::get_if<heartbeat>(&*parsed)) {
    on_heartbeat(*h, now, out);
  } else if (const auto& u = std::get<update>(*parsed); is_in_subtree(u.key)) {
    // A subscription to HUGZ also receives keys that begin with HUGZ.
    on_update(u, m, now, out);
  }
}

// A map without one value would be wrong, so a value that is too long ends the visit.
void client_state::ignore(errc fault, time_point now, actions& out) {
  ++counters_.invalid[static_cast<std::size_t>(fault)];
  if (fault == errc::value_too_long) {
    leave(client_event::kind::too_large, now, out);
  }
}

void client_state::on_heartbeat(const heartbeat& h, time_point now, actions& out) {
  if (!has_log_ || h.properties.empty()) {
    return;
  }
  if (const auto degraded = properties{h.properties}.find(property_name::degraded)) {
    set_degraded(*degraded == "1", now, out);
  }
  // Answers count only after the server's history was checked. The client then asks again.
  if (following() && notice_) {
    on_answers(h.properties, now, out);
  }
}

void client_state::set_degraded(bool is, time_point now, actions& out) {
  if (std::exchange(degraded_, is) == is) {
    return;
  }
  out.events.push_back(
      {is ? client_event::kind::degraded : client_event::kind::replicated, round_.current()});
  if (!is) {
    updates_.on_replicated(now);
  }
}

void client_state::on_answers(std::string_view frame, time_point now, actions& out) {
  if (const auto all = find_answers(frame)) {
    for (const auto& each : *all) {
      seen_.see(each.number);
    }
    updates_.on_answers(*all, now, out);
  }
  if (properties{frame}.find(property_name::unknown) == "1") {
    forget_session(out);
  }
}

// A new session begins with a new snapshot.
void client_state::forget_session(actions& out) {
  out.events.push_back({client_event::kind::session_forgotten, round_.current()});
  updates_.on_session_forgotten(out);
  end_visit(out);
  needs_session_ = true;
  out.needs_session = true;
}

void client_state::begin_session(std::uint64_t session, time_point now, actions& out) {
  updates_.begin_session(session);
  needs_session_ = false;
  visit(now, out);
}

void client_state::on_update(const update& u, const message_parts& m, time_point now,
                             actions& out) {
  if (!following()) {
    keep(m, now, out);
    return;
  }
  // Applying may end the visit.
  const bool answers = notice_.has_value();
  switch (gaps_.look(u.number, u.properties)) {
    case gap_check::verdict::next: apply(u, now, out); break;
    case gap_check::verdict::old: ++counters_.old_updates; break;
    case gap_check::verdict::gap:
      ++counters_.gaps;
      if (options_.snapshots == snapshot_kind::none) {
        // Without snapshots, the missing updates cannot be requested.
        out.events.push_back({client_event::kind::gap, round_.current()});
        gaps_.begin(u.number, {}, false);
        apply(u, now, out);
        break;
      }
      close_gap(visit_.begin_again(now), client_event::kind::gap, now, out);
      keep(m, now, out);
      return;
  }
  if (!answers) {
    updates_.on_echo(u, now, out);
  }
}

void client_state::close_gap(server_visit::action renew, client_event::kind why, time_point now,
                             actions& out) {
  out.events.push_back({why, round_.current()});
  updates_.follow_none();
  drop_snapshot();
  carry(renew, now, out);
}

// Stores a copy of a message that arrives during the snapshot.
void client_state::keep(const message_parts& m, time_point now, actions& out) {
  auto kept = m.to_message();
  const auto bytes = kept.framed_size();
  if (behind_bytes_ + bytes > options_.most_bytes_behind_snapshot) {
    ++counters_.gaps;
    close_gap(visit_.begin_again(now), client_event::kind::gap, now, out);
  }
  behind_bytes_ += bytes;
  behind_.push_back(std::move(kept));
}

void client_state::apply(const update& u, time_point now, actions& out) {
  seen_.see(u.number);
  ++counters_.updates;
  if (!map_.apply(u, out.changes)) {
    leave(client_event::kind::too_large, now, out);
  }
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
  carry(visit_.on_deadline(now), now, out);
}

std::optional<client_state::time_point> client_state::next_deadline() const noexcept {
  auto next = updates_.next_deadline();
  const auto own = !started_ || needs_session_ ? std::nullopt
                   : visiting_                 ? visit_.next_deadline()
                                               : std::optional{round_.earliest()};
  if (own && (!next || *own < *next)) {
    next = own;
  }
  return next;
}

client_status client_state::status() const {
  auto counters = counters_;
  updates_.count(counters);
  return {.ready = ready_,
          .following = following(),
          .degraded = degraded_,
          .acknowledges = following() && notice_,
          .server = round_.current(),
          .number = gaps_.last(),
          .keys = map_.now().keys(),
          .bytes = map_.now().bytes(),
          .sent = updates_.sent(),
          .unsent = updates_.unsent(),
          .kept = updates_.kept(),
          .asked = updates_.asked(),
          .counters = counters};
}

}  // namespace chp
