#include "zmtp/socket/request_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

TEST(dealer_router, messages_go_both_ways) {
  asio::io_context context{1};
  router_socket router{context.get_executor()};
  dealer_socket dealer{context.get_executor()};
  dealer.connect(router.bind("tcp://127.0.0.1:*").to_string());
  std::string answer;
  const auto serve = [&]() -> asio::awaitable<void> {
    auto request = co_await router.async_receive(use_awaitable);
    co_await router.async_send(request.peer, std::move(request.content), use_awaitable);
  };
  const auto ask = [&]() -> asio::awaitable<void> {
    message m{"hello", "world"};
    co_await dealer.async_send(std::move(m), use_awaitable);
    const auto reply = co_await dealer.async_receive(deadline{5s}, use_awaitable);
    answer = std::string{reply[0]} + " " + std::string{reply[1]};
    dealer.close();
    router.close();
  };
  asio::co_spawn(context, serve, asio::detached);
  asio::co_spawn(context, ask, asio::detached);
  context.run_for(10s);
  EXPECT_EQ(answer, "hello world");
  EXPECT_TRUE(context.stopped());
}

}  // namespace
}  // namespace zmtp
