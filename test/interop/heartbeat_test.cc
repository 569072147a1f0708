// Heartbeats between ours and libzmq's: theirs, that close the connection when they are not answered, and
// ours.

#include "test/interop/two_sides.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <optional>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

// A busy machine may keep our side from answering for a while.
constexpr std::chrono::milliseconds timeout{500};

class heartbeat : public testing::TestWithParam<binder> {
protected:
  static void turn_on(libzmq::socket& theirs) {
    theirs.set(ZMQ_HEARTBEAT_IVL, 50);
    theirs.set(ZMQ_HEARTBEAT_TIMEOUT, static_cast<int>(timeout.count()));
    theirs.set(ZMQ_HEARTBEAT_TTL, 2'000);
  }

  two_sides sides;
};

TEST_P(heartbeat, our_router_answers_the_heartbeat_of_an_idle_peer) {
  router_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  turn_on(theirs);
  libzmq::monitor events{sides.theirs(), theirs};
  join(GetParam(), ours, theirs);
  const auto echo = [&]() -> asio::awaitable<void> {
    routed_message m = co_await ours.async_receive(use_awaitable);
    co_await ours.async_send(m.peer, std::move(m.content), use_awaitable);
  };
  sides.run(echo, [&] {
    events.wait(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    EXPECT_EQ(events.wait_within(ZMQ_EVENT_DISCONNECTED, 3 * timeout), std::nullopt);
    theirs.send({"hello"});
    EXPECT_EQ(theirs.receive(), parts{"hello"});
  });
  // While our side does not run, it does not answer. This shows that our answers kept the connection alive
  // above.
  EXPECT_TRUE(events.wait_within(ZMQ_EVENT_DISCONNECTED, 10s));
}

TEST_P(heartbeat, our_dealer_answers_the_heartbeat_of_an_idle_peer) {
  dealer_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_ROUTER};
  turn_on(theirs);
  libzmq::monitor events{sides.theirs(), theirs};
  join(GetParam(), ours, theirs);
  sides.run_theirs([&] {
    events.wait(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    EXPECT_EQ(events.wait_within(ZMQ_EVENT_DISCONNECTED, 3 * timeout), std::nullopt);
  });
  EXPECT_TRUE(events.wait_within(ZMQ_EVENT_DISCONNECTED, 10s));
}

// Heartbeats are commands between the messages, and between the parts of none.
TEST_P(heartbeat, goes_on_between_large_messages) {
  dealer_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  turn_on(theirs);
  theirs.set(ZMQ_HEARTBEAT_IVL, 20);
  theirs.set(ZMQ_SNDHWM, 2);
  theirs.set(ZMQ_RCVHWM, 2);
  libzmq::monitor events{sides.theirs(), theirs};
  join(GetParam(), ours, theirs);
  const auto end = std::chrono::steady_clock::now() + 1s;
  const parts large{content(300'000, 1), "", content(300'000, 2)};
  const auto echo = [&]() -> asio::awaitable<void> {
    for (bool last = false; !last;) {
      message m = co_await ours.async_receive(use_awaitable);
      last = m.size() == 1;
      co_await ours.async_send(std::move(m), use_awaitable);
    }
  };
  sides.run(echo, [&] {
    for (int i = 0; std::chrono::steady_clock::now() < end; ++i) {
      theirs.send(large);
      theirs.send(large);
      EXPECT_TRUE(theirs.receive() == large) << "message " << 2 * i;
      EXPECT_TRUE(theirs.receive() == large) << "message " << 2 * i + 1;
    }
    theirs.send({"last"});
    EXPECT_EQ(theirs.receive(), parts{"last"});
    EXPECT_EQ(events.wait_within(ZMQ_EVENT_DISCONNECTED, 0ms), std::nullopt);
  });
}

// Strict: without their answers ours would close it.
TEST_P(heartbeat, an_idle_peer_answers_our_heartbeat) {
  socket_options options;
  options.heartbeat = {
      .interval = 20ms, .timeout = timeout, .ttl = std::chrono::seconds{1}, .strict = true};
  dealer_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_ROUTER};
  libzmq::monitor events{sides.theirs(), theirs};
  join(GetParam(), ours, theirs);
  sides.run_theirs([&] {
    events.wait(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    EXPECT_EQ(events.wait_within(ZMQ_EVENT_DISCONNECTED, 3 * timeout), std::nullopt);
  });
  EXPECT_EQ(ours.counters().not_reading, 0U);
  EXPECT_EQ(ours.counters().ended[static_cast<std::size_t>(errc::heartbeat_timeout)], 0U);
  // While our side does not run, libzmq closes the connection after our TTL. This shows that it has received
  // our PING.
  EXPECT_TRUE(events.wait_within(ZMQ_EVENT_DISCONNECTED, 10s));
}

TEST_P(heartbeat, heartbeats_and_ttls_of_both_sides_work_together) {
  socket_options options;
  options.heartbeat = {
      .interval = 20ms, .timeout = timeout, .ttl = std::chrono::seconds{2}, .strict = true};
  router_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  turn_on(theirs);
  libzmq::monitor events{sides.theirs(), theirs};
  join(GetParam(), ours, theirs);
  const auto echo = [&]() -> asio::awaitable<void> {
    routed_message m = co_await ours.async_receive(use_awaitable);
    co_await ours.async_send(m.peer, std::move(m.content), use_awaitable);
  };
  sides.run(echo, [&] {
    events.wait(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    EXPECT_EQ(events.wait_within(ZMQ_EVENT_DISCONNECTED, 3 * timeout), std::nullopt);
    theirs.send({"hello"});
    EXPECT_EQ(theirs.receive(), parts{"hello"});
  });
}

INSTANTIATE_TEST_SUITE_P(both_ways, heartbeat, testing::Values(binder::ours, binder::theirs),
                         [](const auto& who) { return to_string(who.param); });

}  // namespace
}  // namespace zmtp::test
