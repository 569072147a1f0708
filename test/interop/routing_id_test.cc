// Routing ids: announced in READY and used to address peers, in both directions. A ROUTER generates an id for a
// peer without one, and rejects or replaces a second peer with the same id.

#include "test/interop/two_sides.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <optional>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

bool made_up(std::string_view routing_id) {
  return routing_id.size() == 5 && routing_id.front() == '\0';
}

class routing_id : public testing::TestWithParam<binder> {
protected:
  static socket_options named(std::string_view id) {
    socket_options options;
    options.routing_id = id;
    return options;
  }

  two_sides sides;
};

TEST_P(routing_id, theirs_names_them_to_our_router) {
  router_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  const std::string longest(255, 'x');
  theirs.set(ZMQ_ROUTING_ID, longest);
  join(GetParam(), ours, theirs);
  const auto answer = [&]() -> asio::awaitable<void> {
    const routed_message m = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(ours.info(m.peer)->routing_id, longest);
    EXPECT_EQ(ours.find(longest), std::optional{m.peer});
    message back{"found you"};
    EXPECT_EQ(ours.try_send(*ours.find(longest), std::move(back)), send_status::queued);
  };
  sides.run(answer, [&] {
    theirs.send({"hello"});
    EXPECT_EQ(theirs.receive(), parts{"found you"});
  });
}

TEST_P(routing_id, is_made_up_for_a_peer_without_one) {
  router_socket ours{sides.executor()};
  libzmq::socket first{sides.theirs(), ZMQ_DEALER};
  libzmq::socket second{sides.theirs(), ZMQ_DEALER};
  join(GetParam(), ours, first);
  join(GetParam(), ours, second);
  const auto answer = [&]() -> asio::awaitable<void> {
    std::string before;
    for (int i = 0; i < 2; ++i) {
      routed_message m = co_await ours.async_receive(use_awaitable);
      const auto id = ours.info(m.peer)->routing_id;
      EXPECT_TRUE(made_up(id));
      EXPECT_NE(id, before);
      EXPECT_EQ(ours.find(id), std::optional{m.peer});
      before = id;
      co_await ours.async_send(m.peer, std::move(m.content), use_awaitable);
    }
  };
  sides.run(answer, [&] {
    for (auto* one : {&first, &second}) {
      one->send({"hello"});
      EXPECT_EQ(one->receive(), parts{"hello"});
    }
  });
}

TEST_P(routing_id, ours_names_us_to_their_router) {
  const auto id = std::string{"with a \0 byte", 14};
  dealer_socket ours{sides.executor(), named(id)};
  libzmq::socket theirs{sides.theirs(), ZMQ_ROUTER};
  join(GetParam(), ours, theirs);
  const auto ask = [&]() -> asio::awaitable<void> {
    message m{"hello"};
    co_await ours.async_send(std::move(m), use_awaitable);
    const message back = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(to_parts(back), parts{"found you"});
  };
  sides.run(ask, [&] {
    EXPECT_EQ(theirs.receive(), (parts{id, "hello"}));
    theirs.send({id, "found you"});
  });
}

TEST_P(routing_id, their_router_makes_one_up_for_us) {
  dealer_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_ROUTER};
  join(GetParam(), ours, theirs);
  const auto ask = [&]() -> asio::awaitable<void> {
    message m{"hello"};
    co_await ours.async_send(std::move(m), use_awaitable);
    const message back = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(to_parts(back), parts{"found you"});
  };
  sides.run(ask, [&] {
    const auto m = theirs.receive();
    EXPECT_TRUE(made_up(m.front()));
    theirs.send({m.front(), "found you"});
  });
}

// With routing ids that both know, either ROUTER may speak first.
TEST_P(routing_id, their_router_addresses_our_router_first) {
  router_socket ours{sides.executor(), named("ours")};
  libzmq::socket theirs{sides.theirs(), ZMQ_ROUTER};
  theirs.set(ZMQ_ROUTING_ID, "theirs");
  theirs.set(ZMQ_ROUTER_MANDATORY, 1);
  libzmq::monitor events{sides.theirs(), theirs};
  join(GetParam(), ours, theirs);
  const auto answer = [&]() -> asio::awaitable<void> {
    const routed_message m = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(to_parts(m.content), parts{"hello"});
    EXPECT_EQ(ours.find("theirs"), std::optional{m.peer});
    message back{"hello yourself"};
    co_await ours.async_send(m.peer, std::move(back), use_awaitable);
  };
  sides.run(answer, [&] {
    events.wait(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    theirs.send({"ours", "hello"});
    EXPECT_EQ(theirs.receive(), (parts{"ours", "hello yourself"}));
  });
}

INSTANTIATE_TEST_SUITE_P(both_ways, routing_id, testing::Values(binder::ours, binder::theirs),
                         [](const auto& who) { return to_string(who.param); });

}  // namespace
}  // namespace zmtp::test
