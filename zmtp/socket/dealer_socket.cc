#include "zmtp/socket/dealer_socket.h"

#include "zmtp/routing/round_robin_state.h"
#include "zmtp/socket/batch.h"
#include "zmtp/socket/socket_core.h"

#include <utility>

namespace zmtp {

dealer_socket::dealer_socket(asio::any_io_executor executor)
    : dealer_socket{std::move(executor), socket_options{}} {}

dealer_socket::dealer_socket(asio::any_io_executor executor, const socket_options& options)
    : sending<receiving<socket>>{make_core<dealer_state>(std::move(executor), options)} {}

void dealer_socket::start_receive(std::vector<routed_message>& batch, deadline until,
                                  operations::received_handler handler) {
  core_->start(waiting_room::side::to_receive, std::move(handler), until,
               [&core = *core_, &batch](error_code&, std::size_t& count) {
                 return receive_batch(batch, count, core.state());
               });
}

}  // namespace zmtp
