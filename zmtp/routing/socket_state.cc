#include "zmtp/routing/socket_state.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace zmtp {

pipe& socket_state::open_pipe(bool durable) { return pipes_.open(durable); }

socket_state::verdict socket_state::on_admission(std::optional<peer_id>, const peer_info&) {
  return {};
}

pipe& socket_state::pipe_for(pipe& last, const peer_info& who) {
  if (!last.met || succeeds(last.info, who)) {
    return last;
  }
  auto& next = open_pipe(true);
  next.info = last.info;
  next.counters = std::exchange(last.counters, {});
  if (!last.holder) {
    last.holder = std::make_shared<peer_id>();
  }
  next.holder = last.holder;
  *next.holder = next.id;
  close_pipe(last);
  return next;
}

void socket_state::on_attached(pipe& p, peer_info info, std::uint32_t) {
  attached_ += p.attached ? 0U : 1U;
  p.attached = p.met = true;
  p.info = std::move(info);
  announce(p);
}

// A message without parts, which no peer can send, marks attach and detach alternately.
void socket_state::announce(pipe& p) {
  if (announces_) {
    deliver(p, message{});
  }
}

void socket_state::deliver(pipe& p, message&& m) {
  p.in.push(std::move(m));
  mark_readable(p);
}

void socket_state::mark_readable(pipe& p) {
  if (!p.paused && !p.in.empty()) {
    readable_.insert(p.id.slot);
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
  room_again(p);
}

void socket_state::on_written(pipe&) {}

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
  p.out.rewind();
  counters_.dropped_detached += p.out.messages();
  p.out.clear();
  p.closing = true;
  p.paused = false;
  mark_readable(p);
  if (p.in.empty()) {
    forget(p);
  }
}

bool socket_state::unwritten() const noexcept {
  bool any = false;
  for_each_pipe([&](const pipe& p) { any = any || !p.out.empty(); });
  return any;
}

void socket_state::on_closed() noexcept {
  for_each_pipe([this](pipe& p) {
    p.out.rewind();
    counters_.dropped_closed += p.out.messages();
    p.out.clear();
  });
}

void socket_state::on_ended(error_code reason) noexcept {
  if (reason.category() == zmtp_category()) {
    ++counters_.ended[static_cast<std::size_t>(reason.value())];
  }
}

void socket_state::forget(pipe& p) {
  readable_.erase(p.id.slot);
  pipes_.erase(p.id);
}

void socket_state::queue(pipe& p, message&& m) {
  if (options_.conflate) {
    counters_.dropped_conflated += p.out.drop_unbegun();
  }
  p.out.push(std::move(m));
  ++counters_.messages_sent;
  ++p.counters.messages_sent;
  touch(p);
}

bool socket_state::writable(peer_id to) const noexcept {
  const auto* p = find(to);
  return p != nullptr && takes(*p);
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

void socket_state::count_drop(peer_id to, send_status why) noexcept {
  switch (why) {
    case send_status::queued:
    case send_status::out_of_turn:
    case send_status::too_long:
    case send_status::closed:
    case send_status::bad_message: return;
    case send_status::full:
      if (auto* p = find(to)) {
        drop_full(*p);
      }
      return;
    case send_status::unknown: ++counters_.dropped_unknown; return;
  }
}

void socket_state::touch(pipe& p) {
  if (!p.dirty) {
    if (dirty_.full()) {
      dirty_.set_capacity(std::max<std::size_t>(16, 2 * dirty_.capacity()));
    }
    p.dirty = true;
    dirty_.push_back(p.id);
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
    readable_.erase(p.id.slot);
    p.in.compact();
  }
  room_again(p);
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
      room_again(p);
    }
  });
}

// Not because the user received something.
void socket_state::room_again(pipe& p) {
  if (std::exchange(p.blocked, false)) {
    resumable_.push_back(p.id);
  }
}

void socket_state::take_rest(pipe& p) {
  p.in.lift_marks();
  room_again(p);
}

// Takes the front of the queue whose turn it is. The result has no parts if it marks attach or
// detach.
inline bool socket_state::take(message& to, peer_id& from) {
  if (readable_.empty()) {
    return false;
  }
  auto& p = pipes_.at(readable_.current());
  from = p.id;
  p.in.pop(to);
  if (p.in.empty()) {
    readable_.erase(p.id.slot);
    p.in.compact();
  } else if (!in_order_) {
    readable_.advance();
  }
  if (p.blocked && p.in.half_empty()) {
    p.blocked = false;
    resumable_.push_back(p.id);
  }
  if (!to.empty()) {
    ++counters_.messages_received;
    auto& counts = counting(p);
    ++counts.counters.messages_received;
    counted_for_ = counts.id;
    received_from_ = p.id;
  } else {
    p.announced = !p.announced;
  }
  if (p.closing && p.in.empty()) {
    forget(p);
  }
  return true;
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

pipe& socket_state::counting(pipe& p) const noexcept {
  auto* const holder = p.holder ? find(*p.holder) : nullptr;
  return holder != nullptr ? *holder : p;
}

void socket_state::drop_received() noexcept {
  --counters_.messages_received;
  ++counters_.dropped_unexpected;
  if (auto* p = find(counted_for_)) {
    --p->counters.messages_received;
    ++p->counters.dropped_unexpected;
  }
}

// A peer that has disconnected cannot be paused, because its detach is the last item of its queue.
void socket_state::pause(pipe& p) noexcept {
  if (p.closing) {
    return;
  }
  p.paused = true;
  readable_.erase(p.id.slot);
}

void socket_state::resume(pipe& p) {
  p.paused = false;
  mark_readable(p);
}

}  // namespace zmtp
