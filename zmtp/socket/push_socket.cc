#include "zmtp/socket/push_socket.h"

#include "zmtp/routing/round_robin_state.h"
#include "zmtp/socket/socket_core.h"

#include <utility>

namespace zmtp {

push_socket::push_socket(asio::any_io_executor executor)
    : push_socket{std::move(executor), socket_options{}} {}

push_socket::push_socket(asio::any_io_executor executor, const socket_options& options)
    : sending<socket>{make_core<push_state>(std::move(executor), options)} {}

}  // namespace zmtp
