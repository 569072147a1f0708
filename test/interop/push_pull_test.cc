// PUSH and PULL, one of Zinc and the other of libzmq: messages of every shape, in order, to peers with room.

#include "test/interop/two_sides.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

void expect_numbered(const parts& m, std::size_t n) {
  // Ten thousand failures would say no more than the first one.
  if (!testing::Test::HasFailure()) {
    EXPECT_TRUE(m == numbered(n)) << "number " << n << " arrived as " << describe(m) << ", first "
                                  << m.front();
  }
}

asio::awaitable<void> we_send(push_socket& with, std::size_t from, std::size_t to) {
  for (auto n = from; n < to; ++n) {
    message m = to_message(numbered(n));
    co_await with.async_send(std::move(m), use_awaitable);
  }
}

asio::awaitable<void> we_receive(pull_socket& with, std::size_t from, std::size_t to) {
  message_batch batch;
  for (auto n = from; n < to;) {
    co_await with.async_receive(batch, use_awaitable);
    for (const auto m : batch) {
      expect_numbered(to_parts(m.to_message()), n++);
    }
  }
}

class push_pull : public testing::TestWithParam<binder> {
protected:
  two_sides sides;
};

INSTANTIATE_TEST_SUITE_P(both_ways, push_pull, testing::Values(binder::ours, binder::theirs),
                         [](const auto& who) { return to_string(who.param); });

TEST_P(push_pull, our_push_sends_every_shape) {
  push_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_PULL};
  join(GetParam(), ours, theirs);
  const auto send = [&]() -> asio::awaitable<void> {
    for (const auto& shape : shapes()) {
      message m = to_message(shape);
      co_await ours.async_send(std::move(m), use_awaitable);
    }
  };
  sides.run(send, [&] {
    for (const auto& shape : shapes()) {
      expect_shape(theirs.receive(), shape);
    }
  });
}

TEST_P(push_pull, our_pull_receives_every_shape) {
  pull_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_PUSH};
  join(GetParam(), ours, theirs);
  const auto receive = [&]() -> asio::awaitable<void> {
    for (const auto& shape : shapes()) {
      const message m = co_await ours.async_receive(use_awaitable);
      expect_shape(to_parts(m), shape);
    }
  };
  sides.run(receive, [&] {
    for (const auto& shape : shapes()) {
      theirs.send(shape);
    }
  });
}

TEST_P(push_pull, our_push_sends_many_in_order) {
  push_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_PULL};
  join(GetParam(), ours, theirs);
  sides.run([&] { return we_send(ours, 0, many); },
            [&] {
              for (std::size_t n = 0; n < many; ++n) {
                expect_numbered(theirs.receive(), n);
              }
            });
}

TEST_P(push_pull, our_push_sends_many_in_batches) {
  push_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_PULL};
  join(GetParam(), ours, theirs);
  const auto send = [&]() -> asio::awaitable<void> {
    message_batch batch;
    for (std::size_t n = 0; n < many;) {
      for (int i = 0; i < 2'333 && n < many; ++i) {
        batch.append(to_message(numbered(n++)));
      }
      co_await ours.async_send(batch, use_awaitable);
    }
  };
  sides.run(send, [&] {
    for (std::size_t n = 0; n < many; ++n) {
      expect_numbered(theirs.receive(), n);
    }
  });
}

TEST_P(push_pull, our_pull_receives_many_in_order) {
  pull_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_PUSH};
  join(GetParam(), ours, theirs);
  sides.run([&] { return we_receive(ours, 0, many); },
            [&] {
              for (std::size_t n = 0; n < many; ++n) {
                theirs.send(numbered(n));
              }
            });
}

// More than both queues and the kernel hold, of which nothing is read before we have come to a stop.
TEST_P(push_pull, our_push_waits_for_their_slow_pull_and_nothing_is_lost) {
  socket_options options;
  options.send_mark.messages = 10;
  push_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_PULL};
  theirs.set(ZMQ_RCVHWM, 10);
  join(GetParam(), ours, theirs);
  constexpr std::size_t large_count = 1'000;
  const auto large = [](std::size_t n) { return parts{std::to_string(n), content(50'000, n)}; };
  std::size_t sent = 0;
  const auto send = [&]() -> asio::awaitable<void> {
    for (; sent < large_count; ++sent) {
      message m = to_message(large(sent));
      bool full = false;
      try {
        co_await ours.async_send(std::move(m), deadline{200ms}, use_awaitable);
      } catch (const boost::system::system_error& e) {
        EXPECT_EQ(e.code(), errc::timed_out);
        full = true;
      }
      if (full) {
        co_return;
      }
    }
  };
  sides.run_ours(send);
  EXPECT_LT(sent, large_count);
  const auto go_on = [&]() -> asio::awaitable<void> {
    for (; sent < large_count; ++sent) {
      message m = to_message(large(sent));
      co_await ours.async_send(std::move(m), use_awaitable);
    }
  };
  sides.run(go_on, [&] {
    for (std::size_t n = 0; n < large_count; ++n) {
      const auto m = theirs.receive();
      ASSERT_TRUE(m == large(n)) << "number " << n << " arrived as " << describe(m);
    }
  });
  EXPECT_EQ(ours.counters().dropped_full + ours.counters().dropped_detached, 0U);
}

TEST_P(push_pull, their_push_waits_for_our_slow_pull_and_nothing_is_lost) {
  socket_options options;
  options.receive_mark.messages = 10;
  pull_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_PUSH};
  theirs.set(ZMQ_SNDHWM, 10);
  join(GetParam(), ours, theirs);
  constexpr std::size_t large_count = 1'000;
  const auto large = [](std::size_t n) { return parts{std::to_string(n), content(50'000, n)}; };
  std::size_t sent = 0;
  sides.run_theirs([&] {
    theirs.set(ZMQ_SNDTIMEO, 200);
    try {
      for (; sent < large_count; ++sent) {
        theirs.send(large(sent));
      }
    } catch (const std::runtime_error&) {
    }
    theirs.set(ZMQ_SNDTIMEO, static_cast<int>(libzmq::socket::timeout.count()));
  });
  EXPECT_LT(sent, large_count);
  const auto receive = [&]() -> asio::awaitable<void> {
    for (std::size_t n = 0; n < large_count; ++n) {
      const message m = co_await ours.async_receive(use_awaitable);
      EXPECT_TRUE(to_parts(m) == large(n)) << "number " << n;
    }
  };
  sides.run(receive, [&] {
    for (; sent < large_count; ++sent) {
      theirs.send(large(sent));
    }
  });
}

class push_pull_many : public testing::Test {
protected:
  two_sides sides;
  reserved_endpoint vacant{sides.ours(), medium::tcp};
};

TEST_F(push_pull_many, our_push_shares_out_to_their_pulls_in_turn) {
  constexpr std::size_t peers = 4;
  push_socket ours{sides.executor()};
  std::vector<std::unique_ptr<libzmq::socket>> theirs;
  for (std::size_t i = 0; i < peers; ++i) {
    theirs.push_back(std::make_unique<libzmq::socket>(sides.theirs(), ZMQ_PULL));
    theirs.back()->set(ZMQ_RCVHWM, 0);
    ours.connect(theirs.back()->bind());
  }
  // No more than every queue has room for, so that none is passed over.
  sides.run([&] { return we_send(ours, 0, 4'000); },
            [&] {
              for (std::size_t i = 0; i < peers; ++i) {
                for (std::size_t n = i; n < 4'000; n += peers) {
                  expect_numbered(theirs[i]->receive(), n);
                }
              }
            });
}

TEST_F(push_pull_many, our_pull_receives_from_their_pushes_each_in_order) {
  constexpr std::size_t peers = 4;
  constexpr std::size_t each = 1'000;
  pull_socket ours{sides.executor()};
  const auto at = ours.bind("tcp://127.0.0.1:*").to_string();
  std::vector<std::unique_ptr<libzmq::socket>> theirs;
  for (std::size_t i = 0; i < peers; ++i) {
    theirs.push_back(std::make_unique<libzmq::socket>(sides.theirs(), ZMQ_PUSH));
    theirs.back()->connect(at);
  }
  const auto receive = [&]() -> asio::awaitable<void> {
    std::vector<std::size_t> next(peers, 0);
    for (std::size_t i = 0; i < peers * each; ++i) {
      const message m = co_await ours.async_receive(use_awaitable);
      const auto got = to_parts(m);
      expect_numbered(without_first(got), next.at(std::stoul(got.front()))++);
    }
  };
  sides.run(receive, [&] {
    for (std::size_t n = 0; n < each; ++n) {
      for (std::size_t i = 0; i < peers; ++i) {
        theirs[i]->send(with_first(std::to_string(i), numbered(n)));
      }
    }
  });
}

TEST_F(push_pull_many, our_push_finds_their_pull_again) {
  const auto at = vacant.to_string();
  push_socket ours{sides.executor()};
  ours.connect(at);
  sides.run_ours([&] { return we_send(ours, 0, 500); });
  auto theirs = std::make_unique<libzmq::socket>(sides.theirs(), ZMQ_PULL);
  theirs->bind(at);
  sides.run_theirs([&] {
    for (std::size_t n = 0; n < 500; ++n) {
      expect_numbered(theirs->receive(), n);
    }
    libzmq::monitor events{sides.theirs(), *theirs};
    ASSERT_EQ(zmq_unbind(theirs->handle(), at.c_str()), 0);
    events.wait(ZMQ_EVENT_CLOSED);
  });
  theirs.reset();
  // Messages that the kernel accepted before we detect the loss are lost with the connection.
  const auto lost = [&]() -> asio::awaitable<void> {
    asio::steady_timer again{sides.executor()};
    while (ours.counters().ended[static_cast<std::size_t>(errc::connection_lost)] == 0) {
      again.expires_after(1ms);
      co_await again.async_wait(use_awaitable);
    }
  };
  sides.run_ours(lost);
  sides.run_ours([&] { return we_send(ours, 500, 1'000); });
  theirs = std::make_unique<libzmq::socket>(sides.theirs(), ZMQ_PULL);
  theirs->bind(at);
  sides.run_theirs([&] {
    for (std::size_t n = 500; n < 1'000; ++n) {
      expect_numbered(theirs->receive(), n);
    }
  });
}

TEST_F(push_pull_many, their_push_finds_our_pull_again) {
  auto ours = std::make_unique<pull_socket>(sides.executor());
  const auto at = ours->bind("tcp://127.0.0.1:*").to_string();
  libzmq::socket theirs{sides.theirs(), ZMQ_PUSH};
  libzmq::monitor events{sides.theirs(), theirs};
  theirs.connect(at);
  sides.run([&] { return we_receive(*ours, 0, 500); },
            [&] {
              for (std::size_t n = 0; n < 500; ++n) {
                theirs.send(numbered(n));
              }
            });
  ours.reset();
  sides.run_theirs([&] { events.wait(ZMQ_EVENT_DISCONNECTED); });
  for (std::size_t n = 500; n < 1'000; ++n) {
    theirs.send(numbered(n));
  }
  ours = std::make_unique<pull_socket>(sides.executor());
  ours->bind(at);
  sides.run_ours([&] { return we_receive(*ours, 500, 1'000); });
}

}  // namespace
}  // namespace zmtp::test
