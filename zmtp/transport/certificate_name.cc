#include "zmtp/transport/certificate_name.h"

#include <algorithm>
#include <cstddef>

namespace zmtp::transport {

namespace {

constexpr std::size_t max_size = 255;

bool usable(const std::string& name) noexcept {
  return !name.empty() && name.size() <= max_size && std::ranges::none_of(name, [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
  });
}

}  // namespace

std::string certificate_name(std::span<const std::string> common_names,
                             std::span<const std::string> alternative_names) {
  for (const auto names : {common_names, alternative_names}) {
    if (const auto found = std::ranges::find_if(names, usable); found != names.end()) {
      return *found;
    }
  }
  return {};
}

}  // namespace zmtp::transport
