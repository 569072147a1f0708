#include "tools/zinc/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <system_error>

namespace zinc {

namespace {

struct unit {
  std::string_view name;
  std::uint64_t scale;  // milliseconds, or bytes
};

// In ascending order.
constexpr std::array duration_units{unit{"ms", 1}, unit{"s", 1'000}, unit{"m", 60'000},
                                    unit{"h", 3'600'000}, unit{"d", 86'400'000}};
constexpr std::array size_units{unit{"B", 1}, unit{"KiB", 1 << 10}, unit{"MiB", 1 << 20},
                                unit{"GiB", 1 << 30}, unit{"TiB", std::uint64_t{1} << 40}};

// The texts of errors for durations and for sizes.
struct kind {
  std::span<const unit> units;
  std::string_view name;
  std::string_view examples;
};
constexpr kind durations{duration_units, "duration", "250ms, 5s, 1m"};
constexpr kind sizes{size_units, "size", "512B, 64KiB, 1MiB"};

constexpr std::size_t most_decimals = 6;  // so that no product below exceeds 64 bits

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[noreturn]] void fail(const kind& of, std::string_view text, std::string_view cause,
                       std::string_view remedy = {}) {
  throw unit_error{fmt::format("'{}' {}{}{}", text, cause, remedy.empty() ? ": " : "; ",
                               remedy.empty() ? of.examples : remedy)};
}

// Returns the digits at the front of `text` and removes them.
std::string_view take_digits(std::string_view& text) {
  const auto* const end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

// Returns nothing if the number does not fit.
std::optional<std::uint64_t> number_of(std::string_view digits) {
  std::uint64_t number = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return ec == std::errc{} ? std::optional{number} : std::nullopt;
}

std::uint64_t parse(const kind& of, std::string_view text) {
  auto rest = text;
  if (rest.starts_with('-')) {
    fail(of, text, fmt::format("is negative, which a {} cannot be", of.name),
         fmt::format("give for example {}", of.examples));
  }
  const auto whole_digits = take_digits(rest);
  std::string_view decimals;
  bool good = !whole_digits.empty();
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    decimals = take_digits(rest);
    good = good && !decimals.empty();
  }
  if (!good) {
    fail(of, text, fmt::format("is not a {}", of.name),
         fmt::format("give for example {}", of.examples));
  }
  if (rest.empty()) {
    fail(of, text, "needs a unit");
  }
  const auto found = std::find_if(of.units.begin(), of.units.end(),
                                  [rest](const unit& one) { return one.name == rest; });
  if (found == of.units.end()) {
    std::string names;
    for (const auto& one : of.units) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
    }
    fail(of, text, fmt::format("has the unknown unit '{}'", rest),
         fmt::format("give one of {}", names));
  }
  while (decimals.ends_with('0')) {
    decimals.remove_suffix(1);
  }
  std::uint64_t divisor = 1;
  for (std::size_t i = 0; i < decimals.size() && i < most_decimals; ++i) {
    divisor *= 10;
  }
  const auto part = decimals.empty() ? 0 : number_of(decimals).value_or(0) * found->scale;
  if (decimals.size() > most_decimals || part % divisor != 0) {
    fail(of, text, fmt::format("is not a whole number of {}", of.units.front().name),
         "give fewer decimals");
  }
  const auto fraction = part / divisor;
  const auto whole = number_of(whole_digits);
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  if (!whole || *whole > (most - fraction) / found->scale) {
    fail(of, text, "is too large", fmt::format("give for example {}", of.examples));
  }
  return *whole * found->scale + fraction;
}

// Names the largest unit of which `value` is a multiple.
std::string in_largest_unit(std::span<const unit> units, std::uint64_t value) {
  auto best = units.front();
  for (const auto& one : units) {
    if (value % one.scale == 0 && value != 0) {
      best = one;
    }
  }
  return fmt::format("{}{}", value / best.scale, best.name);
}

}  // namespace

std::chrono::milliseconds parse_duration(std::string_view text, const duration_range& range) {
  const std::chrono::milliseconds value{parse(durations, text)};
  if (value < range.least || value > range.most) {
    fail(durations, text, "is out of range",
         fmt::format("give {} to {}", text_of(range.least), text_of(range.most)));
  }
  if (value % range.step != std::chrono::milliseconds{0}) {
    fail(durations, text, fmt::format("is not a multiple of {}", text_of(range.step)), "round it");
  }
  return value;
}

std::uint64_t parse_size(std::string_view text, const size_range& range) {
  const auto value = parse(sizes, text);
  if (value < range.least || value > range.most) {
    fail(sizes, text, "is out of range",
         fmt::format("give {} to {}", text_of_size(range.least), text_of_size(range.most)));
  }
  return value;
}

std::string text_of(std::chrono::milliseconds duration) {
  if (duration.count() < 0) {
    return '-' + text_of(-duration);
  }
  const auto ms = static_cast<std::uint64_t>(duration.count());
  if (ms == 0) {
    return "0s";
  }
  if (ms > 1'000 && ms % 1'000 != 0) {
    auto seconds = fmt::format("{}.{:03}", ms / 1'000, ms % 1'000);
    seconds.erase(seconds.find_last_not_of('0') + 1);
    return seconds + 's';
  }
  return in_largest_unit(duration_units, ms);
}

std::string text_of_size(std::uint64_t bytes) { return in_largest_unit(size_units, bytes); }

}  // namespace zinc
