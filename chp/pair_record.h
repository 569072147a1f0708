#pragma once
// What one of a pair has to know after a crash besides its map: what of that the other one has. Pure.

#include "chp/sequence.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chp {

struct pair_record {
  sequence base = 0;            // up to here the other one has it, too
  std::uint64_t own_epoch = 0;  // in which this one was active last
  sequence common = 0;          // up to here it had the other one's updates when it became active
  sequence own = 0;             // above this all epochs up to `own_epoch` are its own
  sequence begun = 0;           // see snapshot_end
  bool accepted = false;        // what is above `base` it has accepted itself
};

// As a memo of a map_store.
[[nodiscard]] std::string pack(const pair_record& record);
// Nothing if it is none.
[[nodiscard]] std::optional<pair_record> unpack_pair_record(std::string_view memo) noexcept;

}  // namespace chp
