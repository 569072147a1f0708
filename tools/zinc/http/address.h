#pragma once
// The address of --http: an IP address and a port. Pure.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace zinc::http {

struct address {
  std::string host = "127.0.0.1";  // an IP address without brackets
  std::uint16_t port = 0;          // 0: the system chooses
  bool loopback = true;            // only programs of this machine can connect
};

// Names the text that is not an address, and the remedy.
class address_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// Reads `PORT`, `HOST:PORT`, `[IPv6]:PORT` or `*:PORT`. The host is an IP address or localhost. `*`
// stands for all IPv4 addresses, and a port alone is a port of 127.0.0.1. Throws address_error.
[[nodiscard]] address parse_address(std::string_view text);

// Returns `HOST:PORT`, as in a URL.
[[nodiscard]] std::string text_of(const address& of);

}  // namespace zinc::http
