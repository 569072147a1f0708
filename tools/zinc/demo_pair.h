#pragma once
// The second half of zinc demo: a map that survives the end of a server.

#include <chrono>

namespace zinc {

// Runs for this time, prints the progress, and returns whether no update was lost.
[[nodiscard]] bool run_pair_demo(std::chrono::milliseconds duration);

}  // namespace zinc
