#pragma once
// Commands (RFC 37 "Commands"): name-length name data. Parses and writes the commands that follow
// the handshake.

#include "zmtp/error.h"
#include "zmtp/options.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace zmtp::command {

// The body of a command frame, split at the end of the name. Both members are views into the body.
struct named {
  std::string_view name;
  std::string_view data;
};
// Splits the body of a command frame. libzmq's PLAIN spells ERROR as `^RROR` without a length. This
// function returns ERROR for that spelling.
// Errors: errc::bad_command (the name is empty or truncated).
[[nodiscard]] result<named> split(std::string_view body) noexcept;

// All members are views into the parsed body.
struct subscribe {
  std::string_view topic;
};
struct cancel {
  std::string_view topic;
};
struct ping {
  std::uint16_t ttl;  // tenths of a second; 0: no TTL
  std::string_view context;
};
struct pong {
  std::string_view context;
};
struct error {
  std::string_view reason;
};
// Parses the data of an ERROR command.
// Errors: errc::bad_command (the reason is truncated, or bytes follow it).
[[nodiscard]] result<error> parse_error(std::string_view data) noexcept;
// Any other command. RFC 37 requires peers to ignore it.
struct unknown {
  std::string_view name;
};
using traffic = std::variant<subscribe, cancel, ping, pong, error, unknown>;

// Parses the body of a command that arrives after the handshake.
// Errors: errc::bad_command, bad_ping, topic_too_long.
[[nodiscard]] result<traffic> parse_traffic(std::string_view body, const limits& limit) noexcept;

// Parses a subscription that arrives as a message of one part: 0x01 topic or 0x00 topic. ZMTP 3.0
// peers send this form, and 3.1 peers may. Returns monostate if the part is not a subscription.
struct subscription {
  bool subscribe;
  std::string_view topic;
};
[[nodiscard]] std::variant<std::monostate, subscription> parse_subscription(
    std::string_view part) noexcept;

// These functions append whole frames, with their headers, to `to`.
void put(std::string& to, std::string_view name, std::string_view data);
void put_ping(std::string& to, std::uint16_t ttl, std::string_view context);
void put_pong(std::string& to, std::string_view context);
void put_error(std::string& to, std::string_view reason);
// Append the form that a peer of this minor version expects: a command for 3.1, a message for 3.0.
void put_subscribe(std::string& to, std::string_view topic, std::uint8_t peer_minor);
void put_cancel(std::string& to, std::string_view topic, std::uint8_t peer_minor);

}  // namespace zmtp::command
