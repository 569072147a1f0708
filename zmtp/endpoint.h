#pragma once
// An endpoint as users write it: transport://address.

#include "zmtp/error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace zmtp {

// tcp://host:port. `host` is a name, an IPv4 address, an IPv6 address (written in brackets, kept
// without them) or "*" (every address, to bind). `port` 0, written 0 or *, is the system's choice.
struct endpoint {
  std::string host;
  std::uint16_t port = 0;

  // Errors: errc::bad_endpoint, errc::unknown_transport.
  [[nodiscard]] static result<endpoint> parse(std::string_view text);
  [[nodiscard]] std::string to_string() const;
  // Whether one can connect to it: a host and a port are named.
  [[nodiscard]] bool connectable() const noexcept { return host != "*" && port != 0; }

  friend bool operator==(const endpoint&, const endpoint&) = default;
};

}  // namespace zmtp
