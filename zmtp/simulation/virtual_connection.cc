#include "zmtp/simulation/virtual_connection.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace zmtp::simulation {

namespace {

using std::chrono::milliseconds;

// Segments of one write, at most: each is an event.
constexpr std::size_t most_segments = 4;

}  // namespace

virtual_connection::virtual_connection(run_state& in, std::uint64_t id,
                                       const stream_options& options, simulated_host& connecting,
                                       simulated_host& accepting)
    : state_{&in}, id_{id}, options_{options} {
  ends_[0].host = &connecting;
  ends_[1].host = &accepting;
}

void virtual_connection::note(std::string_view what, end_of_stream e, std::size_t figure) {
  state_->note(what, {id_, static_cast<std::uint64_t>(e), figure});
}

std::size_t virtual_connection::room(end_of_stream from) const noexcept {
  const auto& e = at(from);
  return std::min(options_.window - std::min(options_.window, e.taken - e.read),
                  e.taken_limit - e.taken);
}

std::size_t virtual_connection::waiting(end_of_stream e) const noexcept {
  const auto& from = at(other(e));
  return from.arrived.size() - from.unread_from;
}

bool virtual_connection::readable(end_of_stream e) const noexcept {
  return waiting(e) != 0 || at(other(e)).ended || at(e).lost;
}

bool virtual_connection::writable(end_of_stream e) const noexcept {
  return room(e) != 0 || at(e).lost;
}

bool virtual_connection::alive() const noexcept {
  return !cut_ && !ends_[0].closed && !ends_[1].closed && !ends_[0].lost && !ends_[1].lost;
}

virtual_connection::transferred virtual_connection::write_some(end_of_stream e,
                                                               std::span<const piece> pieces) {
  auto& own = at(e);
  if (own.lost || own.shut) {
    return {.why_none = fault::lost};
  }
  std::size_t offered = 0;
  for (const auto& p : pieces) {
    offered += p.size();
  }
  auto count = std::min(offered, room(e));
  if (count == 0) {
    return {.why_none = fault::would_block};
  }
  if (options_.cuts && state_->random.chance(20)) {
    count = state_->random.between(1, count);
  }
  std::string bytes;
  bytes.reserve(count);
  for (const auto& p : pieces) {
    const auto taken = std::min(p.size(), count - bytes.size());
    bytes.append(reinterpret_cast<const char*>(p.data()), taken);
  }
  own.taken += count;
  note("write: stream, end, bytes", e, count);
  if (cut_ || at(other(e)).closed) {
    // No host answers, or a host that does not know the connection.
    const auto wait = cut_ ? milliseconds{state_->random.between(200, 2000)} : options_.delay;
    learn_after(e, wait);
  } else {
    send(e, std::move(bytes));
  }
  if (own.taken == own.taken_limit) {
    cut(options_.delay, options_.delay);
  }
  return {.count = count};
}

event_queue::time_point virtual_connection::next_arrival(end& from) {
  auto wait = options_.delay;
  if (options_.jitter.count() != 0) {
    const auto most = static_cast<std::size_t>(options_.jitter.count());
    wait += event_queue::duration{static_cast<std::int64_t>(state_->random.pick(most))};
  }
  from.last_arrival = std::max(from.last_arrival, state_->events.now() + wait);
  return from.last_arrival;
}

void virtual_connection::send(end_of_stream from, std::string bytes) {
  auto& own = at(from);
  std::size_t segments = 1;
  if (options_.cuts && bytes.size() > 1 && state_->random.chance(40)) {
    segments = state_->random.between(2, most_segments);
  }
  std::size_t begin = 0;
  while (begin < bytes.size()) {
    const auto rest = bytes.size() - begin;
    const auto size = --segments == 0 || rest == 1 ? rest : state_->random.between(1, rest - 1);
    own.under_way.push_back(bytes.substr(begin, size));
    begin += size;
    state_->events.at(next_arrival(own), [self = shared_from_this(), from] { self->arrive(from); });
    if (segments == 0) {
      return;
    }
  }
}

void virtual_connection::arrive(end_of_stream from) {
  auto& own = at(from);
  if (cut_ || own.under_way.empty() || keep_back(from, {&virtual_connection::arrive, from})) {
    return;
  }
  auto bytes = std::move(own.under_way.front());
  own.under_way.pop_front();
  const bool last = bytes.size() >= own.arrive_limit - own.reached;
  bytes.resize(std::min(bytes.size(), own.arrive_limit - own.reached));
  own.reached += bytes.size();
  if (!at(other(from)).held_back) {
    own.known = own.reached;
  }
  note("arrive: stream, end it came from, bytes", from, bytes.size());
  if (!at(other(from)).closed) {
    own.arrived += bytes;
  }
  if (last) {
    cut(options_.delay, options_.delay);
  }
  wake(other(from));
}

virtual_connection::transferred virtual_connection::read_some(end_of_stream e,
                                                              std::span<std::byte> to) {
  auto& from = at(other(e));
  auto count = std::min(to.size(), waiting(e));
  if (count == 0) {
    return {.why_none = at(e).lost ? fault::lost : from.ended ? fault::ended : fault::would_block};
  }
  if (options_.cuts && state_->random.chance(20)) {
    count = state_->random.between(1, count);
  }
  std::memcpy(to.data(), from.arrived.data() + from.unread_from, count);
  from.unread_from += count;
  from.read += count;
  if (from.unread_from == from.arrived.size()) {
    from.arrived.clear();
    from.unread_from = 0;
  }
  note("read: stream, end, bytes", e, count);
  if (!cut_ && from.on_writable) {
    state_->events.after(options_.delay, [self = shared_from_this(), e] { self->wake(other(e)); });
  }
  return {.count = count};
}

void virtual_connection::later(end_of_stream e, action then) {
  state_->events.after({}, [self = shared_from_this(), e, then = std::move(then)] {
    self->at(e).host->run([self, e, then] {
      if (!self->at(e).closed) {
        then();
      }
    });
  });
}

void virtual_connection::wake(end_of_stream e) {
  auto& own = at(e);
  if (own.on_readable && readable(e)) {
    later(e, std::exchange(own.on_readable, nullptr));
  }
  if (own.on_writable && writable(e)) {
    later(e, std::exchange(own.on_writable, nullptr));
  }
}

void virtual_connection::wait_readable(end_of_stream e, action then) {
  at(e).on_readable = std::move(then);
  wake(e);
}

void virtual_connection::wait_writable(end_of_stream e, action then) {
  at(e).on_writable = std::move(then);
  wake(e);
}

bool virtual_connection::acknowledged(end_of_stream e) const noexcept {
  return !cut_ && at(e).known == at(e).taken && !at(other(e)).closed;
}

std::size_t virtual_connection::unacknowledged(end_of_stream e) const noexcept {
  const auto& own = at(e);
  return own.taken - own.known + (own.shut && !own.ended ? 1 : 0);
}

void virtual_connection::shutdown_send(end_of_stream e) {
  auto& own = at(e);
  if (own.shut || own.closed) {
    return;
  }
  own.shut = true;
  note("shutdown: stream, end", e);
  if (!cut_) {
    state_->events.at(next_arrival(own), [self = shared_from_this(), e] { self->arrive_end(e); });
  }
}

void virtual_connection::close(end_of_stream e) {
  auto& own = at(e);
  if (own.closed) {
    return;
  }
  own.closed = true;
  own.on_readable = nullptr;
  own.on_writable = nullptr;
  note("close: stream, end", e);
  if (cut_) {
    return;
  }
  if (waiting(e) != 0 || !at(other(e)).under_way.empty()) {
    // If an end closes without having read everything, it resets the connection. The bytes that it
    // wrote may be lost.
    if (options_.cuts && state_->random.chance(50)) {
      own.under_way.clear();
    }
    learn_after(other(e), next_arrival(own) - state_->events.now());
    return;
  }
  state_->events.at(next_arrival(own), [self = shared_from_this(), e] { self->arrive_end(e); });
}

void virtual_connection::arrive_end(end_of_stream from) {
  if (cut_ || keep_back(from, {&virtual_connection::arrive_end, from})) {
    return;
  }
  at(from).ended = true;
  wake(other(from));
}

bool virtual_connection::keep_back(end_of_stream from, happening what) {
  auto& own = at(from);
  if (own.held_back) {
    own.kept_back.push_back(what);
  }
  return own.held_back;
}

void virtual_connection::hold_back(end_of_stream from, bool held) {
  auto& own = at(from);
  own.held_back = held;
  if (held) {
    return;
  }
  at(other(from)).known = at(other(from)).reached;
  own.last_arrival = std::max(own.last_arrival, state_->events.now() + options_.delay);
  for (const auto& kept : std::exchange(own.kept_back, {})) {
    state_->events.at(own.last_arrival,
                      [self = shared_from_this(), kept] { (self.get()->*kept.what)(kept.with); });
  }
}

void virtual_connection::cut(learns_after connecting, learns_after accepting) {
  if (cut_) {
    return;
  }
  cut_ = true;
  note("cut: stream", end_of_stream::connecting);
  for (auto& e : ends_) {
    e.under_way.clear();
  }
  for (const auto& [e, wait] : {std::pair{end_of_stream::connecting, connecting},
                                std::pair{end_of_stream::accepting, accepting}}) {
    if (wait) {
      learn_after(e, *wait);
    } else {
      // Does not keep it from learning sooner.
      state_->events.after(keep_alive, [self = shared_from_this(), e = e] { self->learn(e); });
    }
  }
}

void virtual_connection::learn_after(end_of_stream e, event_queue::duration wait) {
  if (!std::exchange(at(e).will_learn, true)) {
    state_->events.after(wait, [self = shared_from_this(), e] { self->learn(e); });
  }
}

void virtual_connection::learn(end_of_stream e) {
  auto& own = at(e);
  // A segment from the other end reports that it is closed.
  if (own.closed || own.lost || (!cut_ && keep_back(other(e), {&virtual_connection::learn, e}))) {
    return;
  }
  own.lost = true;
  note("lost: stream, end", e);
  wake(e);
}

}  // namespace zmtp::simulation
