#include "tools/guide/clock_log.h"

#include "tools/guide/program.h"

#include <fmt/chrono.h>

#include <ctime>

namespace guide {

void log_line(std::string_view line) {
  say("{:%y-%m-%d %H:%M:%S} {}", fmt::localtime(std::time(nullptr)), line);
}

}  // namespace guide
