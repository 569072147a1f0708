#pragma once
// A separate network for each drill, because the Guide's ports are fixed.

#include <string>

namespace zinc::interop {

// Gives this process, and all that it starts, a network with nothing in it but a loopback interface that is up.
// For processes with one thread. Returns what is in the way; empty if nothing is.
[[nodiscard]] std::string leave_network();

// Whether that can be done here, as found out in a child process: what is in the way, or nothing.
[[nodiscard]] std::string why_not_isolated();

}  // namespace zinc::interop
