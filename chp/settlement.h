#pragma once
// What a server that lost its active role had applied besides what it offers: it has been overwritten there, and is
// settled with that. Pure.

#include "chp/update_id.h"
#include "chp/update_register.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>

namespace chp {

// Of the sessions of which something is offered. Otherwise what they had overwritten would be missing for ever, since
// nobody sends again what was acknowledged; and too much of that in one session, and what came behind it would not be
// acknowledged any more.
class settlement {
public:
  settlement() = default;
  // All that was applied there.
  explicit settlement(std::unique_ptr<update_register> applied) : applied_{std::move(applied)} {}

  // This is offered.
  void add(const update_id& id);
  [[nodiscard]] update_register* applied() noexcept { return applied_.get(); }
  // Something is left to be done.
  [[nodiscard]] bool pending() const noexcept { return applied_ && !sessions_.empty(); }
  // Notes what was applied of the next session, which it returns. There is one: something is left.
  std::uint64_t settle_next(update_register& in);

private:
  // A register has no more. Peers say what they are.
  static constexpr std::size_t most_sessions = register_limits{}.max_sessions;

  std::unique_ptr<update_register> applied_;
  std::set<std::uint64_t> sessions_;
  std::uint64_t last_ = 0;  // that was added
};

}  // namespace chp
