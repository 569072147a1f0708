#include "zmtp/routing/socket_state.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace zmtp {

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
  if (p.in.empty()) {  // the user has unsubscribed meanwhile
    on_emptied(p);
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

std::size_t socket_state::queue_some(pipe& p, message_batch& from, std::size_t most) {
  auto& first = from.first_item().content;
  if (auto* const m = std::get_if<message>(&first)) {
    const auto bytes = m->framed_size();
    queue(p, std::move(*m));
    from.drop_front({.bytes = bytes, .messages = 1});
    return 1;
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
  return part.messages;
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

}  // namespace zmtp
