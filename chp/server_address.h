#pragma once
// The address of a server of the clustered hashmap: its three ports (12/CHP "Ports and
// Connections").

#include <string>
#include <string_view>

namespace chp {

// The endpoints of a server.
struct server_address {
  std::string snapshot;   // ROUTER, P; not used without snapshots
  std::string publisher;  // PUB, P + 1
  std::string collector;  // SUB, P + 2; empty if the server takes no updates

  // Returns the addresses for the first port: tcp://host:5556, or host:5556 for short.
  // Throws: boost::system::system_error with zmtp::errc::bad_endpoint or an error of
  // zmtp::endpoint::parse if that is not an endpoint to connect to, or if its port is above 65533.
  [[nodiscard]] static server_address at(std::string_view first);
};

}  // namespace chp
