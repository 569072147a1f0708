#pragma once
// Whether a Python can run the Guide's programs.

#include <string>

namespace zinc::interop {

// Runs `python` once, to import zmq. Returns why that failed, or nothing.
[[nodiscard]] std::string why_no_pyzmq(const std::string& python);

}  // namespace zinc::interop
