#pragma once
// The version of this tree.

namespace zinc {

inline constexpr const char* version = "0.1.0-dev";

}  // namespace zinc
