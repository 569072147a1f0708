#include "zmtp/transport/layered.h"

#include "zmtp/transport/tls_connection.h"
#include "zmtp/transport/websocket_stream.h"

#include <utility>

namespace zmtp::transport {

std::unique_ptr<stream> layered(std::unique_ptr<stream> over, websocket::side own,
                                const endpoint& at, const transport_options& options,
                                const tls_context* tls, const asio::any_io_executor& executor) {
  const auto& carrier = *over;
  if (tls != nullptr) {
    over = make_tls_stream(std::move(over), *tls, executor);
  }
  if (const auto* const ws = at.ws()) {
    over = make_websocket_stream(std::move(over), own, *ws, options, executor);
  }
  return network::of(executor).wrapped(std::move(over), carrier);
}

}  // namespace zmtp::transport
