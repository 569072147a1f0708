#pragma once
// The data that a server of a pair stores in addition to its map: which updates the other server has. Pure.

#include "chp/sequence.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chp {

// The stored state of a server of a pair.
struct pair_record {
  sequence base = 0;            // the other server has everything up to here
  std::uint64_t own_epoch = 0;  // the epoch in which this server was active last
  sequence common = 0;    // it had the other server's updates up to here when it became active
  sequence own = 0;       // above this, all epochs up to own_epoch are its own
  sequence begun = 0;     // see snapshot_end
  bool accepted = false;  // this server has accepted the updates above `base` itself
};

// Packs the record as the memo of a map_database.
[[nodiscard]] std::string pack(const pair_record& record);
// Returns nothing if the memo is invalid.
[[nodiscard]] std::optional<pair_record> unpack_pair_record(
    std::string_view server_record) noexcept;

}  // namespace chp
