#include "zmtp/socket/xsub_socket.h"

#include "zmtp/routing/xsub_state.h"
#include "zmtp/socket/socket_core.h"

#include <utility>

namespace zmtp {

xsub_socket::xsub_socket(asio::any_io_executor executor)
    : xsub_socket{std::move(executor), socket_options{}} {}

xsub_socket::xsub_socket(asio::any_io_executor executor, const socket_options& options)
    : sending<subscribing<receiving_from<receiving<socket>>>>{
          make_core<xsub_state>(std::move(executor), options)} {}

}  // namespace zmtp
