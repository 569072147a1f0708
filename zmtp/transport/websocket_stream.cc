#include "zmtp/transport/websocket_stream.h"

#include "zmtp/transport/websocket_connection.h"

#include <utility>

namespace zmtp::transport {

std::unique_ptr<stream> make_websocket_stream(std::unique_ptr<stream> over, websocket::side own,
                                              const ws_address& at,
                                              const transport_options& options,
                                              const asio::any_io_executor& executor) {
  return make_stream(std::make_shared<websocket_connection>(
      std::move(over), own, upgrade_terms{.at = at, .origins = options.websocket_origins},
      executor));
}

}  // namespace zmtp::transport
