#include "zmtp/socket/rep_socket.h"

#include "zmtp/routing/rep_state.h"
#include "zmtp/socket/socket_core.h"

#include <utility>

namespace zmtp {

rep_socket::rep_socket(asio::any_io_executor executor)
    : rep_socket{std::move(executor), socket_options{}} {}

rep_socket::rep_socket(asio::any_io_executor executor, const socket_options& options)
    : sending<receiving_from<receiving<socket>>>{
          make_core<rep_state>(std::move(executor), options)} {}

}  // namespace zmtp
