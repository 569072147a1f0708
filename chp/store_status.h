#pragma once
// The state of a server's store. Plain data.

#include <cstdint>

namespace chp {

// The part of a server's map that the store has.
enum class store_status : std::uint8_t {
  nothing,  // there is no store
  all,      // everything, once submitted writes are on the disk
  full,     // the map up to the moment at which the store was full; a whole map replaces it
  failed,   // the map up to the moment at which the store failed
};

// Returns the name of the enumerator.
[[nodiscard]] const char* to_string(store_status how) noexcept;

}  // namespace chp
