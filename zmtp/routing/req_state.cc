#include "zmtp/routing/req_state.h"

#include <cstring>
#include <string_view>
#include <utility>

namespace zmtp {

namespace {

// Any four octets do, as long as those of successive requests differ.
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
  asked_ = next_writable().id;
  return round_robin_state::send(std::move(m), then);
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

// Takes the envelope off.
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
