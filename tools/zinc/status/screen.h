#pragma once
// The screen of zinc top: a status, with the rates since the last one. Pure.

#include "tools/zinc/status/value.h"

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zinc::status {

struct layout {
  std::span<const std::string_view> lists;  // the table is the first group with one of these names
  std::string sort{};  // key of the column that orders the rows; empty: the first rate
  bool reverse = false;
  // Size of the terminal. 0: no limit.
  std::size_t width = 0;
  std::size_t height = 0;
};

struct screen {
  std::vector<std::string> lines;
  std::optional<std::size_t> titles{};  // the line with the titles of the table
  std::vector<std::string> keys{};      // keys of the columns, for layout::sort
};

// `before`: the last status, `seconds` ago, or null. `remark`: a line below the first one, unless it is empty.
[[nodiscard]] screen screen_of(const boost::json::value& now, const boost::json::value* before,
                               double seconds, const layout& how, std::string_view remark);

}  // namespace zinc::status
