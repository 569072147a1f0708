#pragma once
// The results of the drills as a table and as JSON. Pure.

#include "tools/zinc/interop/drill.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace zinc::interop {

// One drill in one combination.
struct result {
  std::string group;
  std::string pair;
  std::string drill;
  std::string server;  // program of the server; empty: the drill has none
  std::string client;
  combination played;
  verdict found;
};

[[nodiscard]] std::string_view name_of(outcome what);

// Marks a failure of a mixed combination if the combination without a program of Zinc fails too.
void compare_with_control(std::vector<result>& results);

[[nodiscard]] std::size_t count_of(const std::vector<result>& results, outcome what);

// Returns a table with a heading and a summary.
[[nodiscard]] std::string table_of(const std::vector<result>& results);
// Returns JSON. `notice` names a condition of the results, or is empty.
[[nodiscard]] std::string json_of(const std::vector<result>& results, const std::string& notice);

}  // namespace zinc::interop
