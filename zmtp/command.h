#pragma once
// Commands: name-length name data (RFC 37 "Commands"), and what those after the handshake carry.

#include "zmtp/error.h"
#include "zmtp/options.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace zmtp::command {

// A command frame's body, cut at the end of its name. Views into the body.
struct named {
  std::string_view name;
  std::string_view data;
};
// libzmq's PLAIN spells ERROR without its length and with a wrong first letter; read as ERROR.
// Errors: errc::bad_command (an empty name, or one that is cut short).
[[nodiscard]] result<named> split(std::string_view body) noexcept;

// Views into the body that they were parsed from.
struct subscribe {
  std::string_view topic;
};
struct cancel {
  std::string_view topic;
};
struct ping {
  std::uint16_t ttl;  // tenths of a second; 0 is none
  std::string_view context;
};
struct pong {
  std::string_view context;
};
struct error {
  std::string_view reason;
};
// What an ERROR carries behind its name.
// Errors: errc::bad_command (a reason that is cut short, or octets behind it).
[[nodiscard]] result<error> parse_error(std::string_view data) noexcept;
// Any other command: ignored, as RFC 37 asks.
struct unknown {
  std::string_view name;
};
using traffic = std::variant<subscribe, cancel, ping, pong, error, unknown>;

// A command after the handshake.
// Errors: errc::bad_command, bad_ping, topic_too_long.
[[nodiscard]] result<traffic> parse_traffic(std::string_view body, const limits& limit) noexcept;

// A subscription as a message of one part: 0x01 topic, 0x00 topic. ZMTP 3.0 peers send it so, and
// any peer may. Nothing for a part that is none.
struct subscription {
  bool subscribe;
  std::string_view topic;
};
[[nodiscard]] std::variant<std::monostate, subscription> parse_subscription(
    std::string_view part) noexcept;

// Whole frames, header included, appended to `to`.
void put(std::string& to, std::string_view name, std::string_view data);
void put_ping(std::string& to, std::uint16_t ttl, std::string_view context);
void put_pong(std::string& to, std::string_view context);
void put_error(std::string& to, std::string_view reason);
// As the peer of this minor version wants it: a command for 3.1, a message for 3.0.
void put_subscribe(std::string& to, std::string_view topic, std::uint8_t peer_minor);
void put_cancel(std::string& to, std::string_view topic, std::uint8_t peer_minor);

}  // namespace zmtp::command
