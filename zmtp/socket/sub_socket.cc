#include "zmtp/socket/sub_socket.h"

#include "zmtp/routing/sub_state.h"
#include "zmtp/socket/socket_core.h"

#include <utility>

namespace zmtp {

sub_socket::sub_socket(asio::any_io_executor executor)
    : sub_socket{std::move(executor), socket_options{}} {}

sub_socket::sub_socket(asio::any_io_executor executor, const socket_options& options)
    : subscribing<announcing<receiving_from<receiving<socket>>>>{
          make_core<sub_state>(std::move(executor), options)} {}

}  // namespace zmtp
