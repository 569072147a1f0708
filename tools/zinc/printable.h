#pragma once
// Names of services in a log: they may be any bytes, a log is lines of text.

#include <string>
#include <string_view>

namespace zinc {

[[nodiscard]] std::string printable(std::string_view name);

}  // namespace zinc
