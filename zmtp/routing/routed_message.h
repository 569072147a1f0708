#pragma once
// A received item of a socket with addressable peers: the peer, and the message.

#include "zmtp/message.h"
#include "zmtp/routing/peer_id.h"

#include <cstdint>

namespace zmtp {

struct routed_message {
  enum class kind : std::uint8_t {
    message,
    attached,  // the peer can be sent to from now on; comes before its first message
    detached,  // the peer has disconnected; comes after its last message
  };

  kind what = kind::message;
  peer_id peer;
  message content;  // without parts unless `what` is message
};

}  // namespace zmtp
