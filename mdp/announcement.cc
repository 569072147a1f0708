#include "mdp/announcement.h"

#include "zmtp/extensions.h"

#include <charconv>
#include <string_view>

namespace mdp {

namespace {

constexpr std::string_view capacity_name = "capacity";
constexpr std::string_view errors_name = "mdp-errors";

}  // namespace

announcement parse_announcement(const zmtp::metadata& peer) noexcept {
  announcement parsed;
  parsed.errors = zmtp::find_extension(peer, errors_name).has_value();
  if (const auto text = zmtp::find_extension(peer, capacity_name)) {
    std::size_t number = 0;
    const auto* const end = text->data() + text->size();
    const auto [read_to, ec] = std::from_chars(text->data(), end, number);
    if (ec == std::errc{} && read_to == end && number != 0) {
      parsed.capacity = number;
    } else {
      parsed.malformed = true;
    }
  }
  return parsed;
}

std::vector<std::string> announce(const worker_options& options) {
  if (options.capacity <= 1) {
    return {};
  }
  return {std::string{capacity_name} + '=' + std::to_string(options.capacity)};
}

std::vector<std::string> announce_client() { return {std::string{errors_name}}; }

}  // namespace mdp
