// Once warm, neither messages nor operations allocate memory.

#include "test/support/allocations.h"
#include "test/support/network_test.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using asio::use_awaitable;

class steady_state : public network_test {
public:
  void SetUp() override { static_cast<void>(join(dealer_, router_)); }

  // How often memory was asked for while `count` more messages came back, once as many have.
  std::size_t requests_for(std::size_t count, const std::size_t& came_back) {
    const auto warm = came_back + count;
    run_until([&] { return came_back >= warm; });
    const auto before = counted().requests;
    const auto last = came_back + count;
    run_until([&] { return came_back >= last; });
    return counted().requests - before;
  }

  dealer_socket dealer_{executor()};
  router_socket router_{executor(), announcing()};
  std::size_t came_back_ = 0;
};

class of_size : public steady_state, public testing::WithParamInterface<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(bytes, of_size, testing::Values(10, 90, 1'000, 4'000));

TEST_P(of_size, batches_allocate_only_the_read_buffers) {
  const message model{std::string(GetParam(), 'x')};
  const auto echo = [&]() -> asio::awaitable<void> {
    message_batch batch;
    for (;;) {
      co_await router_.async_receive(batch, use_awaitable);
      for (const auto each : batch) {
        static_cast<void>(router_.try_send(each.peer(), each.to_message()));
      }
    }
  };
  const auto ask = [&]() -> asio::awaitable<void> {
    message_batch batch;
    for (int i = 0; i < 100; ++i) {
      auto copy = model;
      static_cast<void>(dealer_.try_send(std::move(copy)));
    }
    for (;;) {
      const auto count = co_await dealer_.async_receive(batch, use_awaitable);
      came_back_ += count;
      for (const auto each : batch) {
        static_cast<void>(dealer_.try_send(each.to_message()));
      }
    }
  };
  asio::co_spawn(context(), echo, asio::detached);
  asio::co_spawn(context(), ask, asio::detached);
  // A message that does not fit into a message object is a slice of its read buffer: a block that
  // stays until its last message is destroyed.
  constexpr std::size_t inline_size = 96;
  constexpr std::size_t read_size = 64 * 1024;
  constexpr std::size_t count = 10'000;
  const auto blocks = GetParam() <= inline_size ? 0 : 2 * count * (GetParam() + 10) / read_size;
  EXPECT_LE(requests_for(count, came_back_), blocks);
}

TEST_P(of_size, framed_batches_allocate_nothing) {
  const std::string body(GetParam(), 'x');
  const auto echo = [&]() -> asio::awaitable<void> {
    for (message_batch batch;;) {
      co_await router_.async_receive(batch, use_awaitable);
      co_await router_.async_send_to(batch, use_awaitable);
    }
  };
  const auto ask = [&]() -> asio::awaitable<void> {
    message_batch received;
    message_batch next;
    for (int i = 0; i < 100; ++i) {
      next.append(body);
    }
    for (;;) {
      co_await dealer_.async_send(next, use_awaitable);
      came_back_ += co_await dealer_.async_receive(received, use_awaitable);
      for (const auto m : received) {
        next.append(m.front());
      }
    }
  };
  asio::co_spawn(context(), echo, asio::detached);
  asio::co_spawn(context(), ask, asio::detached);
  EXPECT_EQ(requests_for(10'000, came_back_), 0U);
}

TEST_P(of_size, awaited_one_by_one_allocate_nothing) {
  const message model{std::string(GetParam(), 'x')};
  const auto echo = [&]() -> asio::awaitable<void> {
    for (;;) {
      auto got = co_await router_.async_receive(use_awaitable);
      co_await router_.async_send(got.peer, std::move(got.content), use_awaitable);
    }
  };
  const auto ask = [&]() -> asio::awaitable<void> {
    auto m = model;
    for (;;) {
      co_await dealer_.async_send(std::move(m), use_awaitable);
      m = co_await dealer_.async_receive(use_awaitable);
      ++came_back_;
    }
  };
  asio::co_spawn(context(), echo, asio::detached);
  asio::co_spawn(context(), ask, asio::detached);
  EXPECT_EQ(requests_for(2'000, came_back_), 0U);
}

TEST_P(of_size, callbacks_with_deadlines_allocate_nothing) {
  const message model{std::string(GetParam(), 'x')};
  struct {
    steady_state& test;
    void echo() {
      test.router_.async_receive([this](error_code ec, routed_message m) {
        if (!ec) {
          static_cast<void>(test.router_.try_send(m.peer, std::move(m.content)));
          echo();
        }
      });
    }
    void ask() {
      test.dealer_.async_receive(deadline{std::chrono::hours{1}}, [this](error_code ec, message m) {
        if (!ec) {
          ++test.came_back_;
          static_cast<void>(test.dealer_.try_send(std::move(m)));
          ask();
        }
      });
    }
  } run{*this};
  run.echo();
  run.ask();
  auto first = model;
  EXPECT_EQ(dealer_.try_send(std::move(first)), send_status::queued);
  EXPECT_EQ(requests_for(2'000, came_back_), 0U);
  dealer_.close();
  router_.close();
  run_to_the_end();
}

// Sends from outside a turn, each with a turn of its own posted.
TEST_F(steady_state, calls_from_elsewhere_allocate_nothing) {
  const message model{std::string(50, 'x')};
  const auto round = [&] {
    auto m = model;
    static_cast<void>(dealer_.try_send(std::move(m)));
    auto got = receive(router_);
    static_cast<void>(router_.try_send(got.peer, std::move(got.content)));
    m = receive(dealer_);
    ++came_back_;
  };
  for (int i = 0; i < 1'000; ++i) {
    round();
  }
  const auto before = counted().requests;
  for (int i = 0; i < 1'000; ++i) {
    round();
  }
  EXPECT_EQ(counted().requests - before, 0U);
}

}  // namespace
}  // namespace zmtp::test
