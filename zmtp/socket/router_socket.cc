#include "zmtp/socket/router_socket.h"

#include "zmtp/routing/router_state.h"
#include "zmtp/socket/socket_core.h"

#include <utility>

namespace zmtp {

router_socket::router_socket(asio::any_io_executor executor)
    : router_socket{std::move(executor), socket_options{}} {}

router_socket::router_socket(asio::any_io_executor executor, const socket_options& options)
    : enveloping<addressing<receiving<socket, routed_message>>>{make_core<router_state>(
          std::move(executor), options)},
      state_{&static_cast<router_state&>(core_->state())} {}

std::optional<peer_id> router_socket::find(std::string_view routing_id) const noexcept {
  return state_->find_routing_id(routing_id);
}

}  // namespace zmtp
