#pragma once
// The request and the reply of ZAP 1.0 (RFC 27), without the empty frame before them. Pure.

#include "zmtp/authenticator.h"
#include "zmtp/message.h"
#include "zmtp/peer.h"

#include <string>
#include <variant>

namespace zmtp {

struct zap_request {
  std::string id;
  std::string domain;
  std::string routing_id;  // names the asking socket
};

[[nodiscard]] message to_message(const zap_request& request, const peer_info& peer,
                                 const credentials& shown);

// Returns the decision, or the fault of a reply that has none.
[[nodiscard]] std::variant<authenticator::verdict, std::string> parse_zap_reply(
    const message& reply, const zap_request& request);

}  // namespace zmtp
