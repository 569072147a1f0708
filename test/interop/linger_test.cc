// Closing does not drop sent messages: all of them arrive, then the connection ends.

#include "test/interop/two_sides.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <thread>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

constexpr std::size_t count = 100'000;

parts nth(std::size_t n) { return {std::to_string(n), content(n % 50, n)}; }

class linger : public testing::TestWithParam<binder> {
protected:
  static socket_options without_marks() {
    socket_options options;
    options.send_mark = {.messages = std::nullopt, .bytes = std::nullopt};
    options.announce_peers = true;
    return options;
  }

  // Runs our side, which has closed its socket, to the end, while theirs receives.
  void expect_all_to_arrive(libzmq::socket& theirs) {
    std::thread reader{[&] {
      try {
        for (std::size_t n = 0; n < count && !HasFailure(); ++n) {
          EXPECT_TRUE(theirs.receive() == nth(n)) << "number " << n;
        }
      } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();
      }
    }};
    sides.run_to_the_end();
    reader.join();
  }

  two_sides sides;
};

TEST_P(linger, our_closed_dealer_delivers_everything) {
  dealer_socket ours{sides.executor(), without_marks()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  libzmq::monitor events{sides.theirs(), theirs};
  join(GetParam(), ours, theirs);
  const auto send = [&]() -> asio::awaitable<void> {
    for (std::size_t n = 0; n < count; ++n) {
      message m = to_message(nth(n));
      co_await ours.async_send(std::move(m), use_awaitable);
    }
  };
  sides.run_ours(send);
  ours.close();
  expect_all_to_arrive(theirs);
  EXPECT_TRUE(events.wait_within(ZMQ_EVENT_DISCONNECTED, 5s)) << "the connection stays";
}

TEST_P(linger, our_destroyed_dealer_delivers_everything) {
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  {
    dealer_socket ours{sides.executor(), without_marks()};
    join(GetParam(), ours, theirs);
    // Nothing is written before the context runs, except the first output of the binder's peer.
    const auto send = [&]() -> asio::awaitable<void> {
      for (std::size_t n = 0; n < count; ++n) {
        message m = to_message(nth(n));
        co_await ours.async_send(std::move(m), use_awaitable);
      }
    };
    sides.run_ours(send);
  }
  expect_all_to_arrive(theirs);
}

TEST_P(linger, our_closed_router_delivers_everything) {
  router_socket ours{sides.executor(), without_marks()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  join(GetParam(), ours, theirs);
  const auto send = [&]() -> asio::awaitable<void> {
    const routed_message arrival = co_await ours.async_receive(use_awaitable);
    for (std::size_t n = 0; n < count; ++n) {
      message m = to_message(nth(n));
      co_await ours.async_send(arrival.peer, std::move(m), use_awaitable);
    }
    EXPECT_EQ(ours.counters().messages_sent, count);
  };
  sides.run_ours(send);
  ours.close();
  expect_all_to_arrive(theirs);
}

// Closing while the peer still sends does not lose earlier messages.
TEST_P(linger, our_closed_dealer_delivers_to_a_peer_that_talks_on) {
  dealer_socket ours{sides.executor(), without_marks()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  join(GetParam(), ours, theirs);
  const auto send = [&]() -> asio::awaitable<void> {
    for (std::size_t n = 0; n < count; ++n) {
      message m = to_message(nth(n));
      co_await ours.async_send(std::move(m), use_awaitable);
    }
  };
  sides.run_ours(send);
  ours.close();
  std::thread reader{[&] {
    try {
      for (std::size_t n = 0; n < count && !HasFailure(); ++n) {
        (void)theirs.try_send({"not listened to", content(100, n)});
        EXPECT_TRUE(theirs.receive() == nth(n)) << "number " << n;
      }
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
  }};
  sides.run_to_the_end();
  reader.join();
}

TEST_P(linger, ours_receives_every_message_sent_before_the_close) {
  router_socket ours{sides.executor(), without_marks()};
  auto theirs = std::make_unique<libzmq::socket>(sides.theirs(), ZMQ_DEALER);
  theirs->set(ZMQ_SNDHWM, 0);
  theirs->set(ZMQ_LINGER, -1);
  join(GetParam(), ours, *theirs);
  const auto receive = [&]() -> asio::awaitable<void> {
    const routed_message arrival = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(arrival.what, routed_message::kind::attached);
    for (std::size_t n = 0; n < count; ++n) {
      const routed_message m = co_await ours.async_receive(use_awaitable);
      EXPECT_TRUE(to_parts(m.content) == nth(n)) << "number " << n;
    }
    const routed_message departure = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(departure.what, routed_message::kind::detached);
  };
  sides.run(receive, [&] {
    for (std::size_t n = 0; n < count; ++n) {
      theirs->send(nth(n));
    }
    theirs.reset();
  });
}

INSTANTIATE_TEST_SUITE_P(both_ways, linger, testing::Values(binder::ours, binder::theirs),
                         [](const auto& who) { return to_string(who.param); });

}  // namespace
}  // namespace zmtp::test
