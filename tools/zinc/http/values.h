#pragma once
// Values in the form that the texts of figures need.

#include "tools/zinc/http/report.h"
#include "zmtp/figure.h"

#include <boost/json/string_view.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <span>
#include <string>
#include <string_view>

namespace zinc::http {

[[nodiscard]] inline double seconds(std::chrono::nanoseconds of) {
  return std::chrono::duration<double>{of}.count();
}

[[nodiscard]] inline boost::json::string_view text(std::string_view of) {
  return {of.data(), of.size()};
}

// Appends the number and the byte after it.
template <class Number>
void append_number(std::string& to, Number number, char after) {
  char digits[32];
  auto* const end = std::to_chars(digits, digits + sizeof digits - 1, number).ptr;
  *end = after;
  to.append(digits, end + 1);
}

using records = std::span<const zmtp::figure_record>;

// Calls `visit` with the records of each group.
template <class Visitor>
void for_each_group(records left, Visitor visit) {
  while (!left.empty()) {
    const auto end = std::find_if(left.begin(), left.end(), [&](const zmtp::figure_record& each) {
      return each.group != left.front().group;
    });
    visit(records{left.begin(), end});
    left = {end, left.end()};
  }
}

}  // namespace zinc::http
