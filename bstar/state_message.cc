#include "bstar/state_message.h"

#include <boost/container_hash/hash.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <span>
#include <system_error>

namespace bstar {

namespace {

constexpr std::string_view field_names = "estrld";
constexpr std::size_t required_fields = 4;
// Longer frames are not from Zinc's nodes and are not parsed.
constexpr std::size_t longest_frame = 255;

// Accepts only decimal digits.
std::optional<std::uint64_t> number(std::string_view text) noexcept {
  std::uint64_t value = 0;
  const auto* const end = text.data() + text.size();
  const auto [read_to, ec] = std::from_chars(text.data(), end, value);
  if (ec != std::errc{} || read_to != end) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

boost::system::result<peer_report> parse_state(std::string_view frame) noexcept {
  if (frame.empty() || frame.front() < '1' || frame.front() > '4') {
    return errc::not_a_state;
  }
  peer_report report{.state = static_cast<peer_state>(frame.front() - '0')};
  frame.remove_prefix(1);
  if (frame.empty()) {
    return report;
  }
  if (frame.front() != ' ') {
    return errc::not_a_state;
  }
  if (frame.size() > longest_frame) {
    return errc::bad_account;
  }
  std::array<std::optional<std::uint64_t>, field_names.size()> fields{};
  while (!frame.empty()) {
    frame.remove_prefix(1);  // the space
    const auto field = frame.substr(0, frame.find(' '));
    frame.remove_prefix(field.size());
    const auto equals = field.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return errc::bad_account;
    }
    const auto which = field_names.find(field.front());
    if (equals != 1 || which == std::string_view::npos) {
      continue;
    }
    if (fields[which] || !(fields[which] = number(field.substr(2)))) {
      return errc::bad_account;
    }
  }
  const auto required = std::span{fields}.first<required_fields>();
  if (std::find(required.begin(), required.end(), std::nullopt) != required.end()) {
    return errc::bad_account;
  }
  if (*fields[0] > max_epoch) {
    return errc::epoch_too_large;
  }
  report.more = account{.of = static_cast<epoch>(*fields[0]),
                        .position = *fields[1],
                        .tick = *fields[2],
                        .received = *fields[3],
                        .lacks_data = fields[4].value_or(0) != 0,
                        .declines = fields[5].value_or(0) != 0};
  return report;
}

std::size_t hash_value(const peer_report& of) noexcept {
  std::size_t seed = static_cast<std::size_t>(of.state);
  if (of.more) {
    for (const std::uint64_t field :
         {std::uint64_t{of.more->of}, of.more->position, of.more->tick, of.more->received,
          std::uint64_t{of.more->lacks_data}, std::uint64_t{of.more->declines}}) {
      boost::hash_combine(seed, field);
    }
  }
  return seed;
}

std::string state_digit(peer_state state) {
  return std::string(1, static_cast<char>('0' + static_cast<int>(state)));
}

std::string state_text(const peer_report& report) {
  auto text = state_digit(report.state);
  if (report.more) {
    text += " e=" + std::to_string(report.more->of);
    text += " s=" + std::to_string(report.more->position);
    text += " t=" + std::to_string(report.more->tick);
    text += " r=" + std::to_string(report.more->received);
    text += report.more->lacks_data ? " l=1" : "";
    text += report.more->declines ? " d=1" : "";
  }
  return text;
}

}  // namespace bstar
