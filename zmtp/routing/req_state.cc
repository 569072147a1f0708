#include "zmtp/routing/req_state.h"

#include <cstring>
#include <string_view>
#include <utility>

namespace zmtp {

namespace {

// Any four bytes work if those of successive requests differ.
std::string_view octets_of(const std::uint32_t& number) noexcept {
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
    m.push_front(octets_of(number_));
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
    if (m.front() != octets_of(number_)) {
      return false;
    }
    m.pop_front();
  }
  if (m.part_count() < 2 || !m.front().empty()) {
    return false;
  }
  m.pop_front();
  return true;
}

}  // namespace zmtp
