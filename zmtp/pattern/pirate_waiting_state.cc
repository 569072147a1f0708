#include "zmtp/pattern/pirate_waiting_state.h"

#include <algorithm>
#include <utility>

namespace zmtp {

void pirate_waiting_state::count_worker(bool multipart, int change, time_point now) noexcept {
  auto& [single, several] = lines_;
  for (auto* each : {&single, multipart ? &several : nullptr}) {
    if (each != nullptr) {
      each->workers += static_cast<std::size_t>(change);
      each->unserved_since = now;
    }
  }
}

bool pirate_waiting_state::push(request&& what, time_point now) {
  const auto client = what.client;
  add(std::move(what), false, now);
  return full() && paused_.insert(client).second;
}

void pirate_waiting_state::push_front(request&& what, time_point now) {
  add(std::move(what), true, now);
}

void pirate_waiting_state::add(request&& what, bool in_front, time_point now) {
  const auto bytes = what.body.memory_size() + what.envelope.memory_size();
  ++size_;
  bytes_ += bytes;
  ++per_client_[what.client];
  auto& requests = lines_[what.has_several_parts() ? 1 : 0].requests;
  waiting added{std::move(what), bytes, now, in_front ? 0 : ++last_number_};
  if (in_front) {
    requests.push_front(std::move(added));
  } else {
    requests.push_back(std::move(added));
  }
}

std::optional<pirate_waiting_state::request> pirate_waiting_state::take(
    bool multipart, std::vector<peer_id>& resume) {
  auto& [single, several] = lines_;
  line* next = single.requests.empty() ? nullptr : &single;
  if (multipart && !several.requests.empty() &&
      (next == nullptr || several.requests.front().number < next->requests.front().number)) {
    next = &several;
  }
  return next != nullptr ? std::optional{take_front(*next, resume)} : std::nullopt;
}

pirate_waiting_state::request pirate_waiting_state::take_front(line& of,
                                                               std::vector<peer_id>& resume) {
  auto what = std::move(of.requests.front());
  of.requests.pop_front();
  leave(what, resume);
  return what;
}

// Counts a request that leaves its line. Resumes clients that may have another one now.
void pirate_waiting_state::leave(const waiting& what, std::vector<peer_id>& resume) {
  --size_;
  bytes_ -= what.bytes;
  if (const auto own = per_client_.find(what.client); --own->second == 0) {
    per_client_.erase(own);
    if (paused_.erase(what.client) != 0) {
      resume.push_back(what.client);
    }
  }
  if (roomy()) {
    resume.insert(resume.end(), paused_.begin(), paused_.end());
    paused_.clear();
  }
}

std::size_t pirate_waiting_state::drop(peer_id client, std::vector<peer_id>& resume) {
  // A disconnected client is not resumed.
  paused_.erase(client);
  if (!per_client_.contains(client)) {
    return 0;
  }
  std::size_t dropped = 0;
  for (auto& each : lines_) {
    dropped += std::erase_if(each.requests, [&](const waiting& r) {
      if (r.client != client) {
        return false;
      }
      leave(r, resume);
      return true;
    });
  }
  return dropped;
}

bool pirate_waiting_state::full() const noexcept {
  return size_ >= limit_.requests || bytes_ >= limit_.bytes;
}

// Returns true well below the limits, so that a full queue does not pause and resume for each
// request.
bool pirate_waiting_state::roomy() const noexcept {
  const auto level = [](std::size_t limit) { return limit - limit / 4; };
  return size_ < level(limit_.requests) && bytes_ < level(limit_.bytes);
}

// Returns when the oldest request of the line expires, if no suitable worker connects.
std::optional<pirate_waiting_state::time_point> pirate_waiting_state::expiry_of(
    const line& one) const noexcept {
  if (one.workers != 0 || one.requests.empty()) {
    return std::nullopt;
  }
  const auto since = std::max(one.requests.front().since, one.unserved_since);
  return liveness_.verdict_at(since + limit_.unserved_timeout);
}

std::optional<pirate_waiting_state::time_point> pirate_waiting_state::next_deadline()
    const noexcept {
  const auto single = expiry_of(lines_[0]);
  const auto several = expiry_of(lines_[1]);
  return single && several ? std::min(single, several) : std::max(single, several);
}

std::optional<pirate_waiting_state::request> pirate_waiting_state::take_expired(
    time_point now, std::vector<peer_id>& resume) {
  for (auto& each : lines_) {
    if (const auto due = expiry_of(each); due && *due <= now) {
      return take_front(each, resume);
    }
  }
  return std::nullopt;
}

}  // namespace zmtp
