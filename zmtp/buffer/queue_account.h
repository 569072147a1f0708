#pragma once
// What the queues of one socket hold together, and what each of them may hold while memory is short.

#include <cstddef>

namespace zmtp {

// Plain numbers: the queues of a socket are in one executor. Outlives them.
class queue_account {
public:
  // As much as the marks of the queues say.
  static constexpr std::size_t unlimited = static_cast<std::size_t>(-1);

  // A block that waits in several queues counts once, in the account of who queued it first, and leaves
  // that of who has it last: of several sockets that share blocks, one may be below zero.
  [[nodiscard]] std::ptrdiff_t octets() const noexcept { return octets_; }
  void add(std::size_t octets) noexcept { octets_ += static_cast<std::ptrdiff_t>(octets); }
  void subtract(std::size_t octets) noexcept { octets_ -= static_cast<std::ptrdiff_t>(octets); }

  // A queue that holds so much, or more, takes nothing. It is never zero, so that a queue in which
  // nothing waits always takes a message: somewhere in a ring of sockets it would be waited for.
  [[nodiscard]] std::size_t allowance() const noexcept { return allowance_; }
  void allow(std::size_t octets) noexcept { allowance_ = octets; }

private:
  std::ptrdiff_t octets_ = 0;
  std::size_t allowance_ = unlimited;
};

}  // namespace zmtp
