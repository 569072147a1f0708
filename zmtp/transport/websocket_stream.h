#pragma once
// ws:// — a stream of ZMTP bytes over another stream, which carries WebSocket frames (45/ZWS 2.0).

#include "zmtp/endpoint.h"
#include "zmtp/framing/websocket_frame.h"
#include "zmtp/options.h"
#include "zmtp/transport/network.h"

#include <boost/asio/any_io_executor.hpp>

#include <memory>

namespace zmtp::transport {

// `over` is connected, and belongs to `executor`. `at` is the endpoint that the server has bound,
// or to which the client has connected.
//
// The greeting of the local side, which must be written first, never leaves this stream. Its
// mechanism decides about the sub-protocols. A client sends its request after it. The upgrade
// happens in the reads and writes of the user. The first bytes that the user reads are a greeting
// with the mechanism that both sides have.
//
// Errors of reads: those of `over`, and errc::bad_upgrade, upgrade_refused, foreign_origin,
// mechanism_mismatch, bad_websocket_frame, routing_id_too_long, out_of_memory.
[[nodiscard]] std::unique_ptr<stream> make_websocket_stream(std::unique_ptr<stream> over,
                                                            websocket::side own,
                                                            const ws_address& at,
                                                            const transport_options& options,
                                                            const asio::any_io_executor& executor);

}  // namespace zmtp::transport
