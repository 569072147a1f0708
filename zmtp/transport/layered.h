#pragma once
// The layers between a socket and the network: TLS and WebSocket.

#include "zmtp/endpoint.h"
#include "zmtp/framing/websocket_frame.h"
#include "zmtp/options.h"
#include "zmtp/transport/network.h"
#include "zmtp/transport/tls_context.h"

#include <boost/asio/any_io_executor.hpp>

#include <memory>

namespace zmtp::transport {

// Returns the stream of a socket for a connection of at.carrier(): `over`, or a stream over it.
// `tls` is null for an endpoint without TLS. The network of `executor` has made `over`, and may wrap
// the result.
[[nodiscard]] std::unique_ptr<stream> layered(std::unique_ptr<stream> over, websocket::side own,
                                              const endpoint& at, const transport_options& options,
                                              const tls_context* tls,
                                              const asio::any_io_executor& executor);

}  // namespace zmtp::transport
