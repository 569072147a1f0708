#include "zmtp/engine/stream_reader.h"

#include "zmtp/buffer/block.h"
#include "zmtp/buffer/read_buffer.h"
#include "zmtp/engine/socket_core.h"

#include <boost/asio/error.hpp>

#include <utility>

namespace zmtp {

namespace {

// Partial messages below this size do not count for the budget.
constexpr std::size_t least_counted = block_size::large;

}  // namespace

void stream_reader::wait(std::shared_ptr<transport::stream_user> user) {
  stream_.wait(transport::stream_side::read, std::move(user));
  waiting_ = true;
}

stream_reader::taken stream_reader::read() {
  if (!hold(to_.next_memory())) {
    return {outcome::evicted};
  }
  // While memory is short, leave data that the queue cannot take in the kernel.
  const auto to = to_.prepare(core_.state().account().quota());
  if (to.empty()) {
    return {outcome::nothing};
  }
  error_code ec;
  const auto count = stream_.read_some(to, ec);
  if (ec == asio::error::would_block) {
    return {outcome::nothing};
  }
  if (ec) {
    // A stream above the system's knows more about a fault of the peer.
    const bool known = ec.category() == zmtp_category();
    return {.what = outcome::failed, .reason = known ? ec : errc::connection_lost};
  }
  to_.commit(count, core_.now());
  return {count < to.size() ? outcome::some : outcome::full, count};
}

graceful_close::received stream_reader::discard() {
  using received = graceful_close::received;
  const auto memory = scratch_block();
  error_code ec;
  if (stream_.read_some({memory->data(), memory->capacity()}, ec) != 0) {
    to_.received(core_.now());
    return received::bytes;
  }
  if (ec == asio::error::would_block) {
    return received::nothing;
  }
  return ec == asio::error::eof ? received::end : received::failure;
}

bool stream_reader::compact() {
  to_.settle();
  return hold(to_.own_memory());
}

// Returns the memory that the stream uses for a message, or 0 below `least_counted`.
std::size_t stream_reader::below() const noexcept {
  const auto held = stream_.held();
  return held < least_counted ? 0 : held;
}

// Returns whether a partial message may hold this many bytes, beside those of the stream: if the
// queue is full, the message in the stream only waits for the user. Reports only changes to the
// ledger of the process, and nothing for small messages.
bool stream_reader::hold(std::size_t bytes) {
  bytes += to_.blocked() ? 0 : below();
  if (bytes == (partial_message_ != nullptr ? partial_message_->held() : 0)) {
    return true;
  }
  if (partial_message_ == nullptr) {
    partial_message_ = std::make_shared<partial_message>(core_, owner_);
  }
  const auto held = partial_message_;
  return held->hold(bytes);
}

// Undecoded data uses memory as queued messages do.
void stream_reader::charge(std::size_t bytes) noexcept {
  auto& account = core_.state().account();
  account.subtract(std::exchange(charged_, bytes));
  account.add(bytes);
}

bool stream_reader::evicted() const {
  return partial_message_ != nullptr && partial_message_->evicted();
}

void stream_reader::drop() noexcept {
  to_.drop_unread();
  charge(0);
  partial_message_.reset();
}

}  // namespace zmtp
