#pragma once
// The second half of zinc demo: a map that outlives its server.

namespace zinc {

// Runs for so long, prints what happens, and returns whether all of it held.
[[nodiscard]] bool run_pair_demo(unsigned seconds);

}  // namespace zinc
