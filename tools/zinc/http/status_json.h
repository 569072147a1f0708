#pragma once
// Figures as JSON, for /status and for the page. Pure. docs/http.md has the schema.

#include "tools/zinc/http/report.h"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace zinc::http {

[[nodiscard]] boost::json::value status_value(const report& of, std::string_view version);
[[nodiscard]] std::string status_json(const report& of, std::string_view version);

}  // namespace zinc::http
