#include "zmtp/socket/dealer_socket.h"

#include "zmtp/routing/round_robin_state.h"
#include "zmtp/socket/socket_core.h"

#include <utility>

namespace zmtp {

dealer_socket::dealer_socket(asio::any_io_executor executor)
    : dealer_socket{std::move(executor), socket_options{}} {}

dealer_socket::dealer_socket(asio::any_io_executor executor, const socket_options& options)
    : sending<announcing<receiving_from<receiving<socket>>>>{
          make_core<dealer_state>(std::move(executor), options)} {}

}  // namespace zmtp
