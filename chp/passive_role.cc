#include "chp/passive_role.h"

#include "chp/lost_lines.h"

#include <algorithm>
#include <utility>

namespace chp {

namespace {
constexpr std::size_t lost_at_once = 1'000;  // entries of the log and of the map
}  // namespace

void passive_role::greet(std::uint64_t greeting, log_actions& out) {
  leave();
  if (stopped_ || parts_.state.store_failed()) {
    out.close_peer = true;  // a server that can confirm nothing does not follow
    return;
  }
  greeting_ = greeting;
  const auto& state = parts_.state;
  out.to_peer.push_back(
      make_message(hello{greeting, state.end(), state.durable(), state.lacks_data(), state.member(),
                         state.past().reigns(), state.has_store()}));
}

void passive_role::leave() noexcept {
  greeting_.reset();
  following_ = false;
  copy_.reset();
  lost_.reset();
  confirmed_ = 0;
  named_commit_ = 0;
}

void passive_role::propose(const proposal& p) {
  if (p.id.has_session() || p.id.empty() || p.fault != errc{} ||
      parts_.state.past().ids().contains(p.id)) {
    ++parts_.counters.deferred;
    return;
  }
  parts_.counters.waiting_dropped +=
      parts_.waiting.add({.kind = p.erases ? entry_kind::erasure : entry_kind::set,
                          .id = p.id,
                          .ttl = p.ttl,
                          .key = p.key,
                          .properties = p.properties,
                          .value = p.value});
}

bool passive_role::refuse(errc why) noexcept {
  parts_.refuse(why);
  return false;
}

bool passive_role::on(const follow& message, log_actions& out) {
  if (message.greeting != greeting_ || following_ || copy_) {
    return true;
  }
  auto& state = parts_.state;
  const bool has_more = state.end() > message.common;
  if (has_more && !message.is_copy) {
    return refuse(errc::entry_out_of_order);
  }
  if (has_more && std::min(state.both(), state.end()) > message.common && !discard_) {
    stopped_ = true;
    leave();
    out.close_peer = true;
    out.events.push_back(server_event::stopped);
    return true;
  }
  if (!has_more) {
    // If it is above the end, this server may have lost what both had. It must not become active
    // with a part of it. A server that has more decides later, with the copy.
    state.raise_needed(message.needed);
  }
  peer_has_store_ = message.has_store;
  if (!message.is_copy) {
    following_ = true;
    out.events.push_back(server_event::synchronized);
    return true;
  }
  copy_.emplace(copy{state.make_history(), message.start});
  copy_->built->begin_log(message.start, 0);
  if (has_more) {
    const auto& log = state.past().log();
    const bool is_trimmed = log.start() > message.common;
    lost_.emplace(lost_reader{message.common, log.after(std::max(message.common, log.start()))});
    if (is_trimmed) {
      lost_->map.emplace(state.past().map().open_snapshot());
    }
    const auto own = state.past().reigns().last();
    out.lost = lost_updates{message.greeting, message.common, own.epoch, own.tag, is_trimmed};
    out.events.push_back(server_event::diverged);
  }
  return true;
}

lost_read passive_role::read_lost(const lost_updates& which, std::string& lines, std::size_t most) {
  if (!needs(which)) {
    return lost_read::abandoned;
  }
  const auto limit = lines.size() + most;
  const auto& log = parts_.state.past().log();
  // Most keys of a large map have no line.
  std::size_t left = lost_at_once;
  for (log_entry next; left != 0 && lines.size() < limit && log.read(lost_->log_at, next); --left) {
    lost_->lines += append_lost(lines, next);
  }
  if (!log.at_end(lost_->log_at)) {
    return lost_read::more;
  }
  if (!lost_->map || lost_->map->at_end()) {
    return lost_read::end;
  }
  lost_->map->read(left, [&](const store::entry& e) {
    // The log has the later ones.
    if (e.number() > lost_->common && e.number() <= log.start()) {
      lost_->lines += append_lost(lines, map_record(e));
    }
    return lines.size() < limit;
  });
  return lost_read::more;
}

void passive_role::on_lost_written(const lost_updates& which, boost::system::error_code ec,
                                   log_actions& out) {
  if (!needs(which)) {
    return;
  }
  const auto lines = lost_->lines;
  lost_.reset();
  if (ec) {
    // Without the file nothing is taken out of the history.
    leave();
    out.close_peer = true;
    return;
  }
  parts_.counters.lost += lines;
  install(out);
}

bool passive_role::on(const copy_piece& message, time_point now) {
  if (message.greeting != greeting_ || !copy_) {
    return true;
  }
  auto& built = *copy_->built;
  errc fault{};
  switch (message.kind) {
    case copied::map: fault = built.add_map(message.rows, now); break;
    case copied::sessions: fault = built.add_sessions(message.rows); break;
    case copied::ids: fault = built.add_ids(message.rows); break;
    case copied::entries: fault = built.add_entries(message.rows); break;
  }
  return fault == errc{} || refuse(fault);
}

bool passive_role::on(const copy_end& message, log_actions& out) {
  if (message.greeting != greeting_ || !copy_ || copy_->end) {
    return true;
  }
  copy_->built->clients().raise_forgotten(message.forgotten);
  if (const auto fault = copy_->built->finish(message.reigns, copy_->start); fault != errc{}) {
    return refuse(fault);
  }
  copy_->end = message;
  install(out);
  return true;
}

// Replaces everything, when the copy is complete and the file of lost updates is on the disk.
void passive_role::install(log_actions& out) {
  if (!copy_ || !copy_->end || lost_) {
    return;
  }
  discard_ = false;
  parts_.state.replace(std::move(copy_->built), copy_->end->commit);
  named_commit_ = parts_.state.commit();
  copy_.reset();
  following_ = true;
  out.events.push_back(server_event::synchronized);
}

bool passive_role::on(const entries& message) {
  if (message.greeting != greeting_) {
    return true;
  }
  auto& state = parts_.state;
  auto& past = copy_ && copy_->end ? *copy_->built : state.past();
  if (!following_ && !(copy_ && copy_->end)) {
    return true;
  }
  for (auto rest = message.records; !rest.empty();) {
    const auto e = parse_record(rest);
    if (!e) {
      return refuse(e.error());
    }
    if (e->number <= past.end()) {
      continue;
    }
    if (const auto fault = past.check_next(*e); fault != errc{}) {
      return refuse(fault);
    }
    if (following_) {
      state.append(*e);
    } else {
      past.append(*e);
    }
    ++parts_.counters.followed;
    parts_.waiting.remove(e->id);
  }
  if (!following_) {
    copy_->end->commit = std::max(copy_->end->commit, message.commit);
    return true;
  }
  named_commit_ = std::min(message.commit, state.end());
  state.raise_commit(named_commit_);
  return true;
}

void passive_role::end_turn(time_point now, log_actions& out) {
  auto& state = parts_.state;
  if (state.store_failed() && greeting_) {
    leave();
    out.close_peer = true;
  }
  if (!following_) {
    return;
  }
  // The disk of the active server has all entries that it calls committed. So both have them once the
  // own disk has. Commits of an own reign say nothing about the peer.
  state.raise_both(std::min(named_commit_, state.durable()), peer_has_store_);
  const auto& past = state.past();
  state.publish(past.log().step(past.published(), state.commit(), published_at_once), now,
                [](const log_entry&, bool) {});
  state.trim(state.commit(), trimmed_to::half);
  if (const auto have = state.durable(); have > confirmed_) {
    confirmed_ = have;
    out.to_peer.push_back(make_message(confirmation{*greeting_, have}));
  }
}

std::optional<passive_role::time_point> passive_role::next_deadline() const noexcept {
  const bool goes_on = following_ && parts_.state.past().published() < parts_.state.commit();
  return goes_on ? std::optional{time_point{}} : std::nullopt;
}

}  // namespace chp
