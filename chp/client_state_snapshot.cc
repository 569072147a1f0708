// The snapshots of client_state.
#include "chp/client_state.h"

#include <utility>
#include <variant>

namespace chp {

void client_state::on_snapshot_message(const message_parts& m, time_point now, actions& out) {
  auto parsed = parse_snapshot(m, options_.wire_format, limits_);
  if (!parsed) {
    ignore(parsed.error(), now, out);
  } else if (const auto* const entry = std::get_if<update>(&*parsed)) {
    on_entry(*entry, now, out);
  } else if (auto* const notice = std::get_if<lineage_notice>(&*parsed)) {
    if (has_log_ && visit_.on_entry(now)) {
      notice_ = std::move(*notice);
    }
  } else if (const auto* const end = std::get_if<snapshot_end>(&*parsed)) {
    on_snapshot_end(*end, now, out);
  } else if (std::holds_alternative<snapshot_forbidden>(*parsed)) {
    out.forbidden = true;
    leave(client_event::kind::forbidden, now, out);
  } else {
    ignore(errc::unknown_command, now, out);
  }
}

void client_state::on_entry(const update& entry, time_point now, actions& out) {
  if (visit_.on_entry(now) && is_in_subtree(entry.key) && !map_.add_to_snapshot(entry)) {
    leave(client_event::kind::too_large, now, out);
  } else if (!has_log_ && options_.wire_format == form::kvmsg) {
    // The Guide's servers tell whose update it was.
    updates_.on_snapshot_entry(entry);
  }
}

void client_state::on_snapshot_end(const snapshot_end& end, time_point now, actions& out) {
  if (visit_.on_end(now) != server_visit::action::adopt) {
    return;
  }
  // Before the first snapshot, nothing was seen.
  switch (round_.decide(!ready_ || seen_.is_in(notice(), end.number))) {
    case server_round::verdict::refuse:
      leave(client_event::kind::history_refused, now, out);
      return;
    case server_round::verdict::take_other:
      out.events.push_back({client_event::kind::history_lost, round_.current()});
      updates_.on_history_lost(seen_.rows(), notice_ ? &notice_->reigns : nullptr);
      adopt(end, true, now, out);
      return;
    case server_round::verdict::take: adopt(end, false, now, out); return;
  }
}

void client_state::adopt(const snapshot_end& end, bool lost, time_point now, actions& out) {
  ++counters_.snapshots;
  map_.adopt_snapshot(end.number, out.changes);
  updates_.on_snapshot_adopted(now, out);
  out.connections.push_back({actions::connection::close_snapshot, round_.current()});
  seen_.follow(notice(), end.number, lost);
  follow(end.number, end.properties, now, out);
}

void client_state::follow(sequence from, std::string_view properties, time_point now,
                          actions& out) {
  gaps_.begin(from, properties, has_log_);
  if (!std::exchange(ready_, true)) {
    out.became_ready = true;
  }
  out.events.push_back({client_event::kind::following, round_.current()});
  behind_bytes_ = 0;
  const auto visit = visits_;
  for (const auto& m : std::exchange(behind_, {})) {
    if (!visiting_ || visits_ != visit) {
      return;
    }
    const auto parsed = parse_publication(m, options_.wire_format, limits_);
    on_update(std::get<update>(*parsed), m, now, out);
  }
  if (following() && visits_ == visit) {
    updates_.follow(round_.current(),
                    notice_ ? std::optional{notice_->reigns.place_of(notice_->end)} : std::nullopt,
                    now, out);
  }
}

}  // namespace chp
