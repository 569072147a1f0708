#pragma once
// tcp://HOST:PORT in its two halves, and the loopback addresses of which a fan-out uses one a peer.

#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

struct tcp_endpoint {
  std::string host{};
  std::uint16_t port{};

  std::string text() const;
  // Returns the same host with a port that is higher by `ports`.
  tcp_endpoint further(int ports) const;
};

// Ends the program if the text is not an endpoint. Refuses port 0, because the other program would not learn which port
// the system chose.
tcp_endpoint parse_endpoint(std::string_view text);

// The peer's own address in 127/8: 127.0.0.1 for peer 0, then 127.0.0.2 and on.
std::string loopback_address(std::uint64_t peer);

// Raises the limit of open descriptors; ends the program when the system allows too few.
void allow_descriptors(std::uint64_t needed);

}  // namespace bench
