#include "zmtp/socket/pub_socket.h"

#include "zmtp/routing/pub_state.h"
#include "zmtp/socket/socket_core.h"

#include <utility>

namespace zmtp {

pub_socket::pub_socket(asio::any_io_executor executor)
    : pub_socket{std::move(executor), socket_options{}} {}

pub_socket::pub_socket(asio::any_io_executor executor, const socket_options& options)
    : publishing<sending<socket>>{make_core<pub_state>(std::move(executor), options)} {}

}  // namespace zmtp
