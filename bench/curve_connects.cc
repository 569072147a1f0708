// Sends COUNT messages with CURVE, each on a connection of its own.
#include "bench/curve.h"
#include "bench/support/arguments.h"
#include "bench/support/endpoint.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdint>
#include <string>

namespace {

namespace asio = boost::asio;

constexpr int at_once = 16;

asio::awaitable<void> connect_again_and_again(const std::string& to, std::uint64_t size,
                                              std::uint64_t& left) {
  const auto executor = co_await asio::this_coro::executor;
  const auto options = bench::curve_client();
  while (left != 0) {
    --left;
    zmtp::push_socket push{executor, options};
    push.connect(to);
    zmtp::message one;
    (void)one.prepare_back(size);
    co_await push.async_send(std::move(one), asio::use_awaitable);
    co_await push.async_close(asio::use_awaitable);
  }
}

}  // namespace

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT"};
  const auto to = arguments.endpoint(0);
  const auto size = arguments.number(1);
  auto left = arguments.number(2);
  asio::io_context context{1};
  for (int i = 0; i < at_once; ++i) {
    co_spawn(context, connect_again_and_again(to, size, left), zmtp::rethrow);
  }
  context.run();
}
