#pragma once
// The properties of a peer after its handshake.

#include "zmtp/metadata.h"
#include "zmtp/process_credentials.h"
#include "zmtp/socket_type.h"

#include <optional>
#include <string>

namespace zmtp {

struct peer_info {
  std::optional<socket_type> type;  // empty if the peer did not send a Socket-Type
  std::string routing_id;           // as announced; on a ROUTER the id that addresses the peer
  std::string address;              // transport address: 127.0.0.1:40312, [::1]:40312, /run/a, @a
  metadata properties;
  std::optional<process_credentials> credentials{};  // only of a peer that is connected over ipc
};

// Returns `*known`, or an empty peer_info if `known` is null because the peer has disconnected. The
// empty one is never destroyed, so that objects with static lifetime may use it.
[[nodiscard]] inline const peer_info& known_or_empty(const peer_info* known) {
  static const auto& empty = *new const peer_info;
  return known != nullptr ? *known : empty;
}

}  // namespace zmtp
