#pragma once
// What is known of a peer once its handshake is over.

#include "zmtp/metadata.h"
#include "zmtp/process_credentials.h"
#include "zmtp/socket_type.h"

#include <optional>
#include <string>

namespace zmtp {

struct peer_info {
  std::optional<socket_type> type;  // nothing if the peer did not say
  std::string routing_id;           // as announced; on a ROUTER as it is addressed
  std::string address;              // of the transport: 127.0.0.1:40312, [::1]:40312, /run/a, @a
  metadata properties;
  std::optional<process_credentials> credentials{};  // of a peer that came over ipc
};

// Returns what is known of a peer, or an empty peer_info if that is null: the peer has disconnected. The
// empty one is never destroyed, so that objects with static lifetime may use it.
[[nodiscard]] inline const peer_info& known_or_empty(const peer_info* known) {
  static const auto& empty = *new const peer_info;
  return known != nullptr ? *known : empty;
}

}  // namespace zmtp
