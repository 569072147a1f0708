#pragma once
// The memory of all queues of the process, and the quota of each queue.

#include "zmtp/buffer/queue_account.h"

#include <cstddef>
#include <cstdint>

namespace zmtp {

// While half of the budget is free, only the marks of the queues apply. Above that, a quota per
// queue shrinks in steps. So a few peers that do not read can use only a part of the budget, and
// other peers can still exchange messages. Each step ends one eighth of the budget below its start.
class queue_ledger {
public:
  enum class step : std::uint8_t {
    ample,   // only the marks apply
    scarce,  // above 1/2 of the budget: quota of 1/32 of the budget
    little,  // above 3/4: quota of 1/256
    spent,   // above 7/8: quota of `least`
  };

  // Bytes that a queue may always hold. Its first chunk has this size.
  static constexpr std::size_t least = 4 * 1024;

  explicit queue_ledger(std::size_t budget) noexcept : budget_{budget} {}

  // Adds a change of the queued bytes.
  void change(std::ptrdiff_t by) noexcept;
  // Applies immediately. A lower budget does not drop queued messages.
  void set_budget(std::size_t octets) noexcept;

  [[nodiscard]] std::size_t budget() const noexcept { return budget_; }
  [[nodiscard]] std::size_t used() const noexcept {
    return used_ > 0 ? static_cast<std::size_t>(used_) : 0;
  }
  [[nodiscard]] step now() const noexcept { return now_; }
  // Returns the quota of each queue; see queue_account.
  [[nodiscard]] std::size_t allowance() const noexcept;
  // Returns how many times the step left `ample`.
  [[nodiscard]] std::uint64_t times_scarce() const noexcept { return times_scarce_; }
  // Returns the change in bytes that an account does not need to report. Smaller changes do not
  // matter, so most turns report nothing.
  [[nodiscard]] std::size_t unheard() const noexcept;

private:
  void look() noexcept;
  [[nodiscard]] std::size_t begin_of(step s) const noexcept;
  [[nodiscard]] std::size_t end_of(step s) const noexcept;

  std::size_t budget_;
  // can be negative for a while, because accounts report at different times
  std::ptrdiff_t used_ = 0;
  step now_ = step::ample;
  std::uint64_t times_scarce_ = 0;
};

}  // namespace zmtp
