#pragma once
// How much of a server's map outlives it. Plain.

#include <cstdint>

namespace chp {

enum class keeping : std::uint8_t {
  nothing,  // there is no store
  all,      // all of it, as soon as what is on its way is on the disk
  writing,  // it has become another one, which takes the place of what is stored as a whole
  full,  // what there was when the store had no room any more, until it has room for the whole map
  failed,  // what there was when the store could not be written any more
};

// The enumerator.
[[nodiscard]] const char* to_string(keeping how) noexcept;

}  // namespace chp
