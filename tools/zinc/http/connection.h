#pragma once
// A connection of an HTTP server.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

namespace zinc::http {

using tcp_stream = boost::beast::basic_stream<boost::asio::ip::tcp, boost::asio::any_io_executor>;

inline constexpr auto token = boost::asio::as_tuple(boost::asio::use_awaitable);

struct connection : std::enable_shared_from_this<connection> {
  connection(boost::asio::ip::tcp::socket&& socket, std::size_t buffer_size)
      : stream{std::move(socket)}, buffer{buffer_size}, rest{stream.get_executor()} {}

  // Cancels the reading after this time, unless end_rest() is called before.
  void begin_rest(std::chrono::milliseconds at_most) {
    rest.expires_after(at_most);
    rest.async_wait([self = shared_from_this()](boost::system::error_code ec) {
      // The handler may be queued already when the time is changed.
      if (!ec && self->is_late()) {
        self->stream.cancel();
      }
    });
  }
  void end_rest() { rest.expires_at(boost::asio::steady_timer::time_point::max()); }
  [[nodiscard]] bool is_late() const {
    return rest.expiry() <= boost::asio::steady_timer::clock_type::now();
  }

  tcp_stream stream;
  boost::beast::flat_buffer buffer;
  boost::asio::steady_timer rest;  // the time for the rest of a request
  bool waits = true;               // for a request or the rest of it
};

}  // namespace zinc::http
