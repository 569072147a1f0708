#pragma once
// The socket types of RFC 28–31 and which of them talk to each other (RFC 37 "Socket-Type").

#include <cstdint>
#include <optional>
#include <string_view>

namespace zmtp {

enum class socket_type : std::uint8_t {
  pair,
  pub,
  sub,
  req,
  rep,
  dealer,
  router,
  pull,
  push,
  xpub,
  xsub,
};

// The name as it is in READY ("DEALER").
[[nodiscard]] std::string_view to_string(socket_type type) noexcept;
// Nothing for a name that no type has. Names are upper case on the wire.
[[nodiscard]] std::optional<socket_type> parse_socket_type(std::string_view name) noexcept;
// Whether sockets of this type announce a routing id, as libzmq's do: REQ, DEALER and ROUTER.
[[nodiscard]] bool announces_routing_id(socket_type type) noexcept;
[[nodiscard]] bool compatible(socket_type ours, socket_type theirs) noexcept;

}  // namespace zmtp
