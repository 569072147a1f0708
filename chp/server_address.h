#pragma once
// Where a server of the clustered hashmap is: its three ports (12/CHP "Ports and Connections").

#include <string>
#include <string_view>

namespace chp {

struct server_address {
  std::string snapshot;   // ROUTER, P; without a meaning where no snapshots are asked for
  std::string publisher;  // PUB, P + 1
  std::string collector;  // SUB, P + 2; empty of one that takes no updates

  // Of the first port: tcp://host:5556, or host:5556 for short. Throws boost::system::system_error with
  // errc::bad_endpoint of zmtp where that is no endpoint to connect to, or its port is above 65533.
  [[nodiscard]] static server_address at(std::string_view first);
};

}  // namespace chp
