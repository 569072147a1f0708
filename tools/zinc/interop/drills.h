#pragma once
// The drills of the Guide's patterns, pair by pair. Pure.

#include "tools/zinc/interop/drill.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace zinc::interop {

// The number of requests of programs that measure time. Zinc's programs take it as an option, other programs as
// this environment variable. The Guide's programs ignore it.
constexpr auto count_variable = "ZINC_INTEROP_COUNT";
constexpr auto short_count = 1'000;

[[nodiscard]] const std::vector<pair>& all_pairs();

// Returns these groups or pairs, or all if `names` is empty. Throws std::invalid_argument for an unknown name.
[[nodiscard]] std::vector<pair> chosen_pairs(const std::vector<std::string>& names);

// Returns the programs that a side needs for a drill.
[[nodiscard]] std::set<std::string> programs_of(const drill& one, side of);

// Returns the combinations that differ in a drill. If one side has no program, there are two.
[[nodiscard]] std::vector<combination> combinations_of(const drill& one);

// Returns the further arguments of Zinc's programs: no simulated faults, and a short run.
[[nodiscard]] std::vector<std::string> our_arguments(std::string_view program);

}  // namespace zinc::interop
