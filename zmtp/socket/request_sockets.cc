#include "zmtp/socket/request_sockets.h"

#include "zmtp/engine/socket_core.h"
#include "zmtp/routing/lock_step_state.h"
#include "zmtp/routing/round_robin_state.h"
#include "zmtp/routing/router_state.h"

#include <utility>

namespace zmtp {

req_socket::req_socket(asio::any_io_executor executor)
    : req_socket{std::move(executor), socket_options{}} {}

req_socket::req_socket(asio::any_io_executor executor, const socket_options& options)
    : sending<receiving_from<receiving<socket>>>{
          make_core<req_state>(std::move(executor), options)} {}

rep_socket::rep_socket(asio::any_io_executor executor)
    : rep_socket{std::move(executor), socket_options{}} {}

rep_socket::rep_socket(asio::any_io_executor executor, const socket_options& options)
    : sending<receiving_from<receiving<socket>>>{
          make_core<rep_state>(std::move(executor), options)} {}

dealer_socket::dealer_socket(asio::any_io_executor executor)
    : dealer_socket{std::move(executor), socket_options{}} {}

dealer_socket::dealer_socket(asio::any_io_executor executor, const socket_options& options)
    : sending<receiving_from<receiving<socket>>>{
          make_core<dealer_state>(std::move(executor), options)} {}

router_socket::router_socket(asio::any_io_executor executor)
    : router_socket{std::move(executor), socket_options{}} {}

router_socket::router_socket(asio::any_io_executor executor, const socket_options& options)
    : enveloping<addressing<receiving<socket, routed_message>>>{make_core<router_state>(
          std::move(executor), options)},
      state_{&static_cast<router_state&>(core_->state())} {}

std::optional<peer_id> router_socket::find(std::string_view routing_id) const noexcept {
  return state_->find_routing_id(routing_id);
}

pair_socket::pair_socket(asio::any_io_executor executor)
    : pair_socket{std::move(executor), socket_options{}} {}

pair_socket::pair_socket(asio::any_io_executor executor, const socket_options& options)
    : sending<receiving_from<receiving<socket>>>{
          make_core<pair_state>(std::move(executor), options)} {}

}  // namespace zmtp
