#include "chp/announcement.h"

#include "zmtp/metadata.h"

#include <charconv>
#include <cstddef>
#include <string_view>

namespace chp {

namespace {

constexpr std::string_view ack_name = "chp-ack";
constexpr std::string_view log_name = "chp-log";
constexpr std::string_view backup_name = "chp-backup";
constexpr std::size_t session_digits = 16;

}  // namespace

announcement parse_announcement(const zmtp::metadata& peer) noexcept {
  announcement parsed;
  parsed.log = zmtp::find_extension(peer, log_name).has_value();
  parsed.backup = zmtp::find_extension(peer, backup_name).has_value();
  if (const auto text = zmtp::find_extension(peer, ack_name)) {
    parsed.acks = true;
    std::uint64_t session = 0;
    const auto* const end = text->data() + text->size();
    const auto [read_to, ec] = std::from_chars(text->data(), end, session, 16);
    if (text->size() == session_digits && ec == std::errc{} && read_to == end) {
      parsed.session = session;
    }
  }
  return parsed;
}

std::vector<std::string> announce_server() {
  return {std::string{ack_name}, std::string{log_name}};
}

std::vector<std::string> announce_client(std::uint64_t session) {
  auto text = std::string{ack_name} + '=';
  for (auto shift = 4 * session_digits; shift != 0; shift -= 4) {
    text += "0123456789abcdef"[session >> (shift - 4) & 15];
  }
  return {text, std::string{log_name}};
}

std::vector<std::string> announce_backup() {
  return {std::string{log_name}, std::string{backup_name}};
}

}  // namespace chp
