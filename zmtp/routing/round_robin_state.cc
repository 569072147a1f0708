#include "zmtp/routing/round_robin_state.h"

#include <algorithm>
#include <utility>

namespace zmtp {

namespace {

// Up to this number of peers, all their data stays in the cache.
constexpr std::size_t cached_peers = 256;

}  // namespace

pipe& round_robin_state::open_pipe(bool durable) {
  auto& p = socket_state::open_pipe(durable);
  if (durable && takes(p)) {
    // A connect endpoint takes messages before its connection is up.
    writable_.insert(p.id.slot);
  }
  return p;
}

void round_robin_state::on_attached(pipe& p, peer_info info, std::uint32_t random) {
  socket_state::on_attached(p, std::move(info), random);
  on_written(p);
}

void round_robin_state::on_written(pipe& p) {
  if (takes(p)) {
    writable_.insert(p.id.slot);
  } else {
    writable_.erase(p.id.slot);
  }
}

void round_robin_state::on_detached(pipe& p) {
  const auto durable = p.durable;
  socket_state::on_detached(p);
  if (durable) {
    if (options_.immediate) {
      writable_.erase(p.id.slot);
    }
    // The last write released space in the queue.
    on_written(p);
  }
}

void round_robin_state::close_pipe(pipe& p) {
  writable_.erase(p.id.slot);
  socket_state::close_pipe(p);
}

void round_robin_state::forget(pipe& p) {
  writable_.erase(p.id.slot);
  socket_state::forget(p);
}

send_status round_robin_state::send(message&& m, if_full) {
  if (writable_.empty()) {
    return send_status::full;
  }
  auto& p = select();
  queue(p, std::move(m));
  pass_on_from(p);
  return send_status::queued;
}

send_status round_robin_state::send(message_batch& from, if_full then) {
  // A conflating queue keeps only the last message.
  if (options_.conflate) {
    return socket_state::send(from, then);
  }
  auto status = send_status::full;
  while (!writable_.empty() && skip_notices(from)) {
    send_shares(from);
    status = send_status::queued;
  }
  return from.empty() ? send_status::queued : status;
}

// Sends an equal number of messages to each ready peer, or one message to each of the next peers if
// there are fewer messages than peers. So each peer gets as many as from single sends, and runs stay
// long.
void round_robin_state::send_shares(message_batch& from) {
  const auto peers = writable_.size();
  const bool singly = options_.policy == send_policy::least_queued && peers != 1;
  const auto share = singly ? 1 : std::max<std::size_t>(1, from.size() / peers);
  for (auto left = peers; left != 0 && skip_notices(from); --left) {
    auto& p = select();
    auto more = share - queue_some(p, from, share);
    while (more != 0 && !p.out.full() && skip_notices(from)) {
      more -= queue_some(p, from, more);
    }
    pass_on_from(p);
  }
}

// Returns the peer that gets the next message.
pipe& round_robin_state::select() noexcept {
  if (options_.policy == send_policy::least_queued) {
    turn_to_least_queued();
  }
  return next_writable();
}

// Call after messages were queued for `p`.
void round_robin_state::pass_on_from(const pipe& p) noexcept {
  if (p.out.full()) {
    writable_.erase(p.id.slot);
  } else {
    writable_.advance();
  }
  if (pipes_.size() > cached_peers) {
    prefetch();
  }
}

// Prefetches the data of the next messages, each step early enough for the message that needs it.
void round_robin_state::prefetch() const noexcept {
  if (!writable_.empty()) {
    const auto near = writable_.after(writable_.current(), 2);
    pipes_.at(near).out.prefetch();
    pipes_.at(writable_.after(near, 2)).prefetch();
  }
}

// Starts at the cursor, so that peers with equal queues take turns.
void round_robin_state::turn_to_least_queued() noexcept {
  const auto queued = [this](slot_ring::slot s) { return pipes_.at(s).out.messages(); };
  auto least = writable_.current();
  for (auto s = writable_.after(least); s != writable_.current() && queued(least) != 0;
       s = writable_.after(s)) {
    if (queued(s) < queued(least)) {
      least = s;
    }
  }
  writable_.turn_to(least);
}

}  // namespace zmtp
