#pragma once
// Who has to go when messages that have not come whole hold too much memory together.

#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <cstdint>

namespace zmtp {

// A budget and who holds what of it. Each peer keeps to its limits and all of them together may still be
// too many; then the largest half message is worth least, for its end is furthest away as a rule, and
// those of who means well are small.
class half_message_ledger {
public:
  // The half message of one connection. Stays where it is, and is released before it goes.
  class entry : public boost::intrusive::set_base_hook<> {
  public:
    entry() = default;
    entry(const entry&) = delete;
    entry& operator=(const entry&) = delete;

    [[nodiscard]] std::size_t octets() const noexcept { return octets_; }
    // It has to go. What it has still counts for nobody.
    [[nodiscard]] bool condemned() const noexcept { return condemned_; }

  private:
    friend class half_message_ledger;
    std::size_t octets_ = 0;
    std::uint64_t changed_ = 0;  // when: a number that rises
    bool condemned_ = false;
  };

  explicit half_message_ledger(std::size_t budget) noexcept : budget_{budget} {}

  // `who` wants to hold `octets` instead of what it holds. Nobody: so it does from now on. Otherwise who
  // is condemned for it, the largest with what it wants; of equals, who has not changed for longest: a
  // peer that has stopped in the middle keeps nobody out. After that one was told, ask again, unless it
  // is `who` itself.
  [[nodiscard]] entry* hold(entry& who, std::size_t octets) noexcept;
  // Its message has come whole, or its connection is gone. It is not condemned any more.
  void release(entry& who) noexcept;

  [[nodiscard]] std::size_t used() const noexcept { return used_; }
  [[nodiscard]] std::size_t budget() const noexcept { return budget_; }
  // With less than is held nobody goes before somebody wants more.
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
