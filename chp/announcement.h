#pragma once
// What peers of this project tell one another beside 12/CHP, in the X-Zinc property of READY. Pure.

#include "zmtp/metadata.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chp {

struct announcement {
  bool acks = false;  // chp-ack: it sends or understands acknowledgements
  std::optional<std::uint64_t>
      session;          // chp-ack=<16 hexadecimal digits>: of a client, on each connection
  bool backup = false;  // chp-backup: it wants snapshots with ids and times to live
};

// Of a peer that announces nothing: what 12/CHP has. A session that is none counts as not announced.
[[nodiscard]] announcement parse_announcement(const zmtp::metadata& peer) noexcept;

// zmtp::socket_options::extensions of a server, of a client, and of the backup's connections to the
// active server.
[[nodiscard]] std::vector<std::string> announce_server();
[[nodiscard]] std::vector<std::string> announce_client(std::uint64_t session);
[[nodiscard]] std::vector<std::string> announce_backup();

}  // namespace chp
