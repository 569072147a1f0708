#pragma once
// The number of an update: the epoch of the active server that assigned it, and its position in
// that epoch. Pure.

#include <cstdint>

namespace chp {

// epoch << 44 | position. Each server that becomes active takes an epoch above all it has seen.
// Clients drop numbers that are not greater (12/CHP), so they also drop updates of a formerly
// active server. Servers without epochs, such as the Guide's, use only positions. 0 precedes the
// first update.
using sequence = std::uint64_t;

inline constexpr unsigned position_bits = 44;
inline constexpr sequence max_position = (sequence{1} << position_bits) - 1;
// Peers in C and Python read a sequence as a signed number.
inline constexpr sequence max_epoch = (sequence{1} << 19) - 1;
inline constexpr sequence max_sequence = max_epoch << position_bits | max_position;

// Both values must be within their limits.
[[nodiscard]] constexpr sequence make_sequence(std::uint64_t epoch,
                                               std::uint64_t position) noexcept {
  return epoch << position_bits | position;
}
// Returns 0 for a server without epochs.
[[nodiscard]] constexpr std::uint64_t epoch_of(sequence s) noexcept { return s >> position_bits; }
[[nodiscard]] constexpr std::uint64_t position_of(sequence s) noexcept { return s & max_position; }
[[nodiscard]] constexpr bool has_epoch(sequence s) noexcept { return s > max_position; }

}  // namespace chp
