// The output of REQ and REP to peers that violate the protocol, and its size.

#include "test/support/pattern_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <string>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

class request_reply_wire : public pattern_test {};

TEST_F(request_reply_wire, a_request_is_a_delimiter_and_the_body) {
  req_socket req{executor()};
  raw_peer peer{context()};
  peer.connect(req.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("REP");
  peer.start_reading();
  put(req, message{"question", "more"});
  run_until([&] { return !peer.traffic().empty(); });
  EXPECT_EQ(peer.traffic(), framed({"", "question", "more"}));
  peer.send(framed({"without a delimiter"}) + framed({""}) + framed({"id", "", "in an envelope"}) +
            framed({"", "answer"}));
  EXPECT_EQ(take(req), message{"answer"});
  EXPECT_EQ(req.counters().dropped_unexpected, 3U);
  EXPECT_FALSE(peer.ended());
}

TEST_F(request_reply_wire, a_reply_is_the_envelope_of_the_request_and_the_body) {
  rep_socket rep{executor()};
  raw_peer peer{context()};
  peer.connect(rep.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("DEALER");
  peer.start_reading();
  parts envelope;
  for (const auto depth : {0, 1, 5}) {
    const auto before = peer.traffic().size();
    envelope.assign(static_cast<std::size_t>(depth), "address");
    envelope.emplace_back();
    auto request = envelope;
    request.emplace_back("question");
    peer.send(framed({"nonsense"}) + framed({""}) + framed(request));
    EXPECT_EQ(take(rep), message{"question"});
    put(rep, message{"answer", ""});
    auto reply = envelope;
    reply.insert(reply.end(), {"answer", ""});
    run_until([&] { return peer.traffic().size() > before; });
    EXPECT_EQ(peer.traffic().substr(before), framed(reply));
  }
  EXPECT_EQ(rep.counters().dropped_unexpected, 6U);
}

// A full queue is written once before it is called full.
TEST_F(request_reply_wire, many_requests_at_once_get_a_reply_each) {
  socket_options options;
  options.send_mark.messages = 10;
  rep_socket rep{executor(), options};
  raw_peer peer{context()};
  peer.connect(rep.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("DEALER");
  peer.start_reading();
  constexpr int count = 500;
  std::string all;
  for (int i = 0; i < count; ++i) {
    all += framed({"", std::to_string(i)});
  }
  peer.send(all);
  std::size_t nothing = 0;
  run_to_a_standstill(nothing);
  int served = 0;
  for (message m; rep.try_receive(m); ++served) {
    ASSERT_EQ(rep.try_send(std::move(m)), send_status::queued);
  }
  run_to_a_standstill(nothing);
  for (message m; rep.try_receive(m); ++served) {
    ASSERT_EQ(rep.try_send(std::move(m)), send_status::queued);
  }
  EXPECT_EQ(served, count);
  run_to_a_standstill(nothing);
  EXPECT_EQ(rep.counters().dropped_full, 0U);
  EXPECT_TRUE(peer.traffic() == all) << content_of(peer.traffic()).messages.size() << " replies";
}

TEST_F(request_reply_wire, many_requests_at_once_get_a_reply_each_from_a_coroutine) {
  socket_options options;
  options.send_mark.messages = 3;
  rep_socket rep{executor(), options};
  raw_peer peer{context()};
  peer.connect(rep.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("DEALER");
  peer.start_reading();
  constexpr int count = 500;
  std::string all;
  for (int i = 0; i < count; ++i) {
    all += framed({"", std::to_string(i)});
  }
  int served = 0;
  const auto serve = [&]() -> asio::awaitable<void> {
    for (; served < count; ++served) {
      message m = co_await rep.async_receive(use_awaitable);
      co_await rep.async_send(std::move(m), use_awaitable);
    }
  };
  asio::co_spawn(context(), serve, asio::detached);
  peer.send(all);
  run_until([&] { return served == count; });
  std::size_t nothing = 0;
  run_to_a_standstill(nothing);
  EXPECT_EQ(rep.counters().dropped_full, 0U);
  EXPECT_TRUE(peer.traffic() == all) << content_of(peer.traffic()).messages.size() << " replies";
}

// RFC 28: a reply never waits, so that one that does not read cannot stop the service of others.
TEST_F(request_reply_wire, a_requester_that_does_not_read_does_not_block_others) {
  socket_options options;
  options.send_mark.messages = 3;
  rep_socket rep{executor(), options};
  const auto at = rep.bind("tcp://127.0.0.1:*");
  raw_peer send_broken{context()};
  send_broken.connect(at);
  send_broken.shake_hands("DEALER");
  const auto serve = [&]() -> asio::awaitable<void> {
    for (;;) {
      message m = co_await rep.async_receive(use_awaitable);
      m = message{std::string(2'000'000, 'x')};
      co_await rep.async_send(std::move(m), use_awaitable);
    }
  };
  asio::co_spawn(context(), serve, asio::detached);
  for (int i = 0; i < 20; ++i) {
    send_broken.send(framed({"", "question"}));
  }
  run_until([&] { return rep.counters().dropped_full != 0; });
  req_socket req{executor()};
  req.connect(at.to_string());
  put(req, message{"question"});
  EXPECT_EQ(take(req).front().size(), 2'000'000U);
  rep.close(0ms);
}

}  // namespace
}  // namespace zmtp::test
