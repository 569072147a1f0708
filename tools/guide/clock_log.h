#pragma once
// Lines with date and time in front, as the Guide's programs log.

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace guide {

void log_line(std::string_view line);
template <class... Args>
void log(fmt::format_string<Args...> text, Args&&... args) {
  log_line(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace guide
