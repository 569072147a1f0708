#pragma once
// The socket types of RFC 28–31 and their compatibility (RFC 37 "Socket-Type").

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

// Returns the name that READY contains ("DEALER").
[[nodiscard]] std::string_view to_string(socket_type type) noexcept;
// Returns nothing if no type has this name. Names are upper case.
[[nodiscard]] std::optional<socket_type> parse_socket_type(std::string_view name) noexcept;
// Returns whether sockets of this type announce a routing id: REQ, DEALER and ROUTER, as in libzmq.
[[nodiscard]] bool announces_routing_id(socket_type type) noexcept;
[[nodiscard]] bool compatible(socket_type ours, socket_type theirs) noexcept;

}  // namespace zmtp
