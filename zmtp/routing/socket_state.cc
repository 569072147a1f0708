#include "zmtp/routing/socket_state.h"

#include <utility>

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
  p.out.push(std::move(m));
  count_sent(p);
  touch(p);
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

void socket_state::drop_received() noexcept {
  --counters_.messages_received;
  ++counters_.dropped_unexpected;
  if (auto* p = find(counted_for_)) {
    --p->counters.messages_received;
    ++p->counters.dropped_unexpected;
  }
}

}  // namespace zmtp
