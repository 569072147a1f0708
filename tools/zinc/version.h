#pragma once
// The version of this tree.

#include <string>

namespace zinc {

inline constexpr const char* version = "0.1.0-dev";

// What --version prints: the version, the commit if the build is stamped (bazel build --config=opt), and the protocols.
[[nodiscard]] std::string version_text();

}  // namespace zinc
