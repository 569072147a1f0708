#pragma once
// The machine or the user that a peer belongs to, from its address.

#include "zmtp/peer.h"

#include <string>

namespace zmtp {

// Returns the IP address without the port: 127.0.0.1, or the first 64 bits of an IPv6 address, which
// one machine may choose the rest of: 2001:db8::/64. Over ipc returns `uid 1000`.
[[nodiscard]] std::string host_of(const peer_info& peer);

// Returns the IP address without the port and the brackets, or another address as it is.
[[nodiscard]] std::string without_port(const std::string& address);

}  // namespace zmtp
