// Options that a libzmq peer notices: probes and hello messages, disconnect messages, conflation.

#include "test/interop/two_sides.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <string>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

class peer_options : public testing::TestWithParam<binder> {
protected:
  two_sides sides;
};

INSTANTIATE_TEST_SUITE_P(both_ways, peer_options, testing::Values(binder::ours, binder::theirs),
                         [](const auto& who) { return to_string(who.param); });

TEST_P(peer_options, their_router_sees_our_probe_and_can_speak_first) {
  socket_options options;
  options.probe_router = true;
  options.routing_id = "us";
  dealer_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_ROUTER};
  join(GetParam(), ours, theirs);
  const auto hear = [&]() -> asio::awaitable<void> {
    const message m = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(m.front(), "we know you");
  };
  sides.run(hear, [&] {
    EXPECT_EQ(theirs.receive(), (parts{"us", ""}));
    theirs.send({"us", "we know you"});
  });
}

TEST_P(peer_options, our_router_sees_their_probe) {
  router_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  theirs.set(ZMQ_PROBE_ROUTER, 1);
  theirs.set(ZMQ_ROUTING_ID, "them");
  join(GetParam(), ours, theirs);
  const auto hear = [&]() -> asio::awaitable<void> {
    const routed_message m = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(to_parts(m.content), parts{""});
    EXPECT_EQ(ours.find("them"), m.peer);
    message reply{"we know you"};
    co_await ours.async_send(m.peer, std::move(reply), use_awaitable);
  };
  sides.run(hear, [&] { EXPECT_EQ(theirs.receive(), parts{"we know you"}); });
}

TEST_P(peer_options, our_probing_req_still_works_with_their_rep) {
  socket_options options;
  options.probe_router = true;
  req_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_REP};
  join(GetParam(), ours, theirs);
  const auto ask = [&]() -> asio::awaitable<void> {
    message question{"question"};
    co_await ours.async_send(std::move(question), use_awaitable);
    const message m = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(m.front(), "answer");
  };
  sides.run(ask, [&] {
    EXPECT_EQ(theirs.receive(), parts{"question"});
    theirs.send({"answer"});
  });
}

TEST_P(peer_options, their_pull_receives_our_hello_first) {
  socket_options options;
  options.hello_message = {"hello", "", std::string(70'000, 'h')};
  push_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_PULL};
  join(GetParam(), ours, theirs);
  const auto speak = [&]() -> asio::awaitable<void> {
    message m{"work"};
    co_await ours.async_send(std::move(m), use_awaitable);
  };
  sides.run(speak, [&] {
    EXPECT_EQ(theirs.receive(), (parts{"hello", "", std::string(70'000, 'h')}));
    EXPECT_EQ(theirs.receive(), parts{"work"});
  });
}

TEST_P(peer_options, our_pull_reports_that_their_push_disconnects) {
  socket_options options;
  options.disconnect_message = {"gone"};
  pull_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_PUSH};
  theirs.set(ZMQ_LINGER, 5'000);
  join(GetParam(), ours, theirs);
  const auto hear = [&]() -> asio::awaitable<void> {
    for (const auto* expected : {"last words", "gone"}) {
      const message m = co_await ours.async_receive(use_awaitable);
      EXPECT_EQ(to_parts(m), parts{expected});
    }
  };
  sides.run(hear, [&] {
    theirs.send({"last words"});
    theirs.close();
  });
}

TEST_P(peer_options, conflating_we_get_the_last_that_their_push_sent) {
  constexpr int count = 20'000;
  socket_options options;
  options.conflate = true;
  pull_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_PUSH};
  join(GetParam(), ours, theirs);
  const auto last = std::to_string(count - 1);
  const auto wait = [&]() -> asio::awaitable<void> {
    while (ours.counters().dropped_conflated != count - 1) {
      co_await asio::post(ours.get_executor(), use_awaitable);
    }
    const message m = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(to_parts(m), (parts{last, "whole"}));
    message more;
    EXPECT_FALSE(ours.try_receive(more));
  };
  sides.run(wait, [&] {
    for (int n = 0; n < count; ++n) {
      theirs.send({std::to_string(n), "whole"});
    }
  });
}

TEST_P(peer_options, conflating_our_push_never_waits_and_its_last_arrives) {
  constexpr int count = 5'000;
  socket_options options;
  options.conflate = true;
  push_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_PULL};
  theirs.set(ZMQ_RCVHWM, 1);
  join(GetParam(), ours, theirs);
  const auto body = std::string(20'000, 'x');
  const auto speak = [&]() -> asio::awaitable<void> {
    co_await ours.async_wait_writable(use_awaitable);
    for (int n = 0; n < count; ++n) {
      message m{std::to_string(n), body};
      EXPECT_EQ(ours.try_send(std::move(m)), send_status::queued);
      co_await asio::post(ours.get_executor(), use_awaitable);
    }
  };
  sides.run(speak, [] {});
  sides.run_theirs([&] {
    for (auto m = theirs.receive(); m != parts{std::to_string(count - 1), body};
         m = theirs.receive()) {
      ASSERT_EQ(m.size(), 2U);
    }
  });
  EXPECT_GT(ours.counters().dropped_conflated, 0U);
}

}  // namespace
}  // namespace zmtp::test
