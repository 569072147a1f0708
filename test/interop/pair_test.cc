// Our PAIR with libzmq's.

#include "test/interop/two_sides.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace zmtp::test {
namespace {

using asio::use_awaitable;

class pair : public testing::TestWithParam<binder> {
protected:
  static asio::awaitable<void> send(pair_socket& ours, parts what) {
    message m = to_message(what);
    co_await ours.async_send(std::move(m), use_awaitable);
  }

  two_sides sides;
};

INSTANTIATE_TEST_SUITE_P(both_ways, pair, testing::Values(binder::ours, binder::theirs),
                         [](const auto& who) { return to_string(who.param); });

TEST_P(pair, messages_of_all_shapes_go_both_ways_in_order) {
  constexpr std::size_t count = 2'000;
  pair_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_PAIR};
  join(GetParam(), ours, theirs);
  const auto echo = [&]() -> asio::awaitable<void> {
    for (std::size_t n = 0; n < count; ++n) {
      parts what = numbered(n);
      co_await send(ours, std::move(what));
      const message back = co_await ours.async_receive(use_awaitable);
      EXPECT_TRUE(to_parts(back) == numbered(n)) << describe(to_parts(back));
    }
  };
  sides.run(echo, [&] {
    for (std::size_t n = 0; n < count; ++n) {
      const auto m = theirs.receive();
      ASSERT_TRUE(m == numbered(n)) << describe(m);
      theirs.send(m);
    }
  });
}

TEST_P(pair, neither_side_loses_messages_above_its_mark) {
  constexpr std::size_t count = 5'000;
  socket_options options;
  options.send_mark.messages = 3;
  options.receive_mark.messages = 3;
  pair_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_PAIR};
  theirs.set(ZMQ_RCVHWM, 3);
  theirs.set(ZMQ_SNDHWM, 3);
  join(GetParam(), ours, theirs);
  const auto stream = [&]() -> asio::awaitable<void> {
    for (std::size_t n = 0; n < count; ++n) {
      parts what = numbered(n);
      co_await send(ours, std::move(what));
    }
    for (std::size_t n = 0; n < count; ++n) {
      const message m = co_await ours.async_receive(use_awaitable);
      EXPECT_TRUE(to_parts(m) == numbered(n));
    }
  };
  sides.run(stream, [&] {
    for (std::size_t n = 0; n < count; ++n) {
      ASSERT_TRUE(theirs.receive() == numbered(n));
    }
    for (std::size_t n = 0; n < count; ++n) {
      theirs.send(numbered(n));
    }
  });
}

// libzmq's peer reconnects after a silent close. The PAIR accepts it when the first has disconnected.
TEST(pair_refusal, their_second_peer_waits_until_the_first_disconnects) {
  constexpr int early = 100;
  two_sides sides;
  pair_socket ours{sides.executor()};
  libzmq::socket first{sides.theirs(), ZMQ_PAIR};
  const auto at = ours.bind("tcp://127.0.0.1:*").to_string();
  first.connect(at);
  libzmq::socket second{sides.theirs(), ZMQ_PAIR};
  second.set(ZMQ_RECONNECT_IVL, 10);
  const auto hear = [&](parts expected) -> asio::awaitable<void> {
    const message m = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(to_parts(m), expected);
  };
  sides.run([&] { return hear({"first"}); }, [&] { first.send({"first"}); });
  const auto ended = [&](errc reason) {
    return ours.counters().ended[static_cast<std::size_t>(reason)];
  };
  const auto until = [&](auto condition) -> asio::awaitable<void> {
    while (!condition()) {
      message m;
      co_await asio::post(ours.get_executor(), use_awaitable);
      EXPECT_FALSE(ours.try_receive(m));
    }
  };
  sides.run([&] { return until([&] { return ended(errc::already_paired) != 0; }); },
            [&] {
              second.connect(at);
              // To no connection that is being refused: it is not told that it may.
              for (int n = 0; n < early; ++n) {
                second.send({"second", std::to_string(n)});
              }
            });
  sides.run([&] { return hear({"second", "0"}); }, [&] { first.close(); });
  for (int n = 1; n < early; ++n) {
    sides.run_ours([&] { return hear({"second", std::to_string(n)}); });
  }
}

}  // namespace
}  // namespace zmtp::test
