#pragma once
// Units of bytes.

#include <cstddef>

namespace zmtp::test {

inline constexpr std::size_t kibi = 1024;
inline constexpr std::size_t mebi = 1024 * kibi;

}  // namespace zmtp::test
