#pragma once
// Starts the server of --http.

#include "tools/zinc/http/address.h"
#include "tools/zinc/http/server.h"
#include "zmtp/endpoint.h"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zinc {

// A socket that is bound in the context of this executor.
struct bound_socket {
  boost::asio::any_io_executor executor;
  zmtp::endpoint at;
};

// Prints `http URL`. Returns null without an address. The records of the server itself follow those
// of `of`. If one of `sockets` is bound to ws:// at the same host and port, they share the port. No
// context of `sockets` may run yet. Throws boost::system::system_error if the server cannot listen.
[[nodiscard]] std::unique_ptr<http::server> start_http(
    const boost::asio::any_io_executor& executor, const std::optional<http::address>& at,
    http::reporter of, http::operations of_operator = {},
    const std::vector<bound_socket>& sockets = {});

}  // namespace zinc
