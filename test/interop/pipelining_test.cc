// Many messages at once in both directions: none lost, none twice, none changed, in order.

#include "test/interop/two_sides.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace zmtp::test {
namespace {

using asio::use_awaitable;

// Messages per call; not a divisor of `many`.
constexpr std::size_t batch_size = 333;

void expect_numbered(const parts& m, std::size_t n, std::string_view where) {
  // Ten thousand failures would say no more than the first one.
  if (!testing::Test::HasFailure()) {
    EXPECT_TRUE(m == numbered(n)) << "number " << n << " arrived " << where << " as " << describe(m)
                                  << ", first " << m.front();
  }
}

// Sends and receives `many` messages, whatever is possible first; `envelope` frames go before each.
void they_exchange(libzmq::socket& with, const parts& envelope) {
  std::size_t sent = 0;
  std::size_t received = 0;
  while (sent < many || received < many) {
    const auto ready =
        with.wait_for((sent < many ? ZMQ_POLLOUT : 0) | (received < many ? ZMQ_POLLIN : 0));
    if ((ready & ZMQ_POLLOUT) != 0) {
      auto m = envelope;
      const auto body = numbered(sent);
      m.insert(m.end(), body.begin(), body.end());
      sent += with.try_send(m) ? 1 : 0;
    }
    if ((ready & ZMQ_POLLIN) != 0) {
      const auto m = with.receive();
      expect_numbered(envelope.empty() ? m : without_first(m), received++, "there");
    }
  }
}

asio::awaitable<void> we_send(dealer_socket& with) {
  for (std::size_t sent = 0; sent < many;) {
    message_batch batch;
    while (batch.size() < batch_size && sent < many) {
      batch.append(to_message(numbered(sent++)));
    }
    co_await with.async_send(batch, use_awaitable);
  }
}

asio::awaitable<void> we_receive(dealer_socket& with) {
  message_batch batch;
  for (std::size_t received = 0; received < many;) {
    co_await with.async_receive(batch, use_awaitable);
    for (const auto m : batch) {
      expect_numbered(to_parts(m.to_message()), received++, "here");
    }
  }
}

class pipelining : public testing::TestWithParam<binder> {
protected:
  two_sides sides;
};

TEST_P(pipelining, our_dealer_and_their_dealer_send_to_each_other) {
  dealer_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  join(GetParam(), ours, theirs);
  const auto exchange = [&]() -> asio::awaitable<void> {
    asio::co_spawn(sides.executor(), we_send(ours), asio::detached);
    co_await we_receive(ours);
  };
  sides.run(exchange, [&] { they_exchange(theirs, {}); });
}

TEST_P(pipelining, our_dealer_and_their_router_send_to_each_other) {
  socket_options options;
  options.routing_id = "ours";
  dealer_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_ROUTER};
  // Without it, the ROUTER drops messages for a full queue.
  theirs.set(ZMQ_ROUTER_MANDATORY, 1);
  join(GetParam(), ours, theirs);
  const auto exchange = [&]() -> asio::awaitable<void> {
    message here{"here"};
    co_await ours.async_send(std::move(here), use_awaitable);
    asio::co_spawn(sides.executor(), we_send(ours), asio::detached);
    co_await we_receive(ours);
  };
  sides.run(exchange, [&] {
    EXPECT_EQ(theirs.receive(), (parts{"ours", "here"}));
    they_exchange(theirs, {"ours"});
  });
}

TEST_P(pipelining, our_router_and_their_dealer_send_to_each_other) {
  socket_options options;
  options.mandatory = true;
  options.announce_peers = true;
  router_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  join(GetParam(), ours, theirs);
  const auto send = [&](peer_id to) -> asio::awaitable<void> {
    for (std::size_t sent = 0; sent < many; ++sent) {
      message m = to_message(numbered(sent));
      co_await ours.async_send(to, std::move(m), use_awaitable);
    }
  };
  const auto exchange = [&]() -> asio::awaitable<void> {
    const routed_message arrival = co_await ours.async_receive(use_awaitable);
    asio::co_spawn(sides.executor(), send(arrival.peer), asio::detached);
    message_batch batch;
    for (std::size_t received = 0; received < many;) {
      co_await ours.async_receive(batch, use_awaitable);
      for (const auto m : batch) {
        expect_numbered(to_parts(m.to_message()), received++, "here");
      }
    }
  };
  sides.run(exchange, [&] { they_exchange(theirs, {}); });
}

INSTANTIATE_TEST_SUITE_P(both_ways, pipelining, testing::Values(binder::ours, binder::theirs),
                         [](const auto& who) { return to_string(who.param); });

// Requests of several peers in flight at once. Each reply goes to the peer that sent the request.
TEST(pipelining, our_router_answers_eight_peers_at_once) {
  constexpr std::size_t peers = 8;
  constexpr std::size_t each = many / peers;
  two_sides sides;
  socket_options options;
  options.mandatory = true;
  router_socket ours{sides.executor(), options};
  std::vector<std::unique_ptr<libzmq::socket>> theirs;
  const auto at = ours.bind("tcp://127.0.0.1:*").to_string();
  for (std::size_t i = 0; i < peers; ++i) {
    theirs.push_back(std::make_unique<libzmq::socket>(sides.theirs(), ZMQ_DEALER));
    // All of it in the queue before the first answer is read.
    theirs.back()->set(ZMQ_SNDHWM, 0);
    theirs.back()->connect(at);
  }
  const auto echo = [&]() -> asio::awaitable<void> {
    for (std::size_t i = 0; i < peers * each; ++i) {
      routed_message m = co_await ours.async_receive(use_awaitable);
      co_await ours.async_send(m.peer, std::move(m.content), use_awaitable);
    }
  };
  sides.run(echo, [&] {
    for (std::size_t n = 0; n < each; ++n) {
      for (std::size_t i = 0; i < peers; ++i) {
        theirs[i]->send(with_first(std::to_string(i), numbered(n)));
      }
    }
    for (std::size_t i = 0; i < peers; ++i) {
      for (std::size_t n = 0; n < each; ++n) {
        const auto m = theirs[i]->receive();
        EXPECT_EQ(m.front(), std::to_string(i));
        expect_numbered(without_first(m), n, "back");
      }
    }
  });
}

// Messages to several peers go to the peers in turn, and each peer gets an equal share.
TEST(pipelining, our_dealer_shares_out_to_four_peers) {
  constexpr std::size_t peers = 4;
  two_sides sides;
  dealer_socket ours{sides.executor()};
  std::vector<std::unique_ptr<libzmq::socket>> theirs;
  for (std::size_t i = 0; i < peers; ++i) {
    theirs.push_back(std::make_unique<libzmq::socket>(sides.theirs(), ZMQ_DEALER));
    theirs.back()->set(ZMQ_RCVHWM, 0);
    ours.connect(theirs.back()->bind());
  }
  const auto send = [&]() -> asio::awaitable<void> {
    // No more than every queue has room for, so that none is passed over.
    for (std::size_t n = 0; n < 4'000; ++n) {
      message m = to_message(numbered(n));
      co_await ours.async_send(std::move(m), use_awaitable);
    }
  };
  sides.run(send, [&] {
    for (std::size_t i = 0; i < peers; ++i) {
      for (std::size_t n = i; n < 4'000; n += peers) {
        expect_numbered(theirs[i]->receive(), n, "there");
      }
    }
  });
}

}  // namespace
}  // namespace zmtp::test
