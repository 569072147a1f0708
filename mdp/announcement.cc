#include "mdp/announcement.h"

#include "zmtp/metadata.h"

#include <array>
#include <charconv>
#include <string_view>

namespace mdp {

namespace {

constexpr std::string_view capacity_name = "capacity";
constexpr std::string_view errors_name = "mdp-errors";
constexpr std::string_view idempotency_name = "idempotency";
constexpr std::string_view nack_name = "nack";
constexpr std::string_view principal_name = "principal";

// The whole text must be a number.
template <class Number>
std::optional<Number> number_of(std::string_view text, int base) noexcept {
  Number number{};
  const auto* const end = text.data() + text.size();
  const auto [read_to, ec] = std::from_chars(text.data(), end, number, base);
  return ec == std::errc{} && read_to == end ? std::optional{number} : std::nullopt;
}

}  // namespace

announcement parse_announcement(const zmtp::metadata& peer) noexcept {
  announcement parsed;
  parsed.errors = zmtp::find_extension(peer, errors_name).has_value();
  parsed.principals = zmtp::find_extension(peer, principal_name).has_value();
  if (const auto text = zmtp::find_extension(peer, capacity_name)) {
    const auto number = number_of<std::size_t>(*text, 10);
    if (number.value_or(0) != 0) {
      parsed.capacity = *number;
    } else {
      parsed.malformed = true;
    }
  }
  return parsed;
}

std::vector<std::string> announce(const worker_options& options) {
  std::vector<std::string> all;
  if (options.in_flight > 1) {
    all.push_back(std::string{capacity_name} + '=' + std::to_string(options.in_flight));
  }
  if (options.reads_principals) {
    all.emplace_back(principal_name);
  }
  return all;
}

std::vector<std::string> announce_client() { return {std::string{errors_name}}; }

broker_announcement parse_broker_announcement(const zmtp::metadata& broker) noexcept {
  broker_announcement parsed;
  parsed.nack = zmtp::find_extension(broker, nack_name).has_value();
  parsed.principals = zmtp::find_extension(broker, principal_name).has_value();
  if (const auto text = zmtp::find_extension(broker, idempotency_name)) {
    parsed.idempotency = number_of<std::uint64_t>(*text, 16);
  }
  return parsed;
}

std::vector<std::string> announce_broker(std::uint64_t instance) {
  std::array<char, 16> digits{};
  auto* const end = digits.data() + digits.size();
  const auto written = std::to_chars(digits.data(), end, instance, 16);
  return {std::string{nack_name},
          std::string{idempotency_name} + '=' + std::string{digits.data(), written.ptr},
          std::string{principal_name}};
}

}  // namespace mdp
