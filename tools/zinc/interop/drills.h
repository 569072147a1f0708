#pragma once
// The drills of the Guide's patterns, pair by pair. Pure.

#include "tools/zinc/interop/drill.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace zinc::interop {

// How many requests programs that say how long they took are to make here, where they can be told: ours by
// an option, others by the variable of the environment that has this name. The Guide's own make all.
constexpr auto count_variable = "ZINC_INTEROP_COUNT";
constexpr auto short_count = 1'000;

[[nodiscard]] const std::vector<pair>& all_pairs();

// Of these groups or pairs; all if there are none. Throws std::invalid_argument for one that is not there.
[[nodiscard]] std::vector<pair> chosen_pairs(const std::vector<std::string>& names);

// What a side has to hold for a drill.
[[nodiscard]] std::set<std::string> programs_of(const drill& one, side of);

// The combinations that differ in a drill: where one side plays no part, there are two of them.
[[nodiscard]] std::vector<combination> combinations_of(const drill& one);

// What programs of ours are told besides the Guide's arguments: to make up no troubles, and to be short.
[[nodiscard]] std::vector<std::string> our_arguments(std::string_view program);

}  // namespace zinc::interop
