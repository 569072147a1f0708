#include "chp/properties.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace chp {

namespace {

// Seconds, above zero and not infinite.
std::optional<double> parse_seconds(std::string_view text) noexcept {
  double number = 0;
  const auto* const end = text.data() + text.size();
  const auto [read_to, ec] = std::from_chars(text.data(), end, number);
  if (ec != std::errc{} || read_to != end || !std::isfinite(number) || number <= 0) {
    return std::nullopt;
  }
  return number;
}

std::chrono::milliseconds limited(double milliseconds) noexcept {
  constexpr auto most = static_cast<double>(longest_ttl.count());
  const auto count = std::clamp(std::ceil(milliseconds), 1.0, most);
  return std::chrono::milliseconds{static_cast<std::int64_t>(count)};
}

}  // namespace

properties::const_iterator& properties::const_iterator::operator++() noexcept {
  while (!rest_.empty()) {
    const auto size = std::min(rest_.find('\n'), rest_.size());
    const auto line = rest_.substr(0, size);
    rest_.remove_prefix(std::min(size + 1, rest_.size()));
    const auto divided = line.find('=');
    if (divided != std::string_view::npos && divided != 0) {
      here_ = {line.substr(0, divided), line.substr(divided + 1)};
      return *this;
    }
  }
  at_end_ = true;
  return *this;
}

std::optional<std::string_view> properties::find(std::string_view name) const noexcept {
  for (const auto& each : *this) {
    if (each.name == name) {
      return each.value;
    }
  }
  return std::nullopt;
}

void append_property(std::string& to, std::string_view name, std::string_view value) {
  to.append(name) += '=';
  to.append(value) += '\n';
}

void append_property(std::string& to, std::string_view name, std::uint64_t value) {
  to.append(name) += '=';
  append_number(to, value);
  to += '\n';
}

void append_number(std::string& to, std::uint64_t number) {
  std::array<char, 20> digits;
  to.append(digits.data(), std::to_chars(digits.begin(), digits.end(), number).ptr);
}

std::optional<std::uint64_t> parse_number(std::string_view text) noexcept {
  std::uint64_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto [read_to, ec] = std::from_chars(text.data(), end, number);
  if (ec != std::errc{} || read_to != end) {
    return std::nullopt;
  }
  return number;
}

std::optional<std::chrono::milliseconds> parse_ttl(std::string_view value) noexcept {
  const auto seconds = parse_seconds(value);
  if (!seconds) {
    return std::nullopt;
  }
  return limited(*seconds * 1'000);
}

std::optional<std::chrono::milliseconds> parse_guide_ttl(std::string_view value,
                                                         std::chrono::milliseconds now) noexcept {
  const auto number = parse_seconds(value);
  if (!number) {
    return std::nullopt;
  }
  const auto since_1970 = static_cast<double>(now.count());
  if (*number > 1e11) {
    return limited(*number - since_1970);
  }
  return limited(*number > 1e8 ? *number * 1'000 - since_1970 : *number * 1'000);
}

void append_ttl(std::string& to, std::chrono::milliseconds ttl) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(ttl).count();
  append_property(to, property_name::ttl,
                  static_cast<std::uint64_t>(std::max(seconds, decltype(seconds){1})));
}

}  // namespace chp
