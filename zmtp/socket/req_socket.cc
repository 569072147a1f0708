#include "zmtp/socket/req_socket.h"

#include "zmtp/routing/req_state.h"
#include "zmtp/socket/socket_core.h"

#include <utility>

namespace zmtp {

req_socket::req_socket(asio::any_io_executor executor)
    : req_socket{std::move(executor), socket_options{}} {}

req_socket::req_socket(asio::any_io_executor executor, const socket_options& options)
    : sending<receiving_from<receiving<socket>>>{
          make_core<req_state>(std::move(executor), options)} {}

}  // namespace zmtp
