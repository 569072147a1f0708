#pragma once
// The applied updates of a former active server that are no longer in its map, because they were
// overwritten. They are settled with its offer. Pure.

#include "chp/update_id.h"
#include "chp/update_register.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>

namespace chp {

// Covers the sessions of which updates are offered. Without it, their overwritten updates would be
// missing in the register forever, because clients do not resend acknowledged updates. Many such
// gaps in a session would also block the acknowledgement of later updates.
class settlement {
public:
  settlement() = default;
  // Takes everything that was applied there.
  explicit settlement(std::unique_ptr<update_register> applied) : applied_{std::move(applied)} {}

  // Adds the session of an offered update.
  void add(const update_id& id);
  [[nodiscard]] update_register* applied() noexcept { return applied_.get(); }
  // Returns whether sessions are left.
  [[nodiscard]] bool pending() const noexcept { return applied_ && !sessions_.empty(); }
  // Adds the applied updates of the next session to the register, and returns the session.
  // pending() must be true.
  std::uint64_t settle_next(update_register& in);

private:
  // Limit, because peers send the sessions. A register does not have more.
  static constexpr std::size_t most_sessions = register_limits{}.max_sessions;

  std::unique_ptr<update_register> applied_;
  std::set<std::uint64_t> sessions_;
  std::uint64_t last_ = 0;  // the session that was added last
};

}  // namespace chp
