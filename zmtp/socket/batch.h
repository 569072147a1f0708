#pragma once
// Taking and queueing many messages in one operation.

#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/routing/socket_state.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace zmtp {

// A batch is a turn's worth: more would starve others.
inline constexpr std::size_t max_batch = 1024;

// False if nothing waits. `Item` is message or routed_message, and `State` a socket_state or what looks
// like it. What the batch held is overwritten.
template <class Item, class State>
[[nodiscard]] bool receive_batch(std::vector<Item>& batch, std::size_t& count, State& state) {
  if (!state.readable()) {
    return false;
  }
  for (count = 0; count < max_batch; ++count) {
    if (count == batch.size()) {
      batch.emplace_back();
    }
    if (!state.receive(batch[count])) {
      break;
    }
  }
  batch.resize(count);
  return count != 0;
}

// One attempt to queue one message; true when it is over, well or with an error.
template <class Send>
[[nodiscard]] bool sent_or_failed(message& m, error_code& ec, Send&& send) {
  if (!socket_state::sendable(m)) {
    ec = errc::bad_message;
    return true;
  }
  switch (send(std::move(m))) {
    case send_status::queued: return true;
    case send_status::full: return false;
    case send_status::unknown: ec = errc::host_unreachable; return true;
    case send_status::out_of_turn: ec = errc::out_of_turn; return true;
    case send_status::too_long: ec = errc::topic_too_long; return true;
  }
  return true;
}

// Queues from the front of `batch` until it is empty or send() says full; true when it is over.
// `sent` adds up over attempts.
template <class Send>
[[nodiscard]] bool send_batch(std::vector<message>& batch, error_code& ec, std::size_t& sent,
                              Send&& send) {
  std::size_t done = 0;
  while (done < batch.size() && sent_or_failed(batch[done], ec, send) && !ec) {
    ++done;
  }
  sent += done;
  batch.erase(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(done));
  return batch.empty() || ec;
}

}  // namespace zmtp
