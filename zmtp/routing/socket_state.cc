#include "zmtp/routing/socket_state.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace zmtp {

namespace {

// Messages that a pattern sifts at once. A batch must have space for all their pieces.
constexpr std::size_t sifted_at_once = 128;

}  // namespace

pipe& socket_state::pipe_for(pipe& last, const peer_info& who) {
  if (!last.met || succeeds(last.info, who)) {
    return last;
  }
  auto& next = open_pipe(true);
  pass_on(last, next);
  close_pipe(last);
  return next;
}

void socket_state::on_attached(pipe& p, peer_info info, std::uint32_t) {
  attached_ += p.attached ? 0U : 1U;
  p.attached = p.met = true;
  p.in.set_marks(options_.receive_mark);
  p.info = std::move(info);
  announce(p);
}

// A message without parts, which no peer can send, marks attach and detach alternately.
void socket_state::announce(pipe& p) {
  if (habits_.announces) {
    deliver(p, message{});
  }
}

std::vector<message> socket_state::greetings() const {
  std::vector<message> all;
  if (options_.probe_router) {
    all.emplace_back("");
  }
  for (const auto* m : {&options_.hello_message, &options_.xpub.welcome}) {
    if (!m->empty()) {
      all.push_back(*m);
    }
  }
  return all;
}

void socket_state::on_received(pipe& p) {
  if (options_.conflate) {
    keep_last(p);
  }
  mark_readable(p);
}

// Also keeps the marks for attach and detach.
void socket_state::keep_last(pipe& p) {
  message last;
  for (auto left = p.in.size(); left != 0; --left) {
    auto m = p.in.pop();
    if (m.empty()) {
      p.in.push(std::move(m));
    } else if (!wanted(m)) {
      ++counters_.dropped_unexpected;
    } else {
      counters_.dropped_conflated += last.empty() ? 0U : 1U;
      last = std::move(m);
    }
  }
  if (!last.empty()) {
    p.in.push(std::move(last));
  }
  unblock(p);
}

void socket_state::on_detached(pipe& p) {
  attached_ -= p.attached ? 1U : 0U;
  p.attached = p.blocked = false;
  p.rest = unread::nothing;
  if (!options_.disconnect_message.empty()) {
    deliver(p, message{options_.disconnect_message});
  }
  announce(p);
  p.out.rewind();
  if (!p.durable) {
    close_pipe(p);
  }
}

void socket_state::close_pipe(pipe& p) {
  p.durable = false;
  counters_.dropped_detached += p.drop_unsent();
  p.closing = true;
  p.paused = false;
  mark_readable(p);
  if (p.in.empty()) {
    forget(p);
  }
}

void socket_state::on_closed() noexcept {
  for_each_pipe([this](pipe& p) { counters_.dropped_closed += p.drop_unsent(); });
}

void socket_state::forget(pipe& p) {
  readable_.erase(p.id.slot);
  pipes_.erase(p.id);
}

void socket_state::queue(pipe& p, message&& m) {
  if (options_.conflate) {
    counters_.dropped_conflated += p.out.drop_unbegun();
  }
  touch(p);
  p.out.push(std::move(m));
  count_sent(p);
}

send_status socket_state::queue_for(peer_id to, message&& m) {
  auto* p = find(to);
  if (p == nullptr || p->closing) {
    return send_status::unknown;
  }
  if (!takes(*p)) {
    return send_status::full;
  }
  queue(*p, std::move(m));
  return send_status::queued;
}

void socket_state::queue_some(pipe& p, message_batch& from, std::size_t most) {
  auto& first = from.first_item().content;
  if (auto* const m = std::get_if<message>(&first)) {
    const auto bytes = m->framed_size();
    queue(p, std::move(*m));
    from.drop_front({.bytes = bytes, .messages = 1});
    return;
  }
  touch(p);
  auto& run = *std::get_if<message_run>(&first);
  const frame::cut room{.bytes = p.out.room_for_bytes(),
                        .messages = std::min(most, p.out.room_for_messages())};
  const bool all = run.messages <= room.messages && run.size <= room.bytes;
  const auto part = all ? frame::cut{.bytes = run.size, .messages = run.messages}
                        : frame::first_messages(run.data, run.size, room);
  if (part.bytes <= message::large_slice) {
    p.out.push_copy(run.data, part);
  } else {
    p.out.push(first_of(run, part));
  }
  count_sent(p, part.messages);
  from.drop_front(part);
}

bool socket_state::skip_notices(message_batch& from) noexcept {
  while (!from.empty() && from.first_item().what != routed_message::kind::message) {
    from.pop_front();
  }
  return !from.empty();
}

send_status socket_state::send_to(message_batch& from) {
  auto* const p = find(from.first_item().peer);
  if (p == nullptr || p->closing) {
    return send_status::unknown;
  }
  if (!takes(*p)) {
    return send_status::full;
  }
  queue_some(*p, from);
  return send_status::queued;
}

send_status socket_state::send(message_batch& from, if_full then) {
  if (!skip_notices(from)) {
    return send_status::queued;
  }
  auto m = from.front().to_message();
  const auto status = sendable(m) ? send(std::move(m), then) : send_status::bad_message;
  if (status == send_status::queued) {
    from.pop_front();
  }
  return status;
}

void socket_state::count_drop(peer_id to, send_status why) noexcept {
  if (why == send_status::unknown) {
    ++counters_.dropped_unknown;
  } else if (auto* p = find(to); p != nullptr && why == send_status::full) {
    drop_full(*p);
  }
}

// Attach and detach do not count as messages.
void socket_state::discard(pipe& p, std::size_t most) {
  for (; most != 0 && !p.in.empty(); --most) {
    const bool counts = !p.in.pop().empty();
    counters_.dropped_unexpected += counts ? 1U : 0U;
    p.counters.dropped_unexpected += counts ? 1U : 0U;
  }
  if (p.in.empty()) {
    on_emptied(p);
  }
  unblock(p);
}

void socket_state::on_quota_changed(std::size_t bytes) {
  if (options_.conflate) {
    return;
  }
  account_.allow(bytes);
  for_each_pipe([this](pipe& p) {
    if (p.out.messages() != 0) {
      // A peer in the same process must report when it has taken its messages.
      touch(p);
    }
    on_written(p);
    if (p.in.half_empty()) {
      unblock(p);
    }
  });
}

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
  while (!readable_.empty() && to.size() < max_batch) {
    auto& p = *next_readable();
    const auto next = std::min(p.in.front_messages(), habits_.sifts ? sifted_at_once : max_batch);
    // The next batch begins with messages that do not fit into this one.
    if (next > max_batch - to.size() && !to.empty()) {
      break;
    }
    take_some(p, next, to);
  }
  return to.size() != before;
}

// Adds the first entry of the queue to the batch, or its first `most` messages.
void socket_state::take_some(pipe& p, std::size_t most, message_batch& to) {
  // A pattern that drops every second message leaves the most pieces.
  to.reserve(habits_.sifts ? most / 2 + 1 : 1);
  const bool notice = p.in.mark_at_front();
  message_batch::item next{.content = take_front(p, most, habits_.in_order), .peer = p.id};
  if (notice) {
    p.announced = !p.announced;
    next.what = p.announced ? routed_message::kind::attached : routed_message::kind::detached;
    to.push_back(std::move(next));
  } else {
    count_received(p, messages_of(next.content));
    sift(std::move(next), to);
  }
  if (p.closing && p.in.empty()) {
    forget(p);
  }
}

bool socket_state::receive_singly(message_batch& to) {
  const auto before = to.size();
  while (to.size() < max_batch) {
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
