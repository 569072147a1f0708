#pragma once
// The long forms of tests, which take minutes: tools/test --long. A full test is several parts, each with other random
// numbers, and tools/test --part N runs one of them: ZINC_LONG=N.

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace zmtp::test {

// The number of the part, from 1. Returns 0 for the short form.
[[nodiscard]] inline std::uint64_t long_part() {
  const char* const value = std::getenv("ZINC_LONG");
  return value == nullptr ? 0 : std::strtoull(value, nullptr, 10);
}

[[nodiscard]] inline bool long_run() { return long_part() != 0; }

// The short form leaves out all but one of this number of inputs. With a sanitizer an input takes ten times as long, so
// the sanitizer's configuration in .bazelrc sets ZINC_ONE_OF.
[[nodiscard]] inline std::uint64_t one_of() {
  const char* const value = std::getenv("ZINC_ONE_OF");
  const std::uint64_t part = value == nullptr ? 0 : std::strtoull(value, nullptr, 10);
  return std::max<std::uint64_t>(part, 1);
}

// How many of `count` random inputs the short form takes.
[[nodiscard]] inline std::uint64_t in_short_form(std::uint64_t count) {
  return std::max<std::uint64_t>(count / one_of(), 1);
}

// The seeds of the random inputs of a run: in the short form those from 1 on, in each part of the long form others.
struct run_seeds {
  explicit run_seeds(std::uint64_t short_form, std::uint64_t each_part)
      : count{long_run() ? each_part : in_short_form(short_form)},
        first{1 + count * (long_run() ? long_part() - 1 : 0)} {}

  std::uint64_t count;
  std::uint64_t first;
};

}  // namespace zmtp::test
