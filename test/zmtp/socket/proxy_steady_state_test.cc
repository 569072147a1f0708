// Once warm, what a proxy forwards costs no memory.

#include "test/support/steady_test.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/proxy.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using asio::use_awaitable;

class steady_proxy : public steady_test, public testing::WithParamInterface<std::size_t> {
protected:
  const message model_{std::string(GetParam(), 'x')};
};

// Sizes that fit into a message object, together with a routing id.
INSTANTIATE_TEST_SUITE_P(bytes, steady_proxy, testing::Values(1, 10, 70));

TEST_P(steady_proxy, a_stream_costs_no_memory) {
  push_socket producer{executor()};
  pull_socket from{executor()};
  push_socket to{executor()};
  pull_socket consumer{executor()};
  join(from, producer);
  join(consumer, to);
  proxy p{from, to};
  p.async_run(asio::detached);
  const auto produce = [&]() -> asio::awaitable<void> {
    message_batch batch;
    for (;;) {
      for (int i = 0; i < 500; ++i) {
        batch.append(model_);
      }
      co_await producer.async_send(batch, use_awaitable);
    }
  };
  const auto consume = [&]() -> asio::awaitable<void> {
    message_batch batch;
    for (;;) {
      const auto n = co_await consumer.async_receive(batch, use_awaitable);
      note(n);
    }
  };
  asio::co_spawn(context(), produce, asio::detached);
  asio::co_spawn(context(), consume, asio::detached);
  EXPECT_EQ(requests(), 0U);
}

TEST_P(steady_proxy, requests_and_replies_cost_no_memory) {
  req_socket client{executor()};
  router_socket frontend{executor()};
  dealer_socket backend{executor()};
  rep_socket server{executor()};
  join(static_cast<socket&>(frontend), client);
  join(static_cast<socket&>(backend), server);
  proxy p{frontend, backend};
  p.async_run(asio::detached);
  const auto ask = [&]() -> asio::awaitable<void> {
    for (;;) {
      auto question = model_;
      co_await client.async_send(std::move(question), use_awaitable);
      const message reply = co_await client.async_receive(use_awaitable);
      note(1);
    }
  };
  const auto serve = [&]() -> asio::awaitable<void> {
    for (;;) {
      message m = co_await server.async_receive(use_awaitable);
      co_await server.async_send(std::move(m), use_awaitable);
    }
  };
  asio::co_spawn(context(), ask, asio::detached);
  asio::co_spawn(context(), serve, asio::detached);
  EXPECT_EQ(requests(), 0U);
}

}  // namespace
}  // namespace zmtp::test
