#include "zmtp/socket/pair_socket.h"

#include "zmtp/routing/pair_state.h"
#include "zmtp/socket/socket_core.h"

#include <utility>

namespace zmtp {

pair_socket::pair_socket(asio::any_io_executor executor)
    : pair_socket{std::move(executor), socket_options{}} {}

pair_socket::pair_socket(asio::any_io_executor executor, const socket_options& options)
    : sending<receiving_from<receiving<socket>>>{
          make_core<pair_state>(std::move(executor), options)} {}

}  // namespace zmtp
