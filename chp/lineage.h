#pragma once
// The reigns of a history, and where two histories part. Pure.

#include "chp/error.h"
#include "chp/sequence.h"

#include <boost/system/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chp {

// The time in which one server was active. `tag` has 64 random bits, because two servers can take
// the same epoch.
struct reign {
  std::uint64_t epoch = 0;
  std::uint64_t tag = 0;
  sequence last = 0;  // the number of its last entry
  friend bool operator==(const reign&, const reign&) = default;
};

// A place in a history. The place before the first entry has number 0.
struct position {
  std::uint64_t epoch = 0;
  std::uint64_t tag = 0;
  sequence number = 0;
  friend bool operator==(const position&, const position&) = default;
};

// One row for each reign, the oldest first. Numbers rise from row to row. Only the last
// `max_reigns` rows are stored: a client or a server that is further behind copies everything.
class lineage {
public:
  static constexpr std::size_t max_reigns = 10'000;
  static constexpr std::size_t row_size = 24;

  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
  [[nodiscard]] const std::vector<reign>& rows() const noexcept { return rows_; }
  // Returns the last row, or zeros.
  [[nodiscard]] reign last() const noexcept { return rows_.empty() ? reign{} : rows_.back(); }
  [[nodiscard]] sequence end() const noexcept { return last().last; }

  // Adds a row. The number must be above end(), except for a history without epochs, which begins
  // with epoch 0 and number 0.
  void begin_reign(std::uint64_t epoch, std::uint64_t tag, sequence first);
  // The last reign has an entry of this number. There must be a reign.
  void extend(sequence to) noexcept { rows_.back().last = to; }

  // Returns whether the history has the place. Epochs alone are never compared.
  [[nodiscard]] bool contains(const position& place) const noexcept;
  // Returns the place of an entry, or the first place if the reign of the entry is not stored.
  [[nodiscard]] position place_of(sequence number) const noexcept;

  // Converts rows to and from bytes: epoch, tag and last number, eight bytes each in network order.
  void append_to(std::string& bytes) const;
  // Errors: malformed_lineage.
  [[nodiscard]] static boost::system::result<lineage, errc> parse(std::string_view bytes);

  friend bool operator==(const lineage&, const lineage&) = default;

private:
  std::vector<reign> rows_;
};

// Returns the last number that both histories have, or 0.
[[nodiscard]] sequence common_point(const lineage& a, const lineage& b) noexcept;

}  // namespace chp
