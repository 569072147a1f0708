#pragma once
// The address of a server of the clustered hashmap: its three ports (12/CHP "Ports and
// Connections").

#include "zmtp/endpoint.h"

#include <optional>
#include <string>
#include <string_view>

namespace chp {

// The endpoints of a server.
struct server_address {
  std::string snapshot;   // ROUTER, P; not used without snapshots
  std::string publisher;  // PUB, P + 1
  std::string collector;  // SUB, P + 2; empty if the server takes no updates

  // Returns the addresses for the first port: tcp://host:5556, or host:5556 for short, or
  // ws://host:5556/path, whose path all three have.
  // Throws: boost::system::system_error with zmtp::errc::bad_endpoint or an error of
  // zmtp::endpoint::parse if that is not an endpoint to connect to, or if its port is above 65533.
  [[nodiscard]] static server_address at(std::string_view first);
};

// Returns the endpoint `count` ports after `first`, or nothing if it has no port or the port is
// invalid.
[[nodiscard]] std::optional<zmtp::endpoint> endpoint_behind(zmtp::endpoint first, unsigned count);

}  // namespace chp
