// Every pairing of our DEALER and ROUTER with libzmq's ROUTER, DEALER, REP and REQ over each transport,
// with messages of every shape there and back.

#include "test/interop/two_sides.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

class socket_pairs : public testing::TestWithParam<encounter> {
protected:
  // Returns each message, and checks that the messages are `shapes()` in an envelope.
  void their_echo(libzmq::socket& with, std::size_t envelope) {
    for (const auto& shape : shapes()) {
      const auto m = with.receive();
      ASSERT_GT(m.size(), envelope);
      EXPECT_TRUE(parts(m.begin() + static_cast<long>(envelope), m.end()) == shape)
          << describe(shape) << " arrived there as " << describe(m);
      with.send(m);
    }
  }

  void they_ask(libzmq::socket& with) {
    for (const auto& shape : shapes()) {
      with.send(shape);
      const auto m = with.receive();
      EXPECT_TRUE(m == shape) << describe(shape) << " came back as " << describe(m);
    }
  }

  // `envelope` goes before each message and is to come back with it.
  asio::awaitable<void> we_ask(dealer_socket& with, parts envelope = {}) {
    for (const auto& shape : shapes()) {
      auto m = envelope;
      m.insert(m.end(), shape.begin(), shape.end());
      message sent = to_message(m);
      co_await with.async_send(std::move(sent), use_awaitable);
      const message back = co_await with.async_receive(use_awaitable);
      EXPECT_TRUE(to_parts(back) == m)
          << describe(m) << " came back as " << describe(to_parts(back));
    }
  }

  asio::awaitable<void> our_echo(router_socket& with, parts envelope = {}) {
    for (const auto& shape : shapes()) {
      auto expected = envelope;
      expected.insert(expected.end(), shape.begin(), shape.end());
      routed_message m = co_await with.async_receive(use_awaitable);
      EXPECT_TRUE(to_parts(m.content) == expected)
          << describe(expected) << " arrived here as " << describe(to_parts(m.content));
      co_await with.async_send(m.peer, std::move(m.content), use_awaitable);
    }
  }

  two_sides sides;
};

TEST_P(socket_pairs, our_dealer_asks_their_router) {
  dealer_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_ROUTER};
  join(GetParam(), ours, theirs);
  sides.run([&] { return we_ask(ours); }, [&] { their_echo(theirs, 1); });
}

TEST_P(socket_pairs, our_dealer_asks_their_dealer) {
  dealer_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  join(GetParam(), ours, theirs);
  sides.run([&] { return we_ask(ours); }, [&] { their_echo(theirs, 0); });
}

TEST_P(socket_pairs, our_dealer_asks_their_rep_behind_an_empty_delimiter) {  // Z-13
  dealer_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_REP};
  join(GetParam(), ours, theirs);
  sides.run([&] { return we_ask(ours, {""}); }, [&] { their_echo(theirs, 0); });
}

TEST_P(socket_pairs, our_dealer_asks_their_rep_through_an_envelope_of_five) {  // Z-13
  dealer_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_REP};
  join(GetParam(), ours, theirs);
  const parts envelope{"5", content(255, 4), content(256, 3), "2", "1", ""};
  sides.run([&] { return we_ask(ours, envelope); }, [&] { their_echo(theirs, 0); });
}

TEST_P(socket_pairs, their_dealer_asks_our_router) {
  router_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  join(GetParam(), ours, theirs);
  sides.run([&] { return our_echo(ours); }, [&] { they_ask(theirs); });
}

TEST_P(socket_pairs, their_req_asks_our_router) {
  router_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_REQ};
  join(GetParam(), ours, theirs);
  sides.run([&] { return our_echo(ours, {""}); }, [&] { they_ask(theirs); });
}

TEST_P(socket_pairs, their_correlating_req_asks_our_router) {  // Z-13
  router_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_REQ};
  theirs.set(ZMQ_REQ_CORRELATE, 1);
  join(GetParam(), ours, theirs);
  const auto echo = [&]() -> asio::awaitable<void> {
    for (std::size_t i = 0; i < shapes().size(); ++i) {
      routed_message m = co_await ours.async_receive(use_awaitable);
      EXPECT_EQ(m.content.front().size(), 4U);
      co_await ours.async_send(m.peer, std::move(m.content), use_awaitable);
    }
  };
  sides.run(echo, [&] { they_ask(theirs); });
}

TEST_P(socket_pairs, our_router_asks_their_router) {
  socket_options options;
  options.announce_peers = true;
  router_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_ROUTER};
  join(GetParam(), ours, theirs);
  const auto ask = [&]() -> asio::awaitable<void> {
    const routed_message arrival = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(arrival.what, routed_message::kind::attached);
    for (const auto& shape : shapes()) {
      message sent = to_message(shape);
      co_await ours.async_send(arrival.peer, std::move(sent), use_awaitable);
      const routed_message back = co_await ours.async_receive(use_awaitable);
      EXPECT_TRUE(to_parts(back.content) == shape)
          << describe(shape) << " came back as " << describe(to_parts(back.content));
    }
  };
  sides.run(ask, [&] { their_echo(theirs, 1); });
}

INSTANTIATE_TEST_SUITE_P(both_ways, socket_pairs, testing::ValuesIn(encounters()),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace zmtp::test
