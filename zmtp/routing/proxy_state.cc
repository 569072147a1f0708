#include "zmtp/routing/proxy_state.h"

#include <boost/system/errc.hpp>

#include <cstring>
#include <initializer_list>

namespace zmtp {

namespace {

// Messages per turn. More would delay others on the executor.
constexpr std::uint64_t most_in_a_row = 1024;

}  // namespace

void proxy_state::begin() noexcept {
  running_ = true;
  reason_ = {};
}

void proxy_state::end(error_code why) noexcept {
  if (running_) {
    running_ = false;
    reason_ = why;
  }
}

proxy_state::step proxy_state::next(direction way, bool readable, bool writable) noexcept {
  auto& l = of(way);
  if (paused_) {
    return step::rest;
  }
  if (!l.copies.empty()) {
    return step::copy;
  }
  if (!l.in_flight.empty()) {
    return writable ? step::deliver : step::await_room;
  }
  if (!readable || l.in_a_row >= most_in_a_row) {
    l.in_a_row = 0;
    return step::await_message;
  }
  if (!writable) {
    return step::await_room;
  }
  return step::move;
}

proxy_state::traffic proxy_state::measure(const message_batch& batch) noexcept {
  traffic all;
  for (const auto m : batch) {
    if (m.what() == routed_message::kind::message) {
      ++all.messages;
      all.bytes += m.payload_size();
    }
  }
  return all;
}

void proxy_state::on_received(direction way) noexcept {
  auto& l = of(way);
  auto& side = way == direction::to_backend ? statistics_.frontend : statistics_.backend;
  l.counted = measure(l.in_flight);
  l.in_a_row += l.counted.messages;
  side.messages_received += l.counted.messages;
  side.bytes_received += l.counted.bytes;
}

void proxy_state::on_delivered(direction way, error_code ec) noexcept {
  auto& l = of(way);
  auto& side = way == direction::to_backend ? statistics_.backend : statistics_.frontend;
  const auto left = measure(l.in_flight);
  const auto sent = l.counted.messages - left.messages;
  side.messages_sent += sent;
  side.bytes_sent += l.counted.bytes - left.bytes;
  l.counted = left;
  // After a message, a socket that sends and receives in turn takes the next one later.
  const bool later = ec == errc::out_of_turn && sent != 0;
  if (ec && !later) {
    if (drops_first(l.in_flight, ec)) {
      ++statistics_.dropped;
      l.counted = measure(l.in_flight);
    } else {
      on_waited(ec);
    }
  }
  l.in_flight.compact();
}

void proxy_state::on_copied(direction way, error_code ec) noexcept {
  auto& copies = of(way).copies;
  if (ec && !drops_first(copies, ec)) {
    on_waited(ec);
  }
  copies.compact();
}

// Drops an undeliverable message. Returns whether the message caused the error, not the socket.
bool proxy_state::drops_first(message_batch& from, error_code ec) noexcept {
  const bool for_good =
      ec == errc::host_unreachable || ec == errc::out_of_turn || ec == errc::bad_message;
  if (for_good && !from.empty()) {
    from.pop_front();
  }
  return for_good;
}

void proxy_state::on_waited(error_code ec) noexcept {
  if (ec && ec != boost::system::errc::operation_canceled) {
    end(ec);
  }
}

std::optional<message> proxy_state::on_command(const message& m, bool is_answered) {
  const auto command = m.back();
  const bool statistics = command == "STATISTICS";
  if (command == "PAUSE") {
    pause();
  } else if (command == "RESUME") {
    resume();
  } else if (command == "TERMINATE") {
    end({});
  }
  if (!statistics && !is_answered) {
    return std::nullopt;
  }
  message answer;
  for (auto part = m.begin(); answer.size() + 1 < m.size(); ++part) {
    answer.push_back(*part);
  }
  if (!statistics) {
    answer.push_back({});
    return answer;
  }
  for (const auto* side : {&statistics_.frontend, &statistics_.backend}) {
    for (const auto number :
         {side->messages_received, side->bytes_received, side->messages_sent, side->bytes_sent}) {
      std::memcpy(answer.prepare_back(sizeof number).data(), &number, sizeof number);
    }
  }
  return answer;
}

}  // namespace zmtp
