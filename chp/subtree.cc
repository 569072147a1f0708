#include "chp/subtree.h"

#include "chp/properties.h"

#include <algorithm>
#include <array>

namespace chp {

namespace {

constexpr std::string_view special{"%=\n,:\0", 6};
constexpr std::string_view digits = "0123456789ABCDEF";

void append_escaped(std::string& to, std::string_view name) {
  for (const char byte : name) {
    if (special.find(byte) == special.npos) {
      to += byte;
    } else {
      const auto value = static_cast<unsigned char>(byte);
      to += '%';
      to += digits[value >> 4];
      to += digits[value & 15];
    }
  }
}

bool is_escaped_form_of(std::string_view escaped, std::string_view name) noexcept {
  for (const char byte : name) {
    if (special.find(byte) == special.npos) {
      if (!escaped.starts_with(byte)) {
        return false;
      }
      escaped.remove_prefix(1);
    } else {
      const auto value = static_cast<unsigned char>(byte);
      const std::array form{'%', digits[value >> 4], digits[value & 15]};
      if (!escaped.starts_with(std::string_view{form.data(), form.size()})) {
        return false;
      }
      escaped.remove_prefix(form.size());
    }
  }
  return escaped.empty();
}

}  // namespace

void append_directory_counts(std::string& to, std::span<const directory_count> counts) {
  if (counts.empty()) {
    return;
  }
  to.append(property_name::counts);
  char before = '=';
  for (const auto& each : counts) {
    to += before;
    append_escaped(to, each.directory);
    to += ':';
    append_number(to, each.count);
    before = ',';
  }
  to += '\n';
}

std::optional<std::uint64_t> find_directory_count(std::string_view properties_frame,
                                                  std::string_view directory) noexcept {
  auto rest = properties{properties_frame}.find(property_name::counts).value_or("");
  while (!rest.empty()) {
    const auto each = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(each.size() + 1, rest.size()));
    const auto divided = each.find(':');
    if (divided != each.npos && is_escaped_form_of(each.substr(0, divided), directory)) {
      return parse_number(each.substr(divided + 1));
    }
  }
  return std::nullopt;
}

}  // namespace chp
