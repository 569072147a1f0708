// Full queues: our DEALER waits and loses nothing. Our ROUTER drops and counts, or waits if sending is
// mandatory. A libzmq sender is paused when we do not receive.

#include "test/interop/two_sides.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <future>
#include <limits>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

// All of it is more than the kernel holds for a connection.
constexpr std::size_t total = 1'000;
constexpr std::size_t size = 50'000;

parts large(std::size_t n) { return {std::to_string(n), content(size, n)}; }

class high_water_mark : public testing::TestWithParam<binder> {
protected:
  static socket_options small_marks() {
    socket_options options;
    options.send_mark.messages = 10;
    options.receive_mark.messages = 10;
    options.announce_peers = true;
    return options;
  }

  static void set_small_marks(libzmq::socket& theirs) {
    theirs.set(ZMQ_SNDHWM, 10);
    theirs.set(ZMQ_RCVHWM, 10);
  }

  // Returns how many of `total` messages were queued before the queue was full for longer than messages in
  // flight need to arrive.
  template <class Send>
  asio::awaitable<std::size_t> fill(Send send) {
    for (std::size_t n = 0; n < total; ++n) {
      error_code ec;
      co_await send(n, deadline{500ms}, ec);
      if (ec) {
        EXPECT_EQ(ec, make_error_code(errc::timed_out)) << ec.message();
        co_return n;
      }
    }
    co_return total;
  }

  two_sides sides;
  std::promise<std::size_t> sent;
};

TEST(full_queue, our_dealer_without_a_peer_queues_up_to_its_mark) {
  two_sides sides;
  socket_options options;
  options.send_mark.messages = 10;
  dealer_socket ours{sides.executor(), options};
  const reserved_endpoint vacant{sides.ours(), medium::tcp};
  const auto at = vacant.to_string();
  message first{"0"};
  EXPECT_EQ(ours.try_send(std::move(first)), send_status::full) << "no peer to send to";
  ours.connect(at);
  for (int n = 0; n < 10; ++n) {
    message m{std::to_string(n)};
    EXPECT_EQ(ours.try_send(std::move(m)), send_status::queued);
  }
  message tenth{"10"};
  EXPECT_EQ(ours.try_send(std::move(tenth)), send_status::full);
  EXPECT_EQ(to_parts(tenth), parts{"10"}) << "a message that is not queued stays with the caller";
  libzmq::socket theirs{sides.theirs(), ZMQ_ROUTER};
  theirs.bind(at);
  const auto send = [&]() -> asio::awaitable<void> {
    co_await ours.async_send(std::move(tenth), use_awaitable);
  };
  sides.run(send, [&] {
    for (int n = 0; n <= 10; ++n) {
      EXPECT_EQ(without_first(theirs.receive()), parts{std::to_string(n)});
    }
  });
}

TEST_P(high_water_mark, our_dealer_waits_and_loses_nothing) {
  dealer_socket ours{sides.executor(), small_marks()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  set_small_marks(theirs);
  join(GetParam(), ours, theirs);
  const auto send = [&](std::size_t n, deadline until, error_code& ec) -> asio::awaitable<void> {
    message m = to_message(large(n));
    co_await ours.async_send(std::move(m), until, asio::redirect_error(use_awaitable, ec));
  };
  const auto send_all = [&]() -> asio::awaitable<void> {
    const auto before = co_await fill(send);
    EXPECT_GE(before, 10U);
    EXPECT_LT(before, total);
    EXPECT_EQ(ours.counters().messages_sent, before);
    sent.set_value(before);
    for (std::size_t n = before; n < total; ++n) {
      error_code ec;
      co_await send(n, deadline{10s}, ec);
      EXPECT_FALSE(ec) << ec.message();
    }
  };
  sides.run(send_all, [&] {
    sent.get_future().wait_for(libzmq::socket::timeout);
    for (std::size_t n = 0; n < total; ++n) {
      ASSERT_TRUE(theirs.receive() == large(n)) << "number " << n;
    }
  });
}

TEST_P(high_water_mark, our_router_drops_for_a_peer_that_does_not_read_and_counts) {
  router_socket ours{sides.executor(), small_marks()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  set_small_marks(theirs);
  join(GetParam(), ours, theirs);
  const auto send = [&]() -> asio::awaitable<void> {
    const routed_message arrival = co_await ours.async_receive(use_awaitable);
    for (std::size_t n = 0; n < total; ++n) {
      message m = to_message(large(n));
      co_await ours.async_send(arrival.peer, std::move(m), use_awaitable);
    }
    const auto& counters = ours.counters();
    EXPECT_GT(counters.dropped_full, 0U);
    EXPECT_EQ(counters.messages_sent + counters.dropped_full, total);
    sent.set_value(counters.messages_sent);
    co_await ours.async_wait_writable(arrival.peer, use_awaitable);
    message end{"end"};
    co_await ours.async_send(arrival.peer, std::move(end), use_awaitable);
  };
  sides.run(send, [&] {
    const auto count = sent.get_future().get();
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < count; ++i) {
      const auto m = theirs.receive();
      const auto n = std::stoul(m.front());
      ASSERT_TRUE(m == large(n)) << "number " << n;
      ASSERT_TRUE(!last || n > *last) << n << " after " << *last;
      last = n;
    }
    EXPECT_EQ(theirs.receive(), parts{"end"});
  });
}

TEST_P(high_water_mark, our_router_waits_where_sending_is_mandatory) {
  auto options = small_marks();
  options.mandatory = true;
  router_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  set_small_marks(theirs);
  join(GetParam(), ours, theirs);
  const auto send_all = [&]() -> asio::awaitable<void> {
    const routed_message arrival = co_await ours.async_receive(use_awaitable);
    const auto send = [&](std::size_t n, deadline until, error_code& ec) -> asio::awaitable<void> {
      message m = to_message(large(n));
      co_await ours.async_send(arrival.peer, std::move(m), until,
                               asio::redirect_error(use_awaitable, ec));
    };
    const auto before = co_await fill(send);
    EXPECT_LT(before, total);
    sent.set_value(before);
    for (std::size_t n = before; n < total; ++n) {
      error_code ec;
      co_await send(n, deadline{10s}, ec);
      EXPECT_FALSE(ec) << ec.message();
    }
    EXPECT_EQ(ours.counters().dropped_full, 0U);
  };
  sides.run(send_all, [&] {
    sent.get_future().wait_for(libzmq::socket::timeout);
    for (std::size_t n = 0; n < total; ++n) {
      ASSERT_TRUE(theirs.receive() == large(n)) << "number " << n;
    }
  });
}

TEST_P(high_water_mark, their_dealer_is_held_back_while_we_do_not_receive) {
  router_socket ours{sides.executor(), small_marks()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  set_small_marks(theirs);
  theirs.set(ZMQ_SNDTIMEO, 500);
  join(GetParam(), ours, theirs);
  std::size_t before = 0;
  sides.run_theirs([&] {
    try {
      while (before < total) {
        theirs.send(large(before));
        ++before;
      }
    } catch (const std::runtime_error&) {
      EXPECT_EQ(zmq_errno(), EAGAIN);
    }
  });
  EXPECT_LT(before, total);
  theirs.set(ZMQ_SNDTIMEO, static_cast<int>(libzmq::socket::timeout.count()));
  const auto receive = [&]() -> asio::awaitable<void> {
    const routed_message arrival = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(arrival.what, routed_message::kind::attached);
    for (std::size_t n = 0; n < total; ++n) {
      const routed_message m = co_await ours.async_receive(use_awaitable);
      EXPECT_TRUE(to_parts(m.content) == large(n)) << "number " << n;
    }
  };
  sides.run(receive, [&] {
    for (std::size_t n = before; n < total; ++n) {
      theirs.send(large(n));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(both_ways, high_water_mark, testing::Values(binder::ours, binder::theirs),
                         [](const auto& who) { return to_string(who.param); });

}  // namespace
}  // namespace zmtp::test
