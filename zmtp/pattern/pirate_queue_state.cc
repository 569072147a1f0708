#include "zmtp/pattern/pirate_queue_state.h"

#include "zmtp/extensions.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace zmtp {

namespace {

using namespace std::chrono_literals;

pirate_queue_options workable(pirate_queue_options options) noexcept {
  options.heartbeat_interval = std::max(options.heartbeat_interval, 1ms);
  options.liveness = std::max(options.liveness, 1U);
  return options;
}

// Nine octets, the first not zero: neither empty nor what a Guide's queue takes for a command.
using mark_octets = std::array<char, 9>;

mark_octets octets_of(std::uint64_t mark) noexcept {
  mark_octets octets{'z'};
  for (auto at = octets.rbegin(); at != octets.rend() - 1; ++at, mark >>= 8) {
    *at = static_cast<char>(mark & 0xff);
  }
  return octets;
}

std::string_view view(const mark_octets& octets) noexcept { return {octets.data(), octets.size()}; }

}  // namespace

pirate_queue_state::pirate_queue_state(const pirate_queue_options& options,
                                       std::uint64_t first_mark)
    : options_{workable(options)}, next_mark_{first_mark} {}

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
  one.second.heard_at = now;
  switch (*said) {
    case pirate_kind::heartbeat: break;  // who is busy remains so
    case pirate_kind::ready:
      if (!one.second.resting && !new_one) {
        ++counters_.lost;  // it has begun anew
        rest(one, now, out);
      }
      break;
    case pirate_kind::request:
      if (new_one || one.second.resting) {
        ++counters_.late_replies;
      } else if (m.front() == view(octets_of(one.second.mark))) {
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

// Whether it is a worker now.
bool pirate_queue_state::enlist(entry& one, pirate_kind said, time_point now, actions& out) {
  if (options_.strict_ready && said != pirate_kind::ready) {
    return false;
  }
  if (registered_ >= options_.workers) {
    ++counters_.workers_refused;
    return false;
  }
  ++registered_;
  one.second.registered = true;
  one.second.told_at = now;
  out.events.emplace_back(pirate_event::worker_ready, one.first);
  return true;
}

void pirate_queue_state::take_reply(entry& one, message&& m, actions& out) {
  m.pop_front();
  // Of the stack only the mark was given.
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

// Gives the worker the request that waits longest, or lets it rest.
void pirate_queue_state::rest(entry& one, time_point now, actions& out) {
  one.second.envelope.clear();
  const auto next = std::find_if(line_.begin(), line_.end(),
                                 [&](const request& r) { return takes(one.second, r); });
  if (next != line_.end()) {
    auto what = std::move(*next);
    leave_line(next);
    give(one, std::move(what), now, out);
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
  to.told_at = now;
  set_due(one,
          options_.busy_deadline ? std::optional{now + *options_.busy_deadline} : std::nullopt);
  ++counters_.requests;
  const auto mark = octets_of(to.mark);
  wrap_pirate(what.body, message{view(mark), std::string_view{}}, options_.protocol);
  out.to_workers.emplace_back(one.first, std::move(what.body));
}

bool pirate_queue_state::takes(const worker_record& one, const request& what) const noexcept {
  return one.multipart || what.body.part_count() == 1;
}

void pirate_queue_state::on_worker_detached(peer_id worker, actions& out) {
  const auto found = workers_.find(worker);
  if (found == workers_.end()) {
    return;
  }
  if (found->second.registered) {
    counters_.lost += found->second.resting ? 0 : 1;
    out.events.emplace_back(pirate_event::worker_lost, worker);
    strike_off(*found);
  }
  workers_.erase(found);
}

void pirate_queue_state::strike_off(entry& one) noexcept {
  if (one.second.resting) {
    idle_.erase(*one.second.resting);
    one.second.resting.reset();
  }
  set_due(one, std::nullopt);
  one.second.envelope.clear();
  one.second.registered = false;
  --registered_;
}

void pirate_queue_state::on_not_taken(peer_id worker, message&& m, time_point now, actions& out) {
  const auto found = workers_.find(worker);
  if (found == workers_.end() || !found->second.registered) {
    return;
  }
  auto& one = *found;
  const auto said = parse_pirate(m, options_.protocol);
  if (said == pirate_kind::request && !one.second.resting &&
      m.front() == view(octets_of(one.second.mark))) {
    --counters_.requests;
    static_cast<void>(take_front(m, 2));
    request back{one.second.client, std::move(one.second.envelope), std::move(m)};
    out.events.emplace_back(pirate_event::worker_lost, worker);
    strike_off(one);
    const auto other = std::find_if(idle_.begin(), idle_.end(),
                                    [&](peer_id id) { return takes(workers_.at(id), back); });
    if (other != idle_.end()) {
      give(*workers_.find(*other), std::move(back), now, out);
    } else {
      wait_for_worker(std::move(back), true);
    }
  } else {
    out.events.emplace_back(pirate_event::worker_lost, worker);
    strike_off(one);
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
    wait_for_worker(std::move(what), false);
  }
}

void pirate_queue_state::wait_for_worker(request&& what, bool in_front) {
  what.octets = what.body.memory_size() + what.envelope.memory_size();
  line_octets_ += what.octets;
  if (in_front) {
    line_.push_front(std::move(what));
  } else {
    line_.push_back(std::move(what));
  }
}

void pirate_queue_state::leave_line(std::deque<request>::iterator which) {
  line_octets_ -= which->octets;
  line_.erase(which);
}

void pirate_queue_state::on_client_detached(peer_id client) {
  for (auto at = line_.begin(); at != line_.end();) {
    if (at->client == client) {
      ++counters_.abandoned;
      const auto index = at - line_.begin();
      leave_line(at);
      at = line_.begin() + index;
    } else {
      ++at;
    }
  }
}

bool pirate_queue_state::wants_requests() const noexcept {
  return (!idle_.empty() && line_.empty()) ||
         (line_.size() < options_.waiting && line_octets_ < options_.waiting_octets);
}

pirate_queue_state::time_point pirate_queue_state::dead_at(
    const worker_record& one) const noexcept {
  return std::max(one.heard_at + options_.heartbeat_interval * options_.liveness, judge_from_);
}

// Of an idle one. It is only noted when it was heard or told; its deadline is looked at again when due.
std::optional<pirate_queue_state::time_point> pirate_queue_state::due_of(
    const worker_record& one) const noexcept {
  if (options_.protocol == pirate_protocol::simple) {
    return std::nullopt;
  }
  return std::min(one.told_at + options_.heartbeat_interval, dead_at(one));
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
  return deadlines_.empty() ? std::nullopt : std::optional{deadlines_.begin()->first};
}

void pirate_queue_state::on_deadline(time_point now, actions& out) {
  if (const auto due = next_deadline(); due && now - *due > options_.heartbeat_interval) {
    judge_from_ = now + options_.heartbeat_interval;
  }
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    auto& one = *workers_.find(deadlines_.begin()->second);
    if (one.second.resting ? dead_at(one.second) <= now : judge_from_ <= now) {
      expire(one, out);
      continue;
    }
    if (!one.second.resting) {
      set_due(one, judge_from_);
      continue;
    }
    if (one.second.told_at + options_.heartbeat_interval <= now) {
      one.second.told_at = now;
      out.to_workers.emplace_back(one.first, make_heartbeat());
    }
    set_due(one, due_of(one.second));
  }
}

void pirate_queue_state::expire(entry& one, actions& out) {
  counters_.lost += one.second.resting ? 0 : 1;
  ++counters_.workers_expired;
  out.events.emplace_back(pirate_event::worker_expired, one.first);
  strike_off(one);
}

}  // namespace zmtp
