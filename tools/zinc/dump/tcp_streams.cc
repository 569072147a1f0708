#include "tools/zinc/dump/tcp_streams.h"

#include <algorithm>

namespace zinc::dump {

namespace {

// A capture can be of a machine that strangers reach, so all memory has a limit.
constexpr std::size_t most_connections = 10'000;
// Bytes that may wait for a segment that comes later. A capture has few of them in the wrong order.
constexpr std::size_t most_early_cost = 4 * 1024 * 1024;
constexpr std::size_t most_early_cost_of_all = 64 * 1024 * 1024;
// Bytes that the capture may not have.
constexpr std::int64_t most_bytes_before_reset = 64 * 1024;
constexpr std::size_t cost_of_piece = 128;  // about the size of its node

std::pair<std::string, std::string> key_of(const tcp_segment& one) {
  return std::minmax(one.from, one.to);
}

}  // namespace

void tcp_streams::add(const tcp_segment& one) {
  auto found = connections_.find(key_of(one));
  if (one.syn) {
    const auto from = one.ack ? side::accepting : side::connecting;
    if (found != connections_.end()) {
      const auto& known = found->second.directions[static_cast<std::size_t>(from)];
      if (known.begun && known.begin != one.number + 1) {
        close(found, "another connection of the same addresses begins");
        found = connections_.end();
      }
    }
    if (found == connections_.end()) {
      found = open(one, from);
    }
    auto& begins = found->second.directions[static_cast<std::size_t>(from)];
    begins.begun = true;
    begins.begin = one.number + 1;
  }
  if (found == connections_.end()) {
    strays_ += one.size != 0 ? 1 : 0;
    return;
  }
  auto& to = found->second;
  const auto from = one.from == to.client ? side::connecting : side::accepting;
  take(to, from, one);
  if (one.ack) {
    acknowledge(to, from == side::connecting ? side::accepting : side::connecting,
                one.acknowledged);
  }
  const auto over = [](const direction& each) { return each.over; };
  if (one.rst && resets(to.directions[static_cast<std::size_t>(from)], one.number)) {
    close(found, "reset");
  } else if (std::ranges::all_of(to.directions, over)) {
    const auto lost = [](const direction& each) { return each.lost; };
    close(found, std::ranges::any_of(to.directions, lost) ? "bytes are missing" : "");
  }
}

tcp_streams::connections::iterator tcp_streams::open(const tcp_segment& one, side from) {
  const bool forward = from == side::connecting;
  const auto& client = forward ? one.from : one.to;
  make_room();
  const auto place = silent_.insert(silent_.end(), key_of(one));
  const auto made =
      connections_.emplace(*place, connection{client, make_(), &silent_, place}).first;
  if (!forward) {
    // The capture does not have the SYN of the client, but its answer tells the number.
    auto& other = made->second.directions[static_cast<std::size_t>(side::connecting)];
    other.begun = true;
    other.begin = one.acknowledged;
  }
  made->second.observer->on_opened(client, forward ? one.to : one.from);
  return made;
}

void tcp_streams::make_room() {
  if (connections_.size() == most_connections) {
    const auto& oldest = silent_.empty() ? active_.front() : silent_.front();
    close(connections_.find(oldest), "too many connections");
  }
}

// The numbers wrap around, so they count from the next byte.
std::int64_t tcp_streams::ahead_of(const direction& in, std::uint32_t number) noexcept {
  return static_cast<std::int32_t>(number - (in.begin + static_cast<std::uint32_t>(in.next)));
}

// A receiver ignores other resets, which a stranger can send.
bool tcp_streams::resets(const direction& in, std::uint32_t number) noexcept {
  const auto ahead = ahead_of(in, number);
  return !in.begun || in.over || (ahead >= 0 && ahead <= most_bytes_before_reset);
}

void tcp_streams::take(connection& to, side from, const tcp_segment& one) {
  auto& in = to.directions[static_cast<std::size_t>(from)];
  if (in.over) {
    return;
  }
  if (!in.begun) {
    // The SYN is missing. The first segment in order has the first byte.
    if (one.size == 0) {
      return;
    }
    in.begun = true;
    in.begin = one.number;
  }
  const auto ahead = ahead_of(in, one.number + (one.syn ? 1 : 0));
  auto bytes = one.bytes.substr(0, one.size);
  auto at = in.next;
  if (ahead >= 0) {
    at += static_cast<std::uint64_t>(ahead);
  } else {
    // Sent again.
    bytes.remove_prefix(std::min(bytes.size(), static_cast<std::size_t>(-ahead)));
  }
  if (one.fin && ahead + one.size >= 0) {
    in.end = in.next + static_cast<std::uint64_t>(ahead + one.size);
  }
  if (!bytes.empty()) {
    active_.splice(active_.end(), *to.in, to.place);
    to.in = &active_;
    keep(in, at, bytes);
  }
  pass_on(to, from);
}

void tcp_streams::keep(direction& in, std::uint64_t at, std::string_view bytes) {
  const auto [piece, is_new] = in.early.try_emplace(at);
  auto& kept = piece->second;
  if (bytes.size() > kept.size()) {
    const auto cost = bytes.size() - kept.size() + (is_new ? cost_of_piece : 0);
    in.early_cost += cost;
    early_cost_ += cost;
    kept = bytes;
  }
}

// The receiver has the bytes of a gap, so they are not sent again: the capture has lost them.
void tcp_streams::acknowledge(connection& to, side from, std::uint32_t number) {
  const auto& in = to.directions[static_cast<std::size_t>(from)];
  const auto known = in.begun && !in.over ? known_from(in) : in.next;
  if (known > in.next && ahead_of(in, number) >= static_cast<std::int64_t>(known - in.next)) {
    give_up(to, from);
  }
}

// Returns where the gap ends, or `next` if there is none.
std::uint64_t tcp_streams::known_from(const direction& in) noexcept {
  return !in.early.empty() ? in.early.begin()->first : in.end != UINT64_MAX ? in.end : in.next;
}

void tcp_streams::pass_on(connection& to, side from) {
  auto& in = to.directions[static_cast<std::size_t>(from)];
  while (!in.early.empty() && in.early.begin()->first <= in.next) {
    const auto piece = in.early.extract(in.early.begin());
    in.early_cost -= piece.mapped().size() + cost_of_piece;
    early_cost_ -= piece.mapped().size() + cost_of_piece;
    const auto known = in.next - piece.key();
    if (known < piece.mapped().size()) {
      const auto fresh = std::string_view{piece.mapped()}.substr(static_cast<std::size_t>(known));
      in.next += fresh.size();
      to.observer->on_bytes(from, fresh);
    }
  }
  if (in.next >= in.end) {
    in.over = true;
    to.observer->on_end(from);
  } else if (!in.early.empty() &&
             (in.early_cost > most_early_cost || early_cost_ > most_early_cost_of_all)) {
    give_up(to, from);
  }
}

void tcp_streams::give_up(connection& to, side from) {
  auto& in = to.directions[static_cast<std::size_t>(from)];
  if (const auto known = known_from(in); !in.over && known > in.next) {
    to.observer->on_missing(from, known - in.next);
    in.lost = true;
  }
  in.over = true;
  in.early.clear();
  early_cost_ -= in.early_cost;
  in.early_cost = 0;
}

void tcp_streams::close(connections::iterator which, const std::string& why) {
  auto closed = connections_.extract(which);
  give_up(closed.mapped(), side::connecting);
  give_up(closed.mapped(), side::accepting);
  closed.mapped().in->erase(closed.mapped().place);
  closed.mapped().observer->on_closed(why);
}

void tcp_streams::finish() {
  while (!connections_.empty()) {
    close(connections_.begin(), "the capture ends");
  }
}

}  // namespace zinc::dump
