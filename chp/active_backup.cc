// The backup of an active server: HELLO and CONFIRM, the copy, the entries, the hand over.

#include "chp/active_role.h"

#include <algorithm>
#include <utility>

namespace chp {

void active_role::on(const hello& message, log_actions& out) {
  auto& state = parts_.state;
  const auto own = state.past().reigns().last();
  const auto other = message.reigns.last();
  // bstar decides first which server is active. It compares epochs alone.
  if (suspended_ || (!message.lacks_data && other.epoch > own.epoch)) {
    return;
  }
  drop_backup(out);
  const auto& log = state.past().log();
  const auto common = common_point(state.past().reigns(), message.reigns);
  const bool from_log = message.end <= common && common >= log.start();
  tracker_.join(state.end(), from_log ? std::min(common, message.durable) : 0);
  const auto start = from_log ? common : state.past().published();
  follower_.emplace(
      follower{message.greeting, message.member, message.has_store, log.after(start)});
  if (!from_log) {
    copy_.emplace(copy{state.past().map().open_snapshot()});
    out.stream_copy = true;
  }
  out.to_peer.push_back(
      make_message(follow{message.greeting, common, std::max(state.both(), inherited_),
                          from_log ? 0 : start, !from_log, state.has_store()}));
}

void active_role::on(const confirmation& message) {
  if (!follower_ || message.greeting != follower_->greeting) {
    return;
  }
  tracker_.confirm(std::min(message.durable, parts_.state.end()));
  auto& in_flight = follower_->in_flight;
  while (!in_flight.empty() && in_flight.front().last <= tracker_.confirmed()) {
    follower_->bytes -= in_flight.front().bytes;
    in_flight.pop_front();
  }
}

void active_role::drop_backup(log_actions& out) {
  if (in_sync()) {
    out.events.push_back(server_event::backup_lost);
  }
  if (parts_.witness && parts_.options.policy == degraded_policy::ack) {
    parts_.witness->remove();
  }
  tracker_.leave();
  follower_.reset();
  copy_.reset();
}

void active_role::resume(log_actions& out) noexcept {
  suspended_ = false;
  out.stream_copy = copy_.has_value();
}

void active_role::on_peer_writable(log_actions& out) {
  if (!copy_ || suspended_) {
    return;
  }
  const auto& past = parts_.state.past();
  copy_piece piece{.greeting = follower_->greeting};
  std::string rows;
  const auto most = parts_.options.piece;
  const auto ids_before = copy_->ids_at;
  if (!copy_->map.at_end()) {
    copy_->map.read(most, [&](const store::entry& e) {
      append_record(rows, map_record(e));
      return rows.size() < most;
    });
  } else if (!copy_->has_sessions) {
    piece.kind = copied::sessions;
    copy_->has_sessions = !past.clients().append_rows(copy_->sessions_at, most, rows);
  } else if (copy_->ids_at = past.ids().append_rows(ids_before, max_sequence,
                                                    1 + most / known_ids::row_size, rows);
             copy_->ids_at != ids_before) {
    piece.kind = copied::ids;
  } else if (!past.log().at_end(follower_->sent)) {
    piece.kind = copied::entries;
    rows = past.log().records(follower_->sent, most).bytes;
  } else {
    out.to_peer.push_back(make_message(copy_end{follower_->greeting, parts_.state.commit(),
                                                past.clients().forgotten(), past.reigns()}));
    copy_.reset();
    return;
  }
  if (!rows.empty()) {
    piece.rows = rows;
    out.to_peer.push_back(make_message(piece));
  }
  out.stream_copy = true;
}

// At most a window beyond the last confirmation.
void active_role::feed(log_actions& out) {
  if (!follower_ || copy_) {
    return;
  }
  auto& f = *follower_;
  const auto& log = parts_.state.past().log();
  const auto commit = parts_.state.commit();
  while (f.bytes < parts_.options.window) {
    const auto [records, last] = log.records(f.sent, parts_.options.piece);
    if (records.empty()) {
      break;
    }
    f.in_flight.push_back({last, records.size()});
    f.bytes += records.size();
    f.commit = commit;
    out.to_peer.push_back(make_message(entries{f.greeting, commit, records}));
  }
  if (f.commit != commit) {
    f.commit = commit;
    out.to_peer.push_back(make_message(entries{f.greeting, commit, {}}));
  }
}

void active_role::hand_over(log_actions& out) {
  if (!hands_over()) {
    handing_over_ = false;
    return;
  }
  if (!std::exchange(handing_over_, true)) {
    out.events.push_back(server_event::handing_over);
  }
  out.step_down = out.step_down || tracker_.confirmed() == parts_.state.end();
}

}  // namespace chp
