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
  // Notes the next ones, of so many at most, as applied, and as refused what was. True if there are more.
  [[nodiscard]] bool settle(update_register& in, std::size_t most);

private:
  std::unique_ptr<update_register> applied_;
  std::set<std::uint64_t> sessions_;
  std::uint64_t last_ = 0;  // that was added
  std::uint64_t next_ = 1;  // of the first session
};

}  // namespace chp
