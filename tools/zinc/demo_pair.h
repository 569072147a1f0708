#pragma once
// The second half of zinc demo: a map that survives the end of a server.

#include <chrono>

namespace zinc {

// Each half prints a row of its progress in this interval.
inline constexpr std::chrono::milliseconds row_interval{500};

// Runs for this time, prints the progress, and returns whether no update was lost.
[[nodiscard]] bool run_pair_demo(std::chrono::milliseconds duration);

}  // namespace zinc
