#pragma once
// A connection of an HTTP server.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <cstddef>
#include <utility>

namespace zinc::http {

using tcp_stream = boost::beast::basic_stream<boost::asio::ip::tcp, boost::asio::any_io_executor>;

inline constexpr auto token = boost::asio::as_tuple(boost::asio::use_awaitable);

struct connection {
  connection(boost::asio::ip::tcp::socket&& socket, std::size_t buffer_size)
      : stream{std::move(socket)}, buffer{buffer_size} {}

  tcp_stream stream;
  boost::beast::flat_buffer buffer;
  bool waits = true;  // for a request or the rest of it
};

}  // namespace zinc::http
