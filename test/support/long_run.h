#pragma once
// Whether a test shall take the time for its full numbers, which takes minutes: tools/test --long.

#include <cstdlib>
#include <string_view>

namespace zmtp::test {

[[nodiscard]] inline bool long_run() {
  const char* const value = std::getenv("ZINC_LONG");
  return value != nullptr && std::string_view{value} == "1";
}

}  // namespace zmtp::test
