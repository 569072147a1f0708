#pragma once
// The version of this tree: CMake and the packages read it here, and tools/release compares the rest with it.

#include <string>

namespace zinc {

inline constexpr const char* version = "0.1.0";

// Returns the text of --version: the version, the commit if the build knows it (--config=opt, the
// packages), and the protocols.
[[nodiscard]] std::string version_text();

}  // namespace zinc
