#pragma once
// What a socket with addressable peers receives: who, and what.

#include "zmtp/message.h"
#include "zmtp/routing/peer_id.h"

#include <cstdint>

namespace zmtp {

struct routed_message {
  enum class kind : std::uint8_t {
    message,
    attached,  // the peer can be sent to from now on; before its first message
    detached,  // the peer is gone; after its last message
  };

  kind what = kind::message;
  peer_id peer;
  message content;  // without parts unless `what` is message
};

}  // namespace zmtp
