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
      liveness_{options.heartbeat_interval, options.liveness},
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
  count_worker(one.second, 1, now);
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
  line* next = nullptr;
  for (auto& each : lines_) {
    if (!each.requests.empty() && takes(one.second, each.requests.front()) &&
        (next == nullptr || each.requests.front().number < next->requests.front().number)) {
      next = &each;
    }
  }
  if (next != nullptr) {
    give(one, leave_front(*next, out), now, out);
    return;
  }
  one.second.resting = idle_.insert(idle_.end(), one.first);
  set_due(one, due_of(one.second));
}

void pirate_queue_state::give(entry& one, request&& what, time_point now, actions& out) {
  auto& to = one.second;
  if (to.resting) {
    idle_.erase(*to.resting);
    to.resting.reset();
  }
  to.mark = next_mark_++;
  to.client = what.client;
  to.envelope = std::move(what.envelope);
  to.last.sent = now;
  set_due(one,
          options_.busy_deadline ? std::optional{now + *options_.busy_deadline} : std::nullopt);
  ++counters_.requests;
  const auto mark = bytes_of(to.mark);
  wrap_pirate(what.body, message{view(mark), std::string_view{}}, options_.protocol);
  out.to_workers.emplace_back(one.first, std::move(what.body));
}

bool pirate_queue_state::takes(const worker_record& one, const request& what) const noexcept {
  return one.multipart || what.body.part_count() == 1;
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
  count_worker(one.second, -1, now);
}

void pirate_queue_state::count_worker(const worker_record& one, int change,
                                      time_point now) noexcept {
  auto& [single, several] = lines_;
  for (auto* each : {&single, one.multipart ? &several : nullptr}) {
    if (each != nullptr) {
      each->workers += static_cast<std::size_t>(change);
      each->unserved_since = now;
    }
  }
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
    request back{one.second.client, std::move(one.second.envelope), std::move(m)};
    out.events.emplace_back(pirate_event::worker_lost, worker);
    strike_off(one, now);
    const auto other = std::find_if(idle_.begin(), idle_.end(),
                                    [&](peer_id id) { return takes(workers_.at(id), back); });
    if (other != idle_.end()) {
      give(*workers_.find(*other), std::move(back), now, out);
    } else {
      wait_for_worker(std::move(back), true, now);
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
  request what{client, take_front(m, size), std::move(m)};
  const auto free = std::find_if(idle_.begin(), idle_.end(),
                                 [&](peer_id id) { return takes(workers_.at(id), what); });
  if (free != idle_.end()) {
    give(*workers_.find(*free), std::move(what), now, out);
  } else {
    wait_for_worker(std::move(what), false, now);
    if (full() && paused_.insert(client).second) {
      out.pause.push_back(client);
    }
  }
}

pirate_queue_state::line& pirate_queue_state::line_of(const request& what) noexcept {
  return lines_[what.body.part_count() == 1 ? 0 : 1];
}

void pirate_queue_state::wait_for_worker(request&& what, bool in_front, time_point now) {
  what.bytes = what.body.memory_size() + what.envelope.memory_size();
  what.since = now;
  what.number = in_front ? 0 : ++last_number_;
  ++waiting_;
  waiting_bytes_ += what.bytes;
  ++waiting_of_[what.client];
  auto& requests = line_of(what).requests;
  if (in_front) {
    requests.push_front(std::move(what));
  } else {
    requests.push_back(std::move(what));
  }
}

pirate_queue_state::request pirate_queue_state::leave_front(line& of, actions& out) {
  auto what = std::move(of.requests.front());
  of.requests.pop_front();
  leave(what, out);
  return what;
}

// Counts a request that leaves its line. Resumes clients that may have another pending request now.
void pirate_queue_state::leave(const request& what, actions& out) {
  --waiting_;
  waiting_bytes_ -= what.bytes;
  if (const auto own = waiting_of_.find(what.client); --own->second == 0) {
    waiting_of_.erase(own);
    if (paused_.erase(what.client) != 0) {
      out.resume.push_back(what.client);
    }
  }
  if (roomy()) {
    out.resume.insert(out.resume.end(), paused_.begin(), paused_.end());
    paused_.clear();
  }
}

void pirate_queue_state::on_client_detached(peer_id client, actions& out) {
  // A disconnected client is not resumed.
  paused_.erase(client);
  if (!waiting_of_.contains(client)) {
    return;
  }
  for (auto& each : lines_) {
    std::erase_if(each.requests, [&](const request& r) {
      if (r.client != client) {
        return false;
      }
      ++counters_.abandoned;
      leave(r, out);
      return true;
    });
  }
}

bool pirate_queue_state::full() const noexcept {
  return waiting_ >= options_.waiting || waiting_bytes_ >= options_.waiting_bytes;
}

// Returns true well below the limits, so that a full queue does not pause and resume for each
// request.
bool pirate_queue_state::roomy() const noexcept {
  const auto level = [](std::size_t limit) { return limit - limit / 4; };
  return waiting_ < level(options_.waiting) && waiting_bytes_ < level(options_.waiting_bytes);
}

// Returns when the oldest request of the line expires, if no suitable worker connects.
std::optional<pirate_queue_state::time_point> pirate_queue_state::expiry_of(
    const line& one) const noexcept {
  if (one.workers != 0 || one.requests.empty()) {
    return std::nullopt;
  }
  const auto since = std::max(one.requests.front().since, one.unserved_since);
  return liveness_.verdict_at(since + options_.unserved_expiry);
}

void pirate_queue_state::expire_requests(time_point now, actions& out) {
  for (auto& each : lines_) {
    for (auto due = expiry_of(each); due && *due <= now; due = expiry_of(each)) {
      ++counters_.expired;
      out.events.emplace_back(
          registered_ == 0 ? pirate_event::request_unserved : pirate_event::request_unsuitable,
          leave_front(each, out).client);
    }
  }
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
  std::optional<time_point> first;
  const auto consider = [&](std::optional<time_point> due) {
    if (due && (!first || *due < *first)) {
      first = due;
    }
  };
  consider(deadlines_.empty() ? std::nullopt : std::optional{deadlines_.begin()->first});
  for (const auto& each : lines_) {
    consider(expiry_of(each));
  }
  return first;
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
  expire_requests(now, out);
}

void pirate_queue_state::expire(entry& one, time_point now, actions& out) {
  counters_.lost += one.second.resting ? 0 : 1;
  ++counters_.workers_expired;
  out.events.emplace_back(pirate_event::worker_expired, one.first);
  strike_off(one, now);
}

}  // namespace zmtp
