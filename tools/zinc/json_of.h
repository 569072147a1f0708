#pragma once
// Bytes in JSON, which knows text alone.

#include <boost/json/value.hpp>

#include <string_view>

namespace zinc {

// A string where the bytes are text, else {"hex": "..."}.
[[nodiscard]] boost::json::value json_of(std::string_view bytes);

}  // namespace zinc
