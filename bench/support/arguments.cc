#include "bench/support/arguments.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <signal.h>
#include <unistd.h>

namespace bench {
namespace {

// A process has one command line.
std::string_view usage;

extern "C" void deadline_is_over(int) {
  // Only what a signal handler may call.
  constexpr std::string_view text =
      "the deadline is over: is the other program running, with the same arguments?\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(1);
}

int word_count(std::string_view names) {
  return names.empty() ? 0 : 1 + static_cast<int>(std::ranges::count(names, ' '));
}

}  // namespace

void fail(std::string_view text) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %.*s\n", program_invocation_short_name, static_cast<int>(text.size()),
               text.data());
  std::exit(1);
}

void fail_errno(std::string_view what) {
  const std::string reason = std::strerror(errno);
  fail(std::string{what} + ": " + reason);
}

void misused(std::string_view why) {
  std::fprintf(stderr, "%s: %.*s\nusage: %s %.*s\n", program_invocation_short_name,
               static_cast<int>(why.size()), why.data(), program_invocation_short_name,
               static_cast<int>(usage.size()), usage.data());
  std::exit(2);
}

arguments::arguments(int count, char** values, std::string_view names, unsigned deadline_seconds)
    : count_{count - 1}, values_{values + 1} {
  usage = names;
  const int most = word_count(names);
  const int least = word_count(names.substr(0, names.find('['))) - (names.find('[') < names.size());
  if (count_ < least || count_ > most) {
    misused("wrong number of arguments");
  }
  ::signal(SIGALRM, deadline_is_over);
  ::alarm(deadline_seconds);
}

std::string arguments::text(int index) const { return values_[index]; }

std::string arguments::endpoint(int index) const {
  const std::string word = text(index);
  if (word.find("://") == std::string::npos) {
    misused("'" + word + "' is not an endpoint; write tcp://HOST:PORT");
  }
  return word;
}

std::uint64_t arguments::number(int index, std::uint64_t most) const {
  const std::string_view word{values_[index]};
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || value == 0 || value > most) {
    misused("'" + std::string{word} + "' is not a number from 1 to " + std::to_string(most));
  }
  return value;
}

std::uint64_t arguments::number_or(int index, std::uint64_t fallback, std::uint64_t most) const {
  return index < count_ ? number(index, most) : fallback;
}

}  // namespace bench
