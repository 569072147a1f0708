#pragma once
// Reads requests from a connection of an HTTP server.

#include "tools/zinc/http/connection.h"
#include "tools/zinc/http/limits.h"

#include <boost/asio/awaitable.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>

namespace zinc::http {

using request_parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

inline constexpr std::size_t read_size = 4096;  // bytes of one read

// Waits for a request, and then for a shorter time for the rest of it.
[[nodiscard]] boost::asio::awaitable<boost::system::error_code> receive(
    std::shared_ptr<connection> on, request_parser& parser, const limits& at_most);

// Closes gracefully: unread bytes would reset the connection before the peer reads the answer.
[[nodiscard]] boost::asio::awaitable<void> discard(connection& on);

}  // namespace zinc::http
