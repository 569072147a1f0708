#include "chp/truth.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace chp {

namespace {
constexpr std::array<std::string_view, 5> names{"unknown", "one_server", "one_disk", "both_servers",
                                                "both_disks"};
}  // namespace

std::string_view to_string(truth of) noexcept { return names[static_cast<std::size_t>(of)]; }

std::optional<truth> parse_truth(std::string_view name) noexcept {
  const auto* const found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt
                              : std::optional{static_cast<truth>(found - names.begin())};
}

}  // namespace chp
