#pragma once
// Receiving and queueing many messages in one operation.

#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/routing/socket_state.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace zmtp {

// Takes queued items into `batch`, whose content is overwritten. Returns false if there are none.
// `Item` is message or routed_message. `State` is a socket_state or has the same functions.
template <class Item, class State>
[[nodiscard]] bool receive_batch(std::vector<Item>& batch, std::size_t& count, State& state) {
  if (!state.readable()) {
    return false;
  }
  for (count = 0; count < socket_state::max_batch; ++count) {
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

// Attempts once to queue one message. Returns true when the operation is over, with or without an
// error.
template <class Send>
[[nodiscard]] bool sent_or_failed(message& m, error_code& ec, Send&& send) {
  const auto status = socket_state::sendable(m) ? send(std::move(m)) : send_status::bad_message;
  ec = to_error(status);
  return status != send_status::full;
}

// The attempts of one operation to send the items of a batch in order. Each attempt continues where
// the last one stopped. finish() removes all sent items at once, so that the rest of a large batch
// is not moved after each attempt. `Send` is bool(Item&, error_code&), and returns false if the
// item has to wait.
template <class Item, class Send>
class batch_attempt {
public:
  // The batch must outlive this object.
  batch_attempt(std::vector<Item>& batch, Send send) : batch_{&batch}, send_{std::move(send)} {}

  // Returns true when the operation is over, with or without an error. `sent` is the number of
  // items that all attempts have sent.
  [[nodiscard]] bool operator()(error_code& ec, std::size_t& sent) {
    while (done_ < batch_->size() && send_((*batch_)[done_], ec) && !ec) {
      ++done_;
    }
    sent = done_;
    return done_ == batch_->size() || ec;
  }
  // Call after the last attempt.
  void finish() {
    batch_->erase(batch_->begin(), batch_->begin() + static_cast<std::ptrdiff_t>(done_));
  }

private:
  std::vector<Item>* batch_;
  Send send_;
  std::size_t done_ = 0;
};

}  // namespace zmtp
