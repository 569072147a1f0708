#include "zmtp/metadata.h"

#include "zmtp/frame.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>

namespace zmtp {

namespace {

constexpr std::size_t name_size_width = 1;
constexpr std::size_t value_size_width = 4;
constexpr std::size_t max_name_size = 255;

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool is_name(std::string_view text) noexcept {
  return !text.empty() && text.size() <= max_name_size &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
                  c == '_' || c == '.' || c == '+';
         });
}

}  // namespace

result<metadata> metadata::parse(std::string_view bytes, const limits& limit) {
  metadata parsed;
  byte_reader reader{bytes};
  while (!reader.empty()) {
    const auto name = reader.sized(name_size_width);
    const auto value = name ? reader.sized(value_size_width) : std::nullopt;
    if (!value) {
      return errc::bad_metadata;
    }
    if (!is_name(*name)) {
      return errc::bad_property_name;
    }
    if (parsed.find(*name) != nullptr) {
      return errc::duplicate_property;
    }
    if (parsed.properties_.size() >= limit.metadata_properties) {
      return errc::too_many_properties;
    }
    parsed.add(*name, *value);
  }
  return parsed;
}

void metadata::add(std::string_view name, std::string_view value) {
  assert(is_name(name));
  assert(value.size() <= std::numeric_limits<std::uint32_t>::max());
  properties_.emplace_back(name, value);
}

const std::string* metadata::find(std::string_view name) const noexcept {
  const auto found = std::find_if(properties_.begin(), properties_.end(),
                                  [&](const property& p) { return same_name(p.first, name); });
  return found == properties_.end() ? nullptr : &found->second;
}

void metadata::encode(std::string& to) const {
  for (const auto& [name, value] : properties_) {
    to.push_back(static_cast<char>(name.size()));
    to.append(name);
    for (int shift = 24; shift >= 0; shift -= 8) {
      to.push_back(static_cast<char>(value.size() >> shift));
    }
    to.append(value);
  }
}

namespace {

constexpr std::string_view property_name = "X-Zinc";

}  // namespace

void announce_extensions(metadata& own, const std::vector<std::string>& extensions) {
  std::string list;
  for (const auto& extension : extensions) {
    if (!list.empty()) {
      list += ',';
    }
    list += extension;
  }
  if (!list.empty()) {
    own.add(property_name, list);
  }
}

std::optional<std::string_view> find_extension(const metadata& peer,
                                               std::string_view name) noexcept {
  const auto* list = peer.find(property_name);
  if (list == nullptr) {
    return std::nullopt;
  }
  for (std::string_view rest = *list; !rest.empty();) {
    const auto extension = rest.substr(0, rest.find(','));
    rest.remove_prefix(extension.size() < rest.size() ? extension.size() + 1 : rest.size());
    const auto equals = extension.find('=');
    if (extension.substr(0, equals) == name) {
      return equals == std::string_view::npos ? std::string_view{} : extension.substr(equals + 1);
    }
  }
  return std::nullopt;
}

}  // namespace zmtp
