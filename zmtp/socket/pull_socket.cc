#include "zmtp/socket/pull_socket.h"

#include "zmtp/routing/round_robin_state.h"
#include "zmtp/socket/socket_core.h"

#include <utility>

namespace zmtp {

pull_socket::pull_socket(asio::any_io_executor executor)
    : pull_socket{std::move(executor), socket_options{}} {}

pull_socket::pull_socket(asio::any_io_executor executor, const socket_options& options)
    : receiving_from<receiving<socket>>{make_core<pull_state>(std::move(executor), options)} {}

}  // namespace zmtp
