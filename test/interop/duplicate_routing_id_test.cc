// Two libzmq peers with one routing id at our ROUTER: the second peer is rejected without effect on the first,
// and is accepted when the first has disconnected.

#include "test/interop/two_sides.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <optional>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

class duplicate_routing_id : public testing::Test {
protected:
  // Answers messages until the last one.
  asio::awaitable<void> echo(router_socket& ours) {
    for (bool last = false; !last;) {
      routed_message m = co_await ours.async_receive(use_awaitable);
      last = m.content.back() == "last";
      co_await ours.async_send(m.peer, std::move(m.content), use_awaitable);
    }
  }

  static void expect_served(libzmq::socket& one, const parts& with) {
    one.send(with);
    EXPECT_EQ(one.receive(), with);
  }

  two_sides sides;
  libzmq::socket holder{sides.theirs(), ZMQ_DEALER};
  libzmq::socket newcomer{sides.theirs(), ZMQ_DEALER};
};

TEST_F(duplicate_routing_id, a_second_peer_is_rejected_until_the_first_disconnects) {
  router_socket ours{sides.executor()};
  holder.set(ZMQ_ROUTING_ID, "same");
  newcomer.set(ZMQ_ROUTING_ID, "same");
  libzmq::monitor of_holder{sides.theirs(), holder};
  libzmq::monitor of_newcomer{sides.theirs(), newcomer};
  const auto at = ours.bind("tcp://127.0.0.1:*").to_string();
  sides.run([&] { return echo(ours); },
            [&] {
              holder.connect(at);
              expect_served(holder, {"holder", "first"});
              newcomer.connect(at);
              newcomer.send({"newcomer", "last"});
              for (int times = 0; times < 3; ++times) {
                of_newcomer.wait(ZMQ_EVENT_DISCONNECTED);
                expect_served(holder, {"holder", std::to_string(times)});
              }
              EXPECT_EQ(of_holder.wait_within(ZMQ_EVENT_DISCONNECTED, 0ms), std::nullopt);
              holder.close();
              EXPECT_EQ(newcomer.receive(), (parts{"newcomer", "last"})) << "it has kept it";
            });
}

// Messages of the rejected peer are not delivered.
TEST_F(duplicate_routing_id, no_message_of_the_rejected_peer_is_delivered) {
  socket_options options;
  options.announce_peers = true;
  router_socket ours{sides.executor(), options};
  holder.set(ZMQ_ROUTING_ID, "same");
  newcomer.set(ZMQ_ROUTING_ID, "same");
  libzmq::monitor of_newcomer{sides.theirs(), newcomer};
  const auto at = ours.bind("tcp://127.0.0.1:*").to_string();
  const auto receive = [&]() -> asio::awaitable<void> {
    const routed_message arrival = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(arrival.what, routed_message::kind::attached);
    const routed_message first = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(to_parts(first.content), parts{"of the holder"});
    message go{"go"};
    co_await ours.async_send(first.peer, std::move(go), use_awaitable);
    const routed_message second = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(second.peer, first.peer);
    EXPECT_EQ(to_parts(second.content), parts{"of the holder again"});
  };
  sides.run(receive, [&] {
    holder.connect(at);
    holder.send({"of the holder"});
    EXPECT_EQ(holder.receive(), parts{"go"});
    newcomer.connect(at);
    newcomer.send({"of the newcomer"});
    of_newcomer.wait(ZMQ_EVENT_DISCONNECTED);
    of_newcomer.wait(ZMQ_EVENT_DISCONNECTED);
    holder.send({"of the holder again"});
  });
}

TEST_F(duplicate_routing_id, a_second_peer_takes_over_with_handover) {
  socket_options options;
  options.handover = true;
  router_socket ours{sides.executor(), options};
  holder.set(ZMQ_ROUTING_ID, "same");
  newcomer.set(ZMQ_ROUTING_ID, "same");
  // The replaced peer would reconnect and replace the other.
  holder.set(ZMQ_RECONNECT_IVL, -1);
  libzmq::monitor of_holder{sides.theirs(), holder};
  const auto at = ours.bind("tcp://127.0.0.1:*").to_string();
  sides.run([&] { return echo(ours); },
            [&] {
              holder.connect(at);
              expect_served(holder, {"holder"});
              newcomer.connect(at);
              expect_served(newcomer, {"newcomer"});
              of_holder.wait(ZMQ_EVENT_DISCONNECTED);
              expect_served(newcomer, {"newcomer", "last"});
            });
}

}  // namespace
}  // namespace zmtp::test
