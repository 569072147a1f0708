// REQ and REP whose peer restarts, one of Zinc and the other of libzmq.

#include "test/interop/two_sides.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

class request_reply_restart : public testing::Test {
protected:
  asio::awaitable<void> ask(req_socket& with, std::string text) {
    message m{text};
    co_await with.async_send(std::move(m), use_awaitable);
    const message answer = co_await with.async_receive(use_awaitable);
    EXPECT_EQ(answer, message{text});
  }
  asio::awaitable<void> answer(rep_socket& with) {
    message m = co_await with.async_receive(use_awaitable);
    co_await with.async_send(std::move(m), use_awaitable);
  }
  asio::awaitable<void> lose(const zmtp::socket& connections, std::size_t in_all) {
    asio::steady_timer again{sides.executor()};
    while (connections.counters().ended[static_cast<std::size_t>(errc::connection_lost)] < in_all) {
      again.expires_after(1ms);
      co_await again.async_wait(use_awaitable);
    }
  }
  static void they_answer_once(libzmq::socket& with) {
    const auto m = with.receive();
    with.send(m);
  }

  two_sides sides;
  reserved_endpoint vacant{sides.ours(), medium::tcp};
};

TEST_F(request_reply_restart, our_req_finds_their_rep_again) {
  const auto at = vacant.to_string();
  req_socket ours{sides.executor(), persistent()};
  ours.connect(at);
  for (std::size_t round = 1; round <= 3; ++round) {
    libzmq::socket theirs{sides.theirs(), ZMQ_REP};
    theirs.bind(at);
    sides.run([&] { return ask(ours, std::to_string(round)); },
              [&] {
                they_answer_once(theirs);
                libzmq::monitor events{sides.theirs(), theirs};
                ASSERT_EQ(zmq_unbind(theirs.handle(), at.c_str()), 0);
                events.wait(ZMQ_EVENT_CLOSED);
              });
    theirs.close();
    sides.run_ours([&] { return lose(ours, round); });
  }
}

TEST_F(request_reply_restart, their_req_finds_our_rep_again) {
  libzmq::socket theirs{sides.theirs(), ZMQ_REQ};
  libzmq::monitor events{sides.theirs(), theirs};
  const auto at = vacant.to_string();
  theirs.connect(at);
  for (int round = 0; round < 3; ++round) {
    auto ours = std::make_unique<rep_socket>(sides.executor());
    ours->bind(at);
    sides.run([&] { return answer(*ours); },
              [&] {
                theirs.send({std::to_string(round)});
                EXPECT_EQ(theirs.receive(), parts{std::to_string(round)});
              });
    ours.reset();
    sides.run_theirs([&] { events.wait(ZMQ_EVENT_DISCONNECTED); });
  }
}

TEST_F(request_reply_restart, our_rep_finds_their_req_again) {
  const auto at = vacant.to_string();
  socket_options options;
  options.reconnect = {.initial = 5ms, .maximum = 20ms};
  rep_socket ours{sides.executor(), options};
  ours.connect(at);
  for (int round = 0; round < 3; ++round) {
    libzmq::socket theirs{sides.theirs(), ZMQ_REQ};
    theirs.bind(at);
    sides.run([&] { return answer(ours); },
              [&] {
                theirs.send({std::to_string(round)});
                EXPECT_EQ(theirs.receive(), parts{std::to_string(round)});
                libzmq::monitor events{sides.theirs(), theirs};
                ASSERT_EQ(zmq_unbind(theirs.handle(), at.c_str()), 0);
                events.wait(ZMQ_EVENT_CLOSED);
              });
  }
}

// libzmq's REQ would get the reply to the first request as the reply to its own.
TEST_F(request_reply_restart, our_rep_gives_the_reply_to_one_of_theirs_to_no_other) {
  const auto at = vacant.to_string();
  socket_options options;
  options.reconnect = {.initial = 5ms, .maximum = 20ms};
  rep_socket ours{sides.executor(), options};
  ours.connect(at);
  const auto receive = [&]() -> asio::awaitable<void> {
    const message m = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(m, message{"question"});
  };
  {
    libzmq::socket theirs{sides.theirs(), ZMQ_REQ};
    theirs.bind(at);
    sides.run(receive, [&] {
      theirs.send({"question"});
      libzmq::monitor events{sides.theirs(), theirs};
      ASSERT_EQ(zmq_unbind(theirs.handle(), at.c_str()), 0);
      events.wait(ZMQ_EVENT_CLOSED);
    });
  }
  libzmq::socket theirs{sides.theirs(), ZMQ_REQ};
  theirs.bind(at);
  const auto reply_late = [&]() -> asio::awaitable<void> {
    message late{"late"};
    co_await lose(ours, 1);
    co_await ours.async_wait_peers(1, use_awaitable);
    co_await ours.async_send(std::move(late), use_awaitable);
    co_await answer(ours);
  };
  sides.run(reply_late, [&] {
    theirs.send({"another"});
    EXPECT_EQ(theirs.receive(), parts{"another"});
  });
  EXPECT_EQ(ours.counters().dropped_unknown, 1U);
}

// The service continues for others after a client disconnects.
TEST_F(request_reply_restart, a_reply_to_their_req_that_went_is_dropped) {
  rep_socket ours{sides.executor()};
  const auto at = ours.bind("tcp://127.0.0.1:*").to_string();
  auto gone = std::make_unique<libzmq::socket>(sides.theirs(), ZMQ_REQ);
  gone->connect(at);
  const auto receive = [&]() -> asio::awaitable<void> {
    const message m = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(m, message{"question"});
  };
  sides.run(receive, [&] { gone->send({"question"}); });
  gone.reset();
  const auto lost = [&]() -> asio::awaitable<void> {
    co_await lose(ours, 1);
    message reply{"answer"};
    co_await ours.async_send(std::move(reply), use_awaitable);
  };
  sides.run_ours(lost);
  EXPECT_EQ(ours.counters().dropped_unknown, 1U);
  libzmq::socket theirs{sides.theirs(), ZMQ_REQ};
  theirs.connect(at);
  sides.run([&] { return answer(ours); },
            [&] {
              theirs.send({"another"});
              EXPECT_EQ(theirs.receive(), parts{"another"});
            });
}

}  // namespace
}  // namespace zmtp::test
