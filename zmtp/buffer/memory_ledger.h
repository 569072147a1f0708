#pragma once
// The two memory budgets of the process: for queued messages and for partial messages.

#include "zmtp/buffer/memory_account.h"

#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <cstdint>

namespace zmtp {

// The memory of all queues, and the quota of each queue. While half of the budget is free, only the
// marks of the queues apply. Above that, a quota per queue shrinks in steps. So a few peers that do
// not read can use only a part of the budget, and other peers can still exchange messages. Each
// step ends one eighth of the budget below its start.
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
  void set_budget(std::size_t bytes) noexcept;

  [[nodiscard]] std::size_t budget() const noexcept { return budget_; }
  [[nodiscard]] std::size_t used() const noexcept {
    return used_ > 0 ? static_cast<std::size_t>(used_) : 0;
  }
  [[nodiscard]] step now() const noexcept { return now_; }
  // Returns the quota of each queue; see memory_account.
  [[nodiscard]] std::size_t quota() const noexcept;
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

// The memory that each partial message holds. All peers together can exceed the budget even if each
// keeps its limits. The ledger then evicts the largest partial message. Its end is usually the
// furthest away, and the messages of well-behaved peers are small.
class partial_message_ledger {
public:
  // The partial message of one connection. Must not move, and must be released before it is
  // destroyed.
  class entry : public boost::intrusive::set_base_hook<> {
  public:
    entry() = default;
    entry(const entry&) = delete;
    entry& operator=(const entry&) = delete;

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    // Evicted: its connection must close. Its memory no longer counts.
    [[nodiscard]] bool evicted() const noexcept { return evicted_; }

  private:
    friend class partial_message_ledger;
    std::size_t bytes_ = 0;
    std::uint64_t changed_ = 0;  // number of the last change; it increases
    bool evicted_ = false;
  };

  explicit partial_message_ledger(std::size_t budget) noexcept : budget_{budget} {}

  // Requests that `who` holds `bytes` bytes in total. Returns nullptr if the request succeeds.
  // Otherwise returns the entry that is evicted for it: the largest, counting `who` with the
  // requested size. Among equal entries, evicts the one that has not changed for longest, so that a
  // stalled peer does not block others. If the result is not `who`, the caller closes that
  // connection and calls hold() again.
  [[nodiscard]] entry* hold(entry& who, std::size_t bytes) noexcept;
  // Call when the message is complete or the connection has ended. Clears the evicted state.
  void release(entry& who) noexcept;

  [[nodiscard]] std::size_t used() const noexcept { return used_; }
  [[nodiscard]] std::size_t budget() const noexcept { return budget_; }
  // If the new budget is below the current use, nothing is evicted until the next request.
  void set_budget(std::size_t bytes) noexcept { budget_ = bytes; }

private:
  struct by_worth {
    bool operator()(const entry& a, const entry& b) const noexcept {
      return a.bytes_ != b.bytes_ ? a.bytes_ < b.bytes_ : a.changed_ > b.changed_;
    }
  };

  [[nodiscard]] bool fits(std::size_t more) const noexcept {
    return used_ <= budget_ && more <= budget_ - used_;
  }
  [[nodiscard]] entry& worth_least(entry& who, std::size_t bytes) noexcept;

  boost::intrusive::set<entry, boost::intrusive::compare<by_worth>> entries_;
  std::size_t budget_;
  std::size_t used_ = 0;
  std::uint64_t changes_ = 0;
};

}  // namespace zmtp
