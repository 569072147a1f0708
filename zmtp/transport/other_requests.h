#pragma once
// Requests at a ws:// endpoint that are not for its socket, such as those for a web page: a web server
// can share the port of the socket.

#include "zmtp/endpoint.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>

#include <functional>
#include <string>

namespace zmtp::transport {

namespace asio = boost::asio;

// Gets a connection whose first request is for a web server: the descriptor, which it owns from then
// on, and the bytes that the socket has read. Called in the executor of the socket. Must not throw.
using connection_taker = std::function<void(int descriptor, std::string read)>;

// From now on, sockets of `context` give such connections of `at`, which they have bound, to `to`.
// Until the request is complete, the connection counts as a pending handshake of the socket. A
// connection that is given away counts as lost there. Call before the context runs.
void give_other_requests(asio::execution_context& context, const ws_address& at,
                         connection_taker to);

// Returns null if sockets refuse such requests themselves.
[[nodiscard]] const connection_taker* taker_of_other_requests(const asio::any_io_executor& executor,
                                                              const ws_address& at);

}  // namespace zmtp::transport
