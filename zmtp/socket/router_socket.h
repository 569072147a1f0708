#pragma once
// ROUTER: receives from all and says from whom, sends to whom one says. Face of
// zmtp/routing/router_state.h.

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

// A peer is named by its peer_id, which is beside the message and not a frame in it; plain messages have
// the routing id in front, as an envelope. With socket_options::announce_peers attach and detach are
// received too, in order.
class router_socket : public enveloping<addressing<receiving<socket, routed_message>>> {
public:
  // With the options' defaults. No default argument: GCC 12 destroys one twice if the executor is
  // awaited in the same expression.
  explicit router_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error with errc::bad_option.
  router_socket(asio::any_io_executor executor, const socket_options& options);

  using addressing::async_receive;
  using addressing::async_send;
  using addressing::try_receive;
  using addressing::try_send;
  using enveloping::async_receive;
  using enveloping::async_send;
  using enveloping::try_receive;
  using enveloping::try_send;

  // The living peer with this routing id.
  [[nodiscard]] std::optional<peer_id> find(std::string_view routing_id) const noexcept;

private:
  router_state* state_;
};

}  // namespace zmtp
