#pragma once
// Values in the form that the texts of figures need.

#include <boost/json/string_view.hpp>

#include <chrono>
#include <string_view>

namespace zinc::http {

[[nodiscard]] inline double seconds(std::chrono::nanoseconds of) {
  return std::chrono::duration<double>{of}.count();
}

[[nodiscard]] inline boost::json::string_view text(std::string_view of) {
  return {of.data(), of.size()};
}

}  // namespace zinc::http
