#pragma once
// "Did you mean": the known word that a mistyped one is nearest to.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace zinc {

// How many letters must be added, left out, replaced or swapped with their neighbour.
[[nodiscard]] std::size_t typing_distance(std::string_view a, std::string_view b);

// The word of `known` with the least distance, the first of several. Returns none if all are so far from it that a user
// cannot have meant them: more than a third of the letters of the longer word.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string> known);

}  // namespace zinc
