// REQ and REP of Zinc with libzmq's REP, REQ, DEALER and ROUTER: the envelope in both directions, the order of
// calls, and late replies.

#include "test/interop/two_sides.h"
#include "test/support/wire.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

parts behind(parts envelope, const parts& body) {
  envelope.insert(envelope.end(), body.begin(), body.end());
  return envelope;
}

asio::awaitable<void> we_ask(req_socket& with) {
  for (const auto& shape : shapes()) {
    message m = to_message(shape);
    co_await with.async_send(std::move(m), use_awaitable);
    const message answer = co_await with.async_receive(use_awaitable);
    expect_shape(to_parts(answer), shape);
  }
}

asio::awaitable<void> we_answer(rep_socket& with, std::size_t times = 1) {
  for (; times != 0; --times) {
    for (const auto& shape : shapes()) {
      message m = co_await with.async_receive(use_awaitable);
      expect_shape(to_parts(m), shape);
      co_await with.async_send(std::move(m), use_awaitable);
    }
  }
}

void they_ask(libzmq::socket& with, const parts& envelope = {}) {
  for (const auto& shape : shapes()) {
    with.send(behind(envelope, shape));
    expect_shape(with.receive(), behind(envelope, shape));
  }
}

// Returns each request unchanged, with `envelope` frames before the shape.
void they_answer(libzmq::socket& with, std::size_t envelope = 0) {
  for (const auto& shape : shapes()) {
    const auto m = with.receive();
    ASSERT_EQ(m.size(), shape.size() + envelope);
    expect_shape(parts(m.begin() + static_cast<long>(envelope), m.end()), shape);
    with.send(m);
  }
}

void make_persistent(libzmq::socket& req) {
  req.set(ZMQ_REQ_CORRELATE, 1);
  req.set(ZMQ_REQ_RELAXED, 1);
  req.set(ZMQ_RECONNECT_IVL, 5);
}

class request_reply : public testing::TestWithParam<binder> {
protected:
  two_sides sides;
};

INSTANTIATE_TEST_SUITE_P(both_ways, request_reply, testing::Values(binder::ours, binder::theirs),
                         [](const auto& who) { return to_string(who.param); });

TEST_P(request_reply, our_req_asks_their_rep) {
  req_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_REP};
  join(GetParam(), ours, theirs);
  sides.run([&] { return we_ask(ours); }, [&] { they_answer(theirs); });
  EXPECT_EQ(ours.counters().dropped_unexpected, 0U);
}

TEST_P(request_reply, our_correlating_req_asks_their_rep) {
  req_socket ours{sides.executor(), persistent()};
  libzmq::socket theirs{sides.theirs(), ZMQ_REP};
  join(GetParam(), ours, theirs);
  sides.run([&] { return we_ask(ours); }, [&] { they_answer(theirs); });
  EXPECT_EQ(ours.counters().dropped_unexpected, 0U);
}

TEST_P(request_reply, our_req_asks_their_router) {
  req_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_ROUTER};
  join(GetParam(), ours, theirs);
  // The identity of the REQ, and the delimiter.
  sides.run([&] { return we_ask(ours); }, [&] { they_answer(theirs, 2); });
}

TEST_P(request_reply, our_req_has_its_own_answers_from_their_router_that_answers_twice) {
  constexpr std::size_t count = 50;
  req_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_ROUTER};
  join(GetParam(), ours, theirs);
  const auto text = [](std::size_t i) { return std::to_string(1'000 + i); };
  const auto ask = [&]() -> asio::awaitable<void> {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      message m{text(i)};
      co_await ours.async_send(std::move(m), use_awaitable);
      const message answer = co_await ours.async_receive(use_awaitable);
      EXPECT_EQ(answer, message{text(i)});
      bytes = i == 0 ? ours.counters().bytes_received : bytes + 2 * framed({"", text(i)}).size();
      // The second answer, too, is there before the next request is sent.
      while (ours.counters().bytes_received < bytes) {
        co_await asio::post(sides.executor(), use_awaitable);
      }
    }
  };
  sides.run(ask, [&] {
    for (std::size_t i = 0; i < count; ++i) {
      const auto m = theirs.receive();
      ASSERT_EQ(m.back(), text(i));
      theirs.send(m);
      if (i != 0) {
        theirs.send(m);
      }
    }
  });
  EXPECT_EQ(ours.counters().messages_received, count);
  EXPECT_EQ(ours.counters().dropped_unexpected, count - 2);
}

TEST_P(request_reply, our_correlating_req_asks_their_router) {
  req_socket ours{sides.executor(), persistent()};
  libzmq::socket theirs{sides.theirs(), ZMQ_ROUTER};
  join(GetParam(), ours, theirs);
  // The number too.
  sides.run([&] { return we_ask(ours); }, [&] { they_answer(theirs, 3); });
}

TEST_P(request_reply, their_req_asks_our_rep) {
  rep_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_REQ};
  join(GetParam(), ours, theirs);
  sides.run([&] { return we_answer(ours); }, [&] { they_ask(theirs); });
  EXPECT_EQ(ours.counters().dropped_unexpected, 0U);
}

TEST_P(request_reply, their_correlating_req_asks_our_rep) {
  rep_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_REQ};
  make_persistent(theirs);
  join(GetParam(), ours, theirs);
  sides.run([&] { return we_answer(ours); }, [&] { they_ask(theirs); });
}

TEST_P(request_reply, their_dealer_asks_our_rep_through_envelopes) {
  rep_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  join(GetParam(), ours, theirs);
  const std::vector<parts> envelopes{
      {""}, {"1", ""}, {"5", content(255, 4), content(256, 3), "2", "1", ""}};
  // Several are on their way at once.
  sides.run([&] { return we_answer(ours, envelopes.size()); },
            [&] {
              for (const auto& envelope : envelopes) {
                they_ask(theirs, envelope);
              }
            });
}

TEST_P(request_reply, their_dealer_has_an_answer_to_each_of_many_requests_at_once) {
  constexpr std::size_t count = 3'000;
  rep_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  theirs.set(ZMQ_SNDHWM, 0);
  theirs.set(ZMQ_RCVHWM, 0);
  join(GetParam(), ours, theirs);
  const auto answer = [&]() -> asio::awaitable<void> {
    for (std::size_t n = 0; n < count; ++n) {
      message m = co_await ours.async_receive(use_awaitable);
      EXPECT_TRUE(to_parts(m) == numbered(n)) << n;
      co_await ours.async_send(std::move(m), use_awaitable);
    }
  };
  sides.run(answer, [&] {
    for (std::size_t n = 0; n < count; ++n) {
      theirs.send(behind({"id", ""}, numbered(n)));
    }
    for (std::size_t n = 0; n < count; ++n) {
      ASSERT_TRUE(theirs.receive() == behind({"id", ""}, numbered(n))) << n;
    }
  });
  EXPECT_EQ(ours.counters().dropped_full, 0U);
}

TEST_P(request_reply, our_rep_drops_messages_without_an_envelope) {
  rep_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  join(GetParam(), ours, theirs);
  const auto answer = [&]() -> asio::awaitable<void> {
    message m = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(m, message{"question"});
    co_await ours.async_send(std::move(m), use_awaitable);
  };
  sides.run(answer, [&] {
    theirs.send({"no delimiter"});
    theirs.send({"none", "either"});
    theirs.send({""});
    theirs.send({"id", ""});
    theirs.send({"", "question"});
    EXPECT_EQ(theirs.receive(), (parts{"", "question"}));
  });
  EXPECT_EQ(ours.counters().dropped_unexpected, 4U);
}

// libzmq's own REQ would end the connection for them.
TEST_P(request_reply, malformed_replies_of_their_router_are_dropped) {
  req_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_ROUTER};
  join(GetParam(), ours, theirs);
  const auto ask = [&]() -> asio::awaitable<void> {
    message m{"question"};
    co_await ours.async_send(std::move(m), use_awaitable);
    const message answer = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(answer, message{"answer"});
  };
  sides.run(ask, [&] {
    const auto m = theirs.receive();
    const auto id = m.front();
    EXPECT_EQ(without_first(m), (parts{"", "question"}));
    theirs.send({id, "no delimiter"});
    theirs.send({id, ""});
    theirs.send({id, "1234", "", "a number nobody gave"});
    theirs.send({id, "", "answer"});
  });
  EXPECT_EQ(ours.counters().dropped_unexpected, 3U);
}

TEST_P(request_reply, our_req_asks_again_and_takes_no_late_reply_of_their_rep) {
  req_socket ours{sides.executor(), persistent()};
  libzmq::socket theirs{sides.theirs(), ZMQ_REP};
  join(GetParam(), ours, theirs);
  const std::vector<std::string> questions{"first", "second", "third"};
  const auto ask = [&]() -> asio::awaitable<void> {
    for (const auto& text : questions) {
      message m{text};
      co_await ours.async_send(std::move(m), use_awaitable);
    }
  };
  sides.run_ours(ask);
  const auto receive = [&]() -> asio::awaitable<void> {
    const message answer = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(answer, message{"to third"});
  };
  sides.run(receive, [&] {
    for (const auto& text : questions) {
      EXPECT_EQ(theirs.receive(), parts{text});
      theirs.send({"to " + text});
    }
  });
  EXPECT_EQ(ours.counters().dropped_unexpected, 2U);
}

TEST_P(request_reply, their_req_asks_again_and_our_rep_goes_on) {
  rep_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_REQ};
  make_persistent(theirs);
  join(GetParam(), ours, theirs);
  const auto answer = [&]() -> asio::awaitable<void> {
    // Asking again, libzmq's REQ may leave the connection that it asked on first.
    for (;;) {
      const message m = co_await ours.async_receive(use_awaitable);
      const auto text = std::string{m.front()};
      message reply{"to " + text};
      co_await ours.async_send(std::move(reply), use_awaitable);
      if (text == "last") {
        co_return;
      }
    }
  };
  sides.run(answer, [&] {
    theirs.send({"first"});
    theirs.send({"second"});
    theirs.send({"last"});
    EXPECT_EQ(theirs.receive(), parts{"to last"});
  });
}

}  // namespace
}  // namespace zmtp::test
