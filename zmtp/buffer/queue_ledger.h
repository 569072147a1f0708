#pragma once
// What the queues of the process hold together against their budget, and what each of them may hold for it.

#include "zmtp/buffer/queue_account.h"

#include <cstddef>
#include <cstdint>

namespace zmtp {

// While half of the budget is free, the marks of the queues alone hold. Then an allowance for each queue
// shrinks in steps with what is free, so that a few peers that do not read take a part of the budget and
// never what the others move their messages with. Each step is left an eighth of the budget below where
// it began.
class queue_ledger {
public:
  enum class step : std::uint8_t {
    ample,   // the marks alone hold
    scarce,  // more than half is used: a 32nd of the budget for each queue
    little,  // more than three quarters: a 256th
    spent,   // more than seven eighths: `least`
  };

  // What a queue always may hold: its first chunk takes it anyway.
  static constexpr std::size_t least = 4 * 1024;

  explicit queue_ledger(std::size_t budget) noexcept : budget_{budget} {}

  // The queues hold so much more, or less.
  void change(std::ptrdiff_t by) noexcept;
  // Holds from now on; with less than is held, nothing that is queued goes.
  void set_budget(std::size_t octets) noexcept;

  [[nodiscard]] std::size_t budget() const noexcept { return budget_; }
  [[nodiscard]] std::size_t used() const noexcept {
    return used_ > 0 ? static_cast<std::size_t>(used_) : 0;
  }
  [[nodiscard]] step now() const noexcept { return now_; }
  // For each queue: see queue_account.
  [[nodiscard]] std::size_t allowance() const noexcept;
  // How often it was no longer ample.
  [[nodiscard]] std::uint64_t times_scarce() const noexcept { return times_scarce_; }
  // What an account need not tell: too little to matter, and so no work for most turns.
  [[nodiscard]] std::size_t unheard() const noexcept;

private:
  void look() noexcept;
  [[nodiscard]] std::size_t begin_of(step s) const noexcept;
  [[nodiscard]] std::size_t end_of(step s) const noexcept;

  std::size_t budget_;
  std::ptrdiff_t used_ = 0;  // of accounts that tell one after the other: below zero for a while
  step now_ = step::ample;
  std::uint64_t times_scarce_ = 0;
};

}  // namespace zmtp
