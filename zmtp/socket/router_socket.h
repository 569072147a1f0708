#pragma once
// ROUTER: receives from all peers with the sender of each message, and sends to a named peer.
// Public type over zmtp/routing/router_state.h.

#include "zmtp/options.h"
#include "zmtp/routing/peer_id.h"
#include "zmtp/routing/routed_message.h"
#include "zmtp/socket/addressing.h"
#include "zmtp/socket/enveloping.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/socket.h"

#include <optional>
#include <string_view>

namespace zmtp {

class router_state;

// A peer_id names a peer. The peer_id is beside the message, not a part of it. The operations with
// a plain message use an envelope: the first part is the routing id. With
// socket_options::announce_peers, the user also receives attach and detach of peers, in order.
//
// Thread safety, executor and lifetime: see zmtp::socket.
class router_socket : public enveloping<addressing<receiving<socket, routed_message>>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit router_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option.
  router_socket(asio::any_io_executor executor, const socket_options& options);

  using addressing::async_receive;
  using addressing::async_send;
  using addressing::try_receive;
  using addressing::try_send;
  using enveloping::async_receive;
  using enveloping::async_send;
  using enveloping::try_receive;
  using enveloping::try_send;

  // Returns the live peer with this routing id, or nothing.
  [[nodiscard]] std::optional<peer_id> find(std::string_view routing_id) const noexcept;

private:
  router_state* state_;
};

}  // namespace zmtp
