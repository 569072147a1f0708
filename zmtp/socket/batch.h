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

// False if nothing waits. `Item` is message or routed_message.
template <class Item>
[[nodiscard]] bool receive_batch(std::vector<Item>& batch, std::size_t& count,
                                 socket_state& state) {
  if (!state.readable()) {
    return false;
  }
  batch.clear();
  do {
    if (!state.receive(batch.emplace_back())) {
      batch.pop_back();
      break;
    }
  } while (batch.size() < max_batch);
  count = batch.size();
  return count != 0;
}

// Queues from the front of `batch` until it is empty or send() says full; true when it is over.
// `sent` adds up over attempts.
template <class Send>
[[nodiscard]] bool send_batch(std::vector<message>& batch, error_code& ec, std::size_t& sent,
                              Send&& send) {
  std::size_t done = 0;
  while (done < batch.size()) {
    if (batch[done].empty()) {
      ec = errc::bad_message;
      break;
    }
    const auto status = send(std::move(batch[done]));
    if (status == send_status::unknown) {
      ec = errc::host_unreachable;
    }
    if (status != send_status::queued) {
      break;
    }
    ++done;
  }
  sent += done;
  batch.erase(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(done));
  return batch.empty() || ec;
}

}  // namespace zmtp
