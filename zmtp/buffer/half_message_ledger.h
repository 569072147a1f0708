#pragma once
// Selects the connection to close when partial messages exceed the memory budget.

#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <cstdint>

namespace zmtp {

// A budget and the memory that each partial message holds. All peers together can exceed the budget
// even if each keeps its limits. The ledger then evicts the largest partial message. Its end is
// usually the furthest away, and the messages of well-behaved peers are small.
class half_message_ledger {
public:
  // The partial message of one connection. Must not move, and must be released before it is
  // destroyed.
  class entry : public boost::intrusive::set_base_hook<> {
  public:
    entry() = default;
    entry(const entry&) = delete;
    entry& operator=(const entry&) = delete;

    [[nodiscard]] std::size_t octets() const noexcept { return octets_; }
    // Evicted: its connection must close. Its memory no longer counts.
    [[nodiscard]] bool condemned() const noexcept { return condemned_; }

  private:
    friend class half_message_ledger;
    std::size_t octets_ = 0;
    std::uint64_t changed_ = 0;  // number of the last change; it increases
    bool condemned_ = false;
  };

  explicit half_message_ledger(std::size_t budget) noexcept : budget_{budget} {}

  // Requests that `who` holds `octets` bytes in total. Returns nullptr if the request succeeds.
  // Otherwise returns the entry that is evicted for it: the largest, counting `who` with the
  // requested size. Among equal entries, evicts the one that has not changed for longest, so that a
  // stalled peer does not block others. If the result is not `who`, the caller closes that
  // connection and calls hold() again.
  [[nodiscard]] entry* hold(entry& who, std::size_t octets) noexcept;
  // Call when the message is complete or the connection has ended. Clears the evicted state.
  void release(entry& who) noexcept;

  [[nodiscard]] std::size_t used() const noexcept { return used_; }
  [[nodiscard]] std::size_t budget() const noexcept { return budget_; }
  // If the new budget is below the current use, nothing is evicted until the next request.
  void set_budget(std::size_t octets) noexcept { budget_ = octets; }

private:
  struct by_worth {
    bool operator()(const entry& a, const entry& b) const noexcept {
      return a.octets_ != b.octets_ ? a.octets_ < b.octets_ : a.changed_ > b.changed_;
    }
  };

  [[nodiscard]] bool fits(std::size_t more) const noexcept {
    return used_ <= budget_ && more <= budget_ - used_;
  }
  [[nodiscard]] entry& worth_least(entry& who, std::size_t octets) noexcept;

  boost::intrusive::set<entry, boost::intrusive::compare<by_worth>> entries_;
  std::size_t budget_;
  std::size_t used_ = 0;
  std::uint64_t changes_ = 0;
};

}  // namespace zmtp
