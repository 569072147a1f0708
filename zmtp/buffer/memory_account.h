#pragma once
// The memory of all queues of one socket, and the quota of each queue while memory is short.

#include <cstddef>

namespace zmtp {

// Not atomic, because all queues of a socket belong to one executor. Must outlive the queues.
class memory_account {
public:
  // Only the marks of the queues apply.
  static constexpr std::size_t unlimited = static_cast<std::size_t>(-1);

  // A block in several queues counts once. The account that queued the block first adds it, and the
  // account that removes it last subtracts it. So the value can be negative if several sockets
  // share blocks.
  [[nodiscard]] std::ptrdiff_t bytes() const noexcept { return bytes_; }
  void add(std::size_t bytes) noexcept { bytes_ += static_cast<std::ptrdiff_t>(bytes); }
  void subtract(std::size_t bytes) noexcept { bytes_ -= static_cast<std::ptrdiff_t>(bytes); }

  // A queue that holds this many bytes or more accepts nothing. Never zero, so that an empty queue
  // always accepts a message. Otherwise sockets that forward in a ring could wait for each other.
  [[nodiscard]] std::size_t quota() const noexcept { return quota_; }
  void allow(std::size_t bytes) noexcept { quota_ = bytes; }

private:
  std::ptrdiff_t bytes_ = 0;
  std::size_t quota_ = unlimited;
};

}  // namespace zmtp
