#pragma once
// The applied updates in a store of version 1. Pure.

#include "chp/update_id.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace chp {

// The updates of a session that were made or refused.
struct old_session {
  std::map<std::uint64_t, std::uint64_t> done;    // first and last counter of each range
  std::map<std::uint64_t, std::uint8_t> refused;  // counter and code
  std::uint64_t unsure = 0;                       // up to here, others may have been refused too

  void add(std::uint64_t first, std::uint64_t last);
  [[nodiscard]] bool has(std::uint64_t counter) const;
};

// Rows have ids in their order, refusals, or packed registers. Each function returns false if its
// row is invalid. Then the object must not be used.
class old_updates {
public:
  [[nodiscard]] bool add_ids(std::string_view row);
  [[nodiscard]] bool add_refusal(std::string_view row);
  [[nodiscard]] bool add_piece(std::string_view row);

  [[nodiscard]] const std::map<std::uint64_t, old_session>& sessions() const noexcept {
    return sessions_;
  }
  // Ids without a session, the oldest first.
  [[nodiscard]] const std::vector<update_id>& others() const noexcept { return others_; }

private:
  void add(const update_id& id);
  // Return the bytes of a part, or 0 if it is invalid.
  [[nodiscard]] std::size_t add_session(std::string_view rest);
  [[nodiscard]] std::size_t add_refusals(std::string_view rest);
  [[nodiscard]] std::size_t add_other(std::string_view rest);

  std::map<std::uint64_t, old_session> sessions_;
  std::vector<update_id> others_;
};

}  // namespace chp
