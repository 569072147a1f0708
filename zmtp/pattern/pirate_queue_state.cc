#include "zmtp/pattern/pirate_queue_state.h"

#include "zmtp/metadata.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace zmtp {

namespace {

// Nine bytes, of which the first is not zero. So a mark is not empty, and the Guide's queue does
// not take it for a command.
using mark_bytes = std::array<char, 9>;

mark_bytes bytes_of(std::uint64_t mark) noexcept {
  mark_bytes bytes{'z'};
  for (auto at = bytes.rbegin(); at != bytes.rend() - 1; ++at, mark >>= 8) {
    *at = static_cast<char>(mark & 0xff);
  }
  return bytes;
}

std::string_view view(const mark_bytes& bytes) noexcept { return {bytes.data(), bytes.size()}; }

}  // namespace

pirate_queue_state::pirate_queue_state(const pirate_queue_options& options,
                                       std::uint64_t first_mark)
    : options_{options},
      liveness_{options.heartbeat, options.liveness},
      waiting_{{options.waiting, options.waiting_bytes, options.unserved_timeout}, liveness_},
      next_mark_{first_mark} {}

void pirate_queue_state::on_worker_attached(peer_id worker, const metadata& properties) {
  workers_[worker].multipart = options_.multipart_for_all ||
                               options_.protocol == pirate_protocol::simple ||
                               find_extension(properties, multipart_name).has_value();
}

void pirate_queue_state::on_worker_message(peer_id worker, message&& m, time_point now,
                                           actions& out) {
  const auto found = workers_.find(worker);
  if (found == workers_.end()) {
    return;
  }
  auto& one = *found;
  const auto said = parse_pirate(m, options_.protocol);
  if (!said) {
    ++counters_.invalid_messages;
    out.events.emplace_back(pirate_event::invalid_message, worker);
    return;
  }
  const bool new_one = !one.second.registered;
  if (new_one && !enlist(one, *said, now, out)) {
    return;
  }
  one.second.last.received = now;
  switch (*said) {
    case pirate_kind::heartbeat: break;  // a busy worker remains busy
    case pirate_kind::ready:
      if (!one.second.resting && !new_one) {
        ++counters_.lost;  // the worker has restarted
        rest(one, now, out);
      }
      break;
    case pirate_kind::request:
      if (new_one || one.second.resting) {
        ++counters_.late_replies;
      } else if (m.front() == view(bytes_of(one.second.mark))) {
        take_reply(one, std::move(m), out);
        rest(one, now, out);
      } else {
        ++counters_.late_replies;
      }
      break;
  }
  if (new_one) {
    rest(one, now, out);
  }
}

// Registers the worker if possible. Returns whether it is registered.
bool pirate_queue_state::enlist(entry& one, pirate_kind said, time_point now, actions& out) {
  if (options_.strict_ready && said != pirate_kind::ready) {
    return false;
  }
  if (registered_ >= options_.workers) {
    ++counters_.workers_refused;
    return false;
  }
  ++registered_;
  waiting_.count_worker(one.second.multipart, 1, now);
  one.second.registered = true;
  one.second.last.sent = now;
  out.events.emplace_back(pirate_event::worker_ready, one.first);
  return true;
}

void pirate_queue_state::take_reply(entry& one, message&& m, actions& out) {
  m.pop_front();
  // The queue sent only the mark as the address stack.
  if (!m.front().empty()) {
    ++counters_.invalid_messages;
    out.events.emplace_back(pirate_event::invalid_message, one.first);
    return;
  }
  m.pop_front();
  m.prepend(one.second.envelope);
  ++counters_.replies;
  out.to_clients.emplace_back(one.second.client, std::move(m));
}

// Assigns the oldest suitable request to the worker, or makes the worker idle.
void pirate_queue_state::rest(entry& one, time_point now, actions& out) {
  one.second.envelope.clear();
  if (auto next = waiting_.take(one.second.multipart, out.resume)) {
    give(one, std::move(*next), now, out);
    return;
  }
  one.second.resting = idle_.insert(idle_.end(), one.first);
  set_due(one, due_of(one.second));
}

void pirate_queue_state::give(entry& one, pirate_waiting_state::request&& what, time_point now,
                              actions& out) {
  auto& to = one.second;
  if (to.resting) {
    idle_.erase(*to.resting);
    to.resting.reset();
  }
  to.mark = next_mark_++;
  to.client = what.client;
  to.envelope = std::move(what.envelope);
  to.last.sent = now;
  set_due(one, options_.busy_timeout ? std::optional{now + *options_.busy_timeout} : std::nullopt);
  ++counters_.requests;
  const auto mark = bytes_of(to.mark);
  wrap_pirate(what.body, message{view(mark), std::string_view{}}, options_.protocol);
  out.to_workers.emplace_back(one.first, std::move(what.body));
}

bool pirate_queue_state::takes(const worker_record& one,
                               const pirate_waiting_state::request& what) const noexcept {
  return one.multipart || !what.has_several_parts();
}

void pirate_queue_state::on_worker_detached(peer_id worker, time_point now, actions& out) {
  const auto found = workers_.find(worker);
  if (found == workers_.end()) {
    return;
  }
  if (found->second.registered) {
    counters_.lost += found->second.resting ? 0 : 1;
    out.events.emplace_back(pirate_event::worker_lost, worker);
    strike_off(*found, now);
  }
  workers_.erase(found);
}

void pirate_queue_state::strike_off(entry& one, time_point now) noexcept {
  if (one.second.resting) {
    idle_.erase(*one.second.resting);
    one.second.resting.reset();
  }
  set_due(one, std::nullopt);
  one.second.envelope.clear();
  one.second.registered = false;
  --registered_;
  waiting_.count_worker(one.second.multipart, -1, now);
}

void pirate_queue_state::on_not_taken(peer_id worker, message&& m, time_point now, actions& out) {
  const auto found = workers_.find(worker);
  if (found == workers_.end() || !found->second.registered) {
    return;
  }
  auto& one = *found;
  const auto said = parse_pirate(m, options_.protocol);
  if (said == pirate_kind::request && !one.second.resting &&
      m.front() == view(bytes_of(one.second.mark))) {
    --counters_.requests;
    static_cast<void>(take_front(m, 2));
    pirate_waiting_state::request back{one.second.client, std::move(one.second.envelope),
                                       std::move(m)};
    out.events.emplace_back(pirate_event::worker_lost, worker);
    strike_off(one, now);
    const auto other = std::find_if(idle_.begin(), idle_.end(),
                                    [&](peer_id id) { return takes(workers_.at(id), back); });
    if (other != idle_.end()) {
      give(*workers_.find(*other), std::move(back), now, out);
    } else {
      waiting_.push_front(std::move(back), now);
    }
  } else {
    out.events.emplace_back(pirate_event::worker_lost, worker);
    strike_off(one, now);
  }
}

void pirate_queue_state::on_client_message(peer_id client, message&& m, time_point now,
                                           actions& out) {
  const auto size = envelope_size(m);
  if (size == 0) {
    ++counters_.invalid_requests;
    return;
  }
  pirate_waiting_state::request what{client, take_front(m, size), std::move(m)};
  const auto free = std::find_if(idle_.begin(), idle_.end(),
                                 [&](peer_id id) { return takes(workers_.at(id), what); });
  if (free != idle_.end()) {
    give(*workers_.find(*free), std::move(what), now, out);
  } else if (waiting_.push(std::move(what), now)) {
    out.pause.push_back(client);
  }
}

void pirate_queue_state::on_client_detached(peer_id client, actions& out) {
  counters_.abandoned += waiting_.drop(client, out.resume);
}

// For an idle worker. Messages only update a time, and the deadline is computed again when it is
// due.
std::optional<pirate_queue_state::time_point> pirate_queue_state::due_of(
    const worker_record& one) const noexcept {
  if (options_.protocol == pirate_protocol::simple) {
    return std::nullopt;
  }
  return std::min(liveness_.heartbeat_at(one.last), liveness_.dead_at(one.last));
}

void pirate_queue_state::set_due(entry& one, std::optional<time_point> due) {
  if (one.second.due) {
    deadlines_.erase({*one.second.due, one.first});
  }
  if (due) {
    deadlines_.emplace(*due, one.first);
  }
  one.second.due = due;
}

std::optional<pirate_queue_state::time_point> pirate_queue_state::next_deadline() const noexcept {
  const auto of_requests = waiting_.next_deadline();
  if (deadlines_.empty()) {
    return of_requests;
  }
  const auto of_workers = deadlines_.begin()->first;
  return of_requests ? std::min(*of_requests, of_workers) : of_workers;
}

void pirate_queue_state::on_deadline(time_point now, actions& out) {
  if (const auto due = next_deadline()) {
    liveness_.on_deadline(*due, now);
  }
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    auto& one = *workers_.find(deadlines_.begin()->second);
    const auto end = one.second.resting ? liveness_.dead_at(one.second.last)
                                        : liveness_.verdict_at(*one.second.due);
    if (end <= now) {
      expire(one, now, out);
      continue;
    }
    if (!one.second.resting) {
      set_due(one, end);
      continue;
    }
    if (liveness_.heartbeat_at(one.second.last) <= now) {
      one.second.last.sent = now;
      out.to_workers.emplace_back(one.first, make_heartbeat());
    }
    set_due(one, due_of(one.second));
  }
  while (const auto expired = waiting_.take_expired(now, out.resume)) {
    ++counters_.expired;
    out.events.emplace_back(
        registered_ == 0 ? pirate_event::request_unserved : pirate_event::request_unsuitable,
        expired->client);
  }
}

void pirate_queue_state::expire(entry& one, time_point now, actions& out) {
  counters_.lost += one.second.resting ? 0 : 1;
  ++counters_.workers_expired;
  out.events.emplace_back(pirate_event::worker_expired, one.first);
  strike_off(one, now);
}

}  // namespace zmtp
