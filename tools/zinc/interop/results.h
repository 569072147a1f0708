#pragma once
// What became of the drills, for people and for programs. Pure.

#include "tools/zinc/interop/drill.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace zinc::interop {

// One drill, played by one combination.
struct result {
  std::string group;
  std::string pair;
  std::string drill;
  std::string server;  // its program; empty: it has no part in this drill
  std::string client;
  combination played;
  verdict found;
};

[[nodiscard]] std::string_view name_of(outcome what);

// Says of what failed in a mixed combination that theirs fail with themselves too.
void compare_with_control(std::vector<result>& results);

[[nodiscard]] std::size_t count_of(const std::vector<result>& results, outcome what);

// A line for each, with a head; the last line sums up.
[[nodiscard]] std::string table_of(const std::vector<result>& results);
// `notice` is of what the results depend on; empty: of nothing.
[[nodiscard]] std::string json_of(const std::vector<result>& results, const std::string& notice);

}  // namespace zinc::interop
