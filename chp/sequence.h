#pragma once
// The number of an update: which active server gave it, and its place among that one's. Pure.

#include <cstdint>

namespace chp {

// epoch << 44 | position. Each server that becomes active takes an epoch above all it has seen, so that
// 12/CHP's own rule, to discard what is not greater, keeps out one that was active before it. Servers
// without epochs (the Guide's) count positions alone. 0 is before the first update.
using sequence = std::uint64_t;

inline constexpr unsigned position_bits = 44;
inline constexpr sequence max_position = (sequence{1} << position_bits) - 1;
// Peers in C and Python read a sequence as a signed number.
inline constexpr sequence max_epoch = (sequence{1} << 19) - 1;
inline constexpr sequence max_sequence = max_epoch << position_bits | max_position;

// Neither may be above its largest.
[[nodiscard]] constexpr sequence make_sequence(std::uint64_t epoch,
                                               std::uint64_t position) noexcept {
  return epoch << position_bits | position;
}
// 0 of a server without epochs.
[[nodiscard]] constexpr std::uint64_t epoch_of(sequence s) noexcept { return s >> position_bits; }
[[nodiscard]] constexpr std::uint64_t position_of(sequence s) noexcept { return s & max_position; }
[[nodiscard]] constexpr bool has_epoch(sequence s) noexcept { return s > max_position; }

}  // namespace chp
