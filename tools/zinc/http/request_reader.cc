#include "tools/zinc/http/request_reader.h"

#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>

#include <chrono>

namespace zinc::http {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace web = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr auto discard_timeout = std::chrono::seconds{1};
constexpr std::size_t discard_size = 64 * 1024;

asio::awaitable<error_code> read_some(connection& on) {
  const auto into = on.buffer.prepare(read_size);
  const auto [ec, size] = co_await on.stream.async_read_some(into, token);
  on.buffer.commit(size);
  co_return ec;
}

// Takes bytes of the buffer, and of the connection until the time is over. The timeout of the stream
// would close the connection before it is answered.
asio::awaitable<error_code> receive_rest(connection& on, request_parser& parser) {
  parser.eager(true);
  for (on.stream.expires_never();;) {
    error_code ec;
    on.buffer.consume(parser.put(on.buffer.data(), ec));
    if (parser.is_done() || (ec && ec != web::error::need_more)) {
      co_return ec;
    }
    ec = co_await read_some(on);
    if (on.is_late()) {
      co_return beast::error::timeout;
    }
    if (ec) {
      co_return ec;
    }
  }
}

}  // namespace

asio::awaitable<error_code> receive(std::shared_ptr<connection> on, request_parser& parser,
                                    const limits& at_most) {
  if (on->buffer.size() == 0) {
    on->stream.expires_after(at_most.idle_timeout);
    if (co_await read_some(*on)) {
      co_return web::make_error_code(web::error::end_of_stream);
    }
  }
  on->begin_rest(at_most.request_timeout);
  const auto ec = co_await receive_rest(*on, parser);
  on->end_rest();
  co_return ec;
}

asio::awaitable<void> discard(connection& on) {
  error_code ignored;
  on.stream.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  on.stream.expires_after(discard_timeout);
  for (std::size_t all = 0; all < discard_size; all += on.buffer.size()) {
    on.buffer.clear();
    if (co_await read_some(on)) {
      co_return;
    }
  }
}

}  // namespace zinc::http
