#pragma once
// The extensions that Zinc's peers announce in the X-Zinc property of READY. Pure.

#include "zmtp/metadata.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chp {

// The announcement of a peer. The defaults are those of 12/CHP.
struct announcement {
  bool acks = false;                     // chp-ack: it is Zinc's
  bool log = false;                      // chp-log: its version has a log, or reads answers
  std::optional<std::uint64_t> session;  // chp-ack=<16 hexadecimal digits>: a client's session
  bool backup = false;                   // chp-backup: the other server of the pair
};

// Returns the announcement of a peer. An invalid session counts as not announced.
[[nodiscard]] announcement parse_announcement(const zmtp::metadata& peer) noexcept;

// Return the zmtp::socket_options::extensions of a server, of a client, and of a backup's
// connections to the active server.
[[nodiscard]] std::vector<std::string> announce_server();
[[nodiscard]] std::vector<std::string> announce_client(std::uint64_t session);
[[nodiscard]] std::vector<std::string> announce_backup();

}  // namespace chp
