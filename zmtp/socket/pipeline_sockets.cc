#include "zmtp/socket/pipeline_sockets.h"

#include "zmtp/engine/socket_core.h"
#include "zmtp/routing/round_robin_state.h"

#include <utility>

namespace zmtp {

push_socket::push_socket(asio::any_io_executor executor)
    : push_socket{std::move(executor), socket_options{}} {}

push_socket::push_socket(asio::any_io_executor executor, const socket_options& options)
    : sending<socket>{make_core<push_state>(std::move(executor), options)} {}

pull_socket::pull_socket(asio::any_io_executor executor)
    : pull_socket{std::move(executor), socket_options{}} {}

pull_socket::pull_socket(asio::any_io_executor executor, const socket_options& options)
    : receiving_from<receiving<socket>>{make_core<pull_state>(std::move(executor), options)} {}

}  // namespace zmtp
