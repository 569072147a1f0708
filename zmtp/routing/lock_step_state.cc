#include "zmtp/routing/lock_step_state.h"

#include <cstring>
#include <string_view>
#include <utility>

namespace zmtp {

namespace {

// Any four bytes work if those of successive requests differ.
std::string_view bytes_of(const std::uint32_t& number) noexcept {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

}  // namespace

send_status req_state::send(message&& m, if_full then) {
  if (asked_ && !options_.relaxed) {
    return send_status::out_of_turn;
  }
  if (!round_robin_state::writable()) {
    return send_status::full;
  }
  m.push_front({});
  if (options_.correlate) {
    ++number_;
    m.push_front(bytes_of(number_));
  }
  drop_waiting();
  asked_ = next_writable().id;
  early_ = next_writable().rest;
  return round_robin_state::send(std::move(m), then);
}

// Messages that are queued now are older than the request.
void req_state::drop_waiting() {
  routed_message received;
  while (socket_state::receive(received)) {
    if (received.what == routed_message::kind::message) {
      drop_received();
    }
  }
}

// Drops messages that are older than the request, so that they are not taken for its reply.
void req_state::on_received(pipe& p) {
  if (p.id == asked_) {
    if (early_ == unread::messages || !p.out.empty()) {
      discard(p);
      early_ = p.rest;
    } else if (early_ == unread::beginning && !p.in.empty()) {
      discard(p, 1);
      early_ = unread::nothing;
    }
  }
  round_robin_state::on_received(p);
}

// The next connection has sent nothing yet.
void req_state::on_detached(pipe& p) {
  if (p.id == asked_) {
    early_ = unread::nothing;
  }
  round_robin_state::on_detached(p);
}

bool req_state::receive(message& to) {
  routed_message received;
  while (socket_state::receive(received)) {
    if (received.what != routed_message::kind::message) {
      continue;
    }
    if (asked_ != received.peer || !is_reply(received.content)) {
      drop_received();
      continue;
    }
    asked_.reset();
    to = std::move(received.content);
    return true;
  }
  return false;
}

// Removes the envelope.
bool req_state::is_reply(message& m) const {
  if (options_.correlate) {
    if (m.front() != bytes_of(number_)) {
      return false;
    }
    m.pop_front();
  }
  if (m.size() < 2 || !m.front().empty()) {
    return false;
  }
  m.pop_front();
  return true;
}

bool rep_state::receive(message& to) {
  if (asked_by_) {
    return false;
  }
  routed_message received;
  while (socket_state::receive(received)) {
    if (received.what != routed_message::kind::message) {
      continue;
    }
    if (!take_envelope(received.content)) {
      drop_received();
      continue;
    }
    asked_by_ = received.peer;
    to = std::move(received.content);
    return true;
  }
  return false;
}

bool rep_state::take_envelope(message& m) {
  envelope_.clear();
  while (m.size() > 1 && envelope_.size() < largest_envelope) {
    const bool delimiter = m.front().empty();
    envelope_.push_back(m.front());
    m.pop_front();
    if (delimiter) {
      return true;
    }
  }
  return false;
}

send_status rep_state::send(message&& m, if_full then) {
  if (!asked_by_) {
    return send_status::out_of_turn;
  }
  auto* const p = find(*asked_by_);
  const bool gone = p == nullptr || p->closing;
  if (!gone && p->out.full() && then == if_full::report) {
    return send_status::full;
  }
  if (gone) {
    ++counters_.dropped_unknown;
    m.clear();
  } else if (p->out.full()) {
    drop_full(*p);
    m.clear();
  } else {
    m.prepend(envelope_);
    queue(*p, std::move(m));
  }
  asked_by_.reset();
  return send_status::queued;
}

pipe& pair_state::open_pipe(bool durable) {
  auto& p = socket_state::open_pipe(durable);
  if (durable && !peer_) {
    // A connect endpoint takes messages before its connection is up.
    peer_ = p.id;
  }
  return p;
}

socket_state::verdict pair_state::on_admission(std::optional<peer_id> id, const peer_info&) {
  if (peer_ && peer_ != id) {
    return {.refused = errc::already_paired, .probe = {}, .evict = {}};
  }
  return {};
}

void pair_state::on_attached(pipe& p, peer_info info, std::uint32_t random) {
  peer_ = p.id;
  socket_state::on_attached(p, std::move(info), random);
}

void pair_state::close_pipe(pipe& p) {
  if (peer_ == p.id) {
    peer_.reset();
  }
  socket_state::close_pipe(p);
}

send_status pair_state::send(message&& m, if_full) {
  return writable() ? queue_for(*peer_, std::move(m)) : send_status::full;
}

send_status pair_state::send(message_batch& from, if_full) {
  auto status = send_status::full;
  while (writable() && skip_notices(from)) {
    queue_some(*find(*peer_), from);
    status = send_status::queued;
  }
  return from.empty() ? send_status::queued : status;
}

bool pair_state::writable() const noexcept { return peer_ && socket_state::writable(*peer_); }

}  // namespace zmtp
