// Taking messages from the receive queues.

#include "zmtp/routing/socket_state.h"

#include <algorithm>
#include <utility>

namespace zmtp {

namespace {

// Messages of one peer that a batch takes before those of the next peer. Also the messages that a
// pattern sifts at once: a batch must have space for all their pieces.
constexpr std::size_t taken_at_once = 128;

}  // namespace

// Takes the front of the next queue. The result has no parts if it marks attach or detach.
inline bool socket_state::take(message& to, peer_id& from) {
  if (readable_.empty()) {
    return false;
  }
  auto& p = *next_readable();
  from = p.id;
  take_front(p, to, habits_.in_order);
  if (!to.empty()) {
    count_received(p, 1);
  } else {
    p.announced = !p.announced;
  }
  if (p.closing && p.in.empty()) {
    forget(p);
  }
  return true;
}

inline void socket_state::count_received(pipe& p, std::size_t messages) {
  counters_.messages_received += messages;
  auto& counts = counting(p);
  counts.counters.messages_received += messages;
  counted_for_ = counts.id;
  received_from_ = p.id;
}

bool socket_state::receive(message_batch& to) {
  const auto before = to.size();
  while (!readable_.empty() && accepts(to)) {
    auto& p = *next_readable();
    const auto next = std::min(p.in.front_messages(), turn_of(p));
    // The next batch begins with messages that do not fit into this one.
    if (next > max_batch - to.size() && !to.empty()) {
      break;
    }
    take_some(p, next, to);
  }
  return to.size() != before;
}

std::size_t socket_state::turn_of(const pipe& p) const noexcept {
  return habits_.sifts || readable_.after(p.id.slot) != p.id.slot ? taken_at_once : max_batch;
}

// Adds the first entry of the queue to the batch, or its first `most` messages.
void socket_state::take_some(pipe& p, std::size_t most, message_batch& to) {
  // A pattern that drops every second message leaves the most pieces.
  to.reserve(habits_.sifts ? most / 2 + 1 : 1);
  auto next = take_item(p, most);
  if (next.what == routed_message::kind::message) {
    sift(std::move(next), to);
  } else {
    to.push_back(std::move(next));
  }
}

message_batch::item socket_state::take_item(pipe& p, std::size_t most) {
  const bool notice = p.in.mark_at_front();
  message_batch::item next{.content = take_front(p, most, habits_.in_order), .peer = p.id};
  if (notice) {
    p.announced = !p.announced;
    next.what = p.announced ? routed_message::kind::attached : routed_message::kind::detached;
  } else {
    count_received(p, messages_of(next.content));
  }
  if (p.closing && p.in.empty()) {
    forget(p);
  }
  return next;
}

bool socket_state::receive_singly(message_batch& to) {
  const auto before = to.size();
  while (accepts(to)) {
    to.reserve();
    routed_message next;
    if (!receive_from(next)) {
      break;
    }
    to.push_back({.content = std::move(next.content), .peer = next.peer});
  }
  return to.size() != before;
}

bool socket_state::receive(routed_message& to) {
  if (!take(to.content, to.peer)) {
    return false;
  }
  if (!to.content.empty()) {
    to.what = routed_message::kind::message;
  } else {
    // If the pipe is deleted, the peer has detached.
    const auto* p = find(to.peer);
    to.what = p != nullptr && p->announced ? routed_message::kind::attached
                                           : routed_message::kind::detached;
  }
  return true;
}

bool socket_state::receive(message& to) {
  peer_id from;
  while (take(to, from)) {
    if (!to.empty()) {
      return true;
    }
  }
  return false;
}

bool socket_state::receive_from(routed_message& to) {
  if (!receive(to.content)) {
    return false;
  }
  to.what = routed_message::kind::message;
  to.peer = received_from_;
  return true;
}

void socket_state::drop_received() noexcept {
  --counters_.messages_received;
  ++counters_.dropped_unexpected;
  if (auto* p = find(counted_for_)) {
    --p->counters.messages_received;
    ++p->counters.dropped_unexpected;
  }
}

}  // namespace zmtp
