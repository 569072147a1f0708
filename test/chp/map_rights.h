#pragma once
// The rights of a map as access rules have them.

#include "chp/map_access.h"

#include <cstdint>

namespace chp::test {

inline constexpr auto read = static_cast<std::uint8_t>(right::read);
inline constexpr auto write = static_cast<std::uint8_t>(right::write);

}  // namespace chp::test
