#pragma once
// The last argument of some programs: socket_options::spin.

#include "bench/support/arguments.h"
#include "zmtp/options.h"

#include <chrono>

namespace bench {

// With the microseconds at `index`, if they are given.
inline zmtp::socket_options spinning(const arguments& given, int index) {
  zmtp::socket_options options;
  options.spin = std::chrono::microseconds{given.number_or(index, 0, 1'000'000)};
  return options;
}

}  // namespace bench
