// The part of server_state for a passive server: its connection to the active one.

#include "chp/command.h"
#include "chp/properties.h"
#include "chp/server_state.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace chp {

void server_state::on_source_attached(const zmtp::metadata& metadata, time_point now,
                                      actions& out) {
  const bool is_zinc = parse_announcement(metadata).log;
  source_ = is_zinc ? source_kind::zinc : source_kind::guide;
  if (log_.is_active()) {
    return;
  }
  if (is_zinc) {
    out.follow_feed = false;
    greet(now);
  } else {
    guide_.begin(out);
  }
}

void server_state::on_source_detached() {
  source_ = source_kind::none;
  greet_at_.reset();
  guide_.end();
  if (!log_.is_active()) {
    log_.on_peer_lost(from_log_);
  }
}

// The other server may not know yet that it is active, or it may still compare the histories. Then
// it does not answer, and HELLO is sent again.
void server_state::greet(time_point now) {
  greet_at_.reset();
  if (!log_.is_active() && source_ == source_kind::zinc && !log_.has_answer()) {
    log_.on_peer_connected(from_log_);
    greet_at_ = now + options_.heartbeat;
  }
}

void server_state::on_source_message(const zmtp::message& m, time_point now,
                                     std::chrono::milliseconds wall, actions& out) {
  if (log_.is_active()) {
    return;
  }
  if (source_ == source_kind::zinc) {
    log_.on_peer_message(m, now, from_log_);
    return;
  }
  const auto input = parse_snapshot(m, options_.wire_format, options_.limit);
  if (!input) {
    refuse(input.error());
    return;
  }
  if (auto whole = guide_.on_part(*input, now, wall)) {
    adopt(std::move(*whole), now, out);
  }
}

void server_state::adopt(guide_follower::snapshot&& copy, time_point now, actions& out) {
  if (const auto fault = log_.adopt(copy.rows, copy.number, now); fault != errc{}) {
    refuse(fault);
    ++counters_.gaps;
    guide_.on_gap(out);
    return;
  }
  for (const auto& id : copy.ids) {
    log_.forget_waiting(id);
  }
  out.events.push_back(server_event::synchronized);
  for (const auto& m : copy.since) {
    if (guide_.following()) {
      follow_guide(m, now, out);
    }
  }
}

void server_state::on_publication(zmtp::message&& m, time_point now, actions& out) {
  const auto input = parse_publication(m, options_.wire_format, options_.limit);
  if (!input) {
    refuse(input.error());
    return;
  }
  if (!log_.is_active() &&
      guide_.on_publication(m, std::holds_alternative<update>(*input), now, out)) {
    follow_guide(m, now, out);
  }
}

void server_state::follow_guide(const zmtp::message& m, time_point now, actions& out) {
  const auto input = parse_publication(m, options_.wire_format, options_.limit);
  const auto* const u = input ? std::get_if<update>(&*input) : nullptr;
  if (u == nullptr || u->number <= number()) {
    return;
  }
  log_entry e{.number = u->number,
              .kind = u->erases() ? entry_kind::erasure : entry_kind::set,
              .id = update_id::of_frame(u->id),
              .key = u->key,
              .properties = u->properties,
              .value = u->value};
  if (const auto ttl = properties{u->properties}.find(property_name::ttl); ttl && !u->erases()) {
    e.ttl = parse_ttl(*ttl).value_or(std::chrono::milliseconds{0});
  }
  if (!log_.append(e, now)) {
    ++counters_.gaps;
    guide_.on_gap(out);
  }
}

}  // namespace chp
