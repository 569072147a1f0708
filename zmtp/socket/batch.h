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
  const auto status = socket_state::sendable(m) ? send(std::move(m)) : send_status::bad_message;
  ec = to_error(status);
  return status != send_status::full;
}

// The attempts of one operation to send the items of a batch in order. Each attempt goes on where the last
// one stopped. finish() takes all sent items out of the batch at once, because the rest of a large batch
// must not be moved after each attempt. `Send` is bool(Item&, error_code&), and is false if the item has to
// wait.
template <class Item, class Send>
class batch_attempt {
public:
  // The batch must outlive this.
  batch_attempt(std::vector<Item>& batch, Send send) : batch_{&batch}, send_{std::move(send)} {}

  // True when it is over, well or with an error. `sent` is how many items were sent by all attempts.
  [[nodiscard]] bool operator()(error_code& ec, std::size_t& sent) {
    while (done_ < batch_->size() && send_((*batch_)[done_], ec) && !ec) {
      ++done_;
    }
    sent = done_;
    return done_ == batch_->size() || ec;
  }
  // No attempt follows.
  void finish() {
    batch_->erase(batch_->begin(), batch_->begin() + static_cast<std::ptrdiff_t>(done_));
  }

private:
  std::vector<Item>* batch_;
  Send send_;
  std::size_t done_ = 0;
};

}  // namespace zmtp
