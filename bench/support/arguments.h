#pragma once
// The command line of a program of bench: words and positive numbers in a fixed order. A bad one
// ends the program with its usage and code 2. bench/support/report.h prints what was measured.

#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

// Ends the program with code 1. The text names the fault and the remedy.
[[noreturn]] void fail(std::string_view text);
// The same with the system's words for errno.
[[noreturn]] void fail_errno(std::string_view what);
// Ends the program with the usage of its arguments and code 2.
[[noreturn]] void misused(std::string_view why);

class arguments {
public:
  // `names` are those of the usage, in order, as "ENDPOINT SIZE COUNT [CONNECTIONS]". Words in brackets are
  // optional. After `deadline_seconds` the process ends with code 1, so a program with this object cannot hang.
  arguments(int count, char** values, std::string_view names, unsigned deadline_seconds = 120);

  // The first is 0, as in the usage.
  std::string text(int index) const;
  // A word with a transport, as tcp://127.0.0.1:5555.
  std::string endpoint(int index) const;
  // A number from 1 to `most`.
  std::uint64_t number(int index, std::uint64_t most = largest_number) const;
  std::uint64_t number_or(int index, std::uint64_t fallback,
                          std::uint64_t most = largest_number) const;

private:
  static constexpr std::uint64_t largest_number = std::uint64_t{1} << 40;

  int count_;
  char** values_;
};

}  // namespace bench
