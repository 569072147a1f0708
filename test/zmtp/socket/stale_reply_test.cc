// A REQ whose peer answers more than once, or without a request: older messages do not answer a request.

#include "test/support/pattern_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

#include <string>
#include <utility>
#include <vector>

namespace zmtp::test {
namespace {

class stale_reply : public pattern_test {
protected:
  std::size_t nothing_ = 0;
};

class twice_answered : public stale_reply, public testing::WithParamInterface<meeting> {};

INSTANTIATE_TEST_SUITE_P(bound_by, twice_answered, testing::ValuesIn(meetings()),
                         testing::PrintToStringParamName());

TEST_P(twice_answered, requests_have_their_own_answers) {
  req_socket req{executor()};
  router_socket server{executor()};
  join(GetParam(), req, server);
  constexpr int count = 20;
  for (int i = 0; i < count; ++i) {
    const auto text = std::to_string(i);
    put(req, message{text});
    const auto asked = receive(server);
    ASSERT_EQ(asked.content, (message{"", text}));
    for (int times = 2; times != 0; --times) {
      ASSERT_EQ(server.try_send(asked.peer, message{"", text}), send_status::queued);
    }
    ASSERT_EQ(take(req), message{text});
    run_to_a_standstill(nothing_);
  }
  EXPECT_EQ(req.counters().messages_received, 20U);
  EXPECT_EQ(req.counters().dropped_unexpected, 19U) << "the last one waits";
}

// More than the queue can hold: some are not decoded when the next request is sent.
TEST_P(twice_answered, requests_have_their_own_answers_while_others_wait_for_space) {
  req_socket req{executor(), with_marks(2)};
  router_socket server{executor(), with_marks(1'000)};
  join(GetParam(), req, server);
  for (int i = 0; i < 5; ++i) {
    const auto text = std::to_string(i);
    put(req, message{text});
    const auto asked = receive(server);
    ASSERT_EQ(asked.content, (message{"", text}));
    for (int times = 100; times != 0; --times) {
      ASSERT_EQ(server.try_send(asked.peer, message{"", text}), send_status::queued);
    }
    run_to_a_standstill(nothing_);
    ASSERT_EQ(take(req), message{text});
  }
  EXPECT_EQ(req.counters().dropped_unexpected, 4U * 99U);
}

TEST_P(twice_answered, relaxed_requests_have_their_own_answers) {
  socket_options options;
  options.relaxed = true;
  req_socket req{executor(), options};
  router_socket server{executor()};
  join(GetParam(), req, server);
  for (int i = 0; i < 20; ++i) {
    const auto text = std::to_string(i);
    put(req, message{text});
    const auto asked = receive(server);
    ASSERT_EQ(asked.content, (message{"", text}));
    ASSERT_EQ(server.try_send(asked.peer, message{"", text}), send_status::queued);
    ASSERT_EQ(server.try_send(asked.peer, message{"", text}), send_status::queued);
    run_to_a_standstill(nothing_);
    // Every other answer is not waited for.
    if (i % 2 == 1) {
      ASSERT_EQ(take(req), message{text});
    }
  }
}

TEST_P(twice_answered, requests_over_two_peers_have_their_own_answers) {
  req_socket req{executor()};
  router_socket a{executor()};
  router_socket b{executor()};
  req.connect(a.bind(free_endpoint(GetParam().over)).to_string());
  req.connect(b.bind(free_endpoint(GetParam().over)).to_string());
  for (int i = 0; i < 10; ++i) {
    const auto text = std::to_string(i);
    put(req, message{text});
    auto& server = i % 2 == 0 ? a : b;
    const auto asked = receive(server);
    for (int times = 2; times != 0; --times) {
      ASSERT_EQ(server.try_send(asked.peer, message{"", text}), send_status::queued);
    }
    run_to_a_standstill(nothing_);
    ASSERT_EQ(take(req), message{text});
  }
}

// The messages arrive while the user of the REQ has the thread.
TEST_F(stale_reply, in_the_kernel_does_not_answer_the_next_request) {
  req_socket req{executor()};
  raw_peer peer{context()};
  peer.connect(req.bind("tcp://127.0.0.1:*"));
  // Without Nagle's algorithm each message arrives at once.
  peer.socket().set_option(asio::ip::tcp::no_delay{true});
  peer.shake_hands("REP");
  peer.start_reading();
  std::string asked;
  for (int i = 0; i < 5; ++i) {
    const auto text = std::to_string(i);
    put(req, message{text});
    asked += framed({"", text});
    run_until([&] { return peer.traffic() == asked; });
    peer.send(framed({"", text}));
    ASSERT_EQ(take(req), message{text});
    peer.send(framed({"", "stale"}) + framed({"", "stale"}));
    ASSERT_EQ(peer.unsent(), 0U);
  }
  EXPECT_EQ(req.counters().dropped_unexpected, 8U);
}

TEST_F(stale_reply, a_partly_received_one_does_not_answer_the_next_request) {
  const std::string large(100'000, 'x');
  const auto late = framed({"", large});
  for (const auto begun : {std::size_t{1}, std::size_t{3}, std::size_t{20}, late.size() - 1}) {
    req_socket req{executor()};
    raw_peer peer{context()};
    peer.connect(req.bind("tcp://127.0.0.1:*"));
    peer.shake_hands("REP");
    peer.start_reading();
    put(req, message{"first"});
    run_until([&] { return peer.traffic() == framed({"", "first"}); });
    peer.send(framed({"", "first"}) + late.substr(0, begun));
    ASSERT_EQ(take(req), message{"first"});
    run_to_a_standstill(nothing_);
    put(req, message{"second"});
    run_until([&] { return peer.traffic() == framed({"", "first"}) + framed({"", "second"}); });
    peer.send(late.substr(begun) + framed({"", "second"}));
    EXPECT_EQ(take(req), message{"second"}) << begun;
    EXPECT_EQ(req.counters().dropped_unexpected, 1U);
  }
}

// A command is not a message.
TEST_F(stale_reply, after_a_command_begun_before_the_request_is_not_an_answer) {
  const std::string ping{"\x04\x07\x04PING\0\0", 9};
  for (std::size_t begun = 1; begun != ping.size(); ++begun) {
    req_socket req{executor()};
    raw_peer peer{context()};
    peer.connect(req.bind("tcp://127.0.0.1:*"));
    peer.shake_hands("REP");
    peer.start_reading();
    wait_for_peer(req);
    peer.send(ping.substr(0, begun));
    run_to_a_standstill(nothing_);
    put(req, message{"question"});
    run_until([&] { return peer.traffic() == framed({"", "question"}); });
    peer.send(ping.substr(begun) + framed({"", "answer"}));
    EXPECT_EQ(take(req), message{"answer"}) << begun;
  }
}

TEST_F(stale_reply, does_not_answer_a_request_that_goes_to_the_next_connection) {
  raw_listener server{context()};
  req_socket req{executor(), impatient()};
  req.connect(server.endpoint());
  std::string asked;
  for (int i = 0; i < 3; ++i) {
    raw_peer peer{context()};
    server.start_accepting(peer);
    run_until([&] { return server.accepted(); });
    peer.shake_hands("REP");
    peer.start_reading();
    const auto text = std::to_string(i);
    put(req, message{text});
    run_until([&] { return peer.traffic() == framed({"", text}); });
    peer.send(framed({"", text}) + framed({"", text}) + framed({"", "begun"}).substr(0, 4));
    ASSERT_EQ(take(req), message{text});
    run_to_a_standstill(nothing_);
    peer.close();
  }
}

// Another thread has sent them, and the one of the REQ has not looked.
TEST_F(stale_reply, from_another_thread_does_not_answer_the_next_request) {
  asio::io_context elsewhere{1};
  const auto run_both_until = [&](auto&& done) {
    run_until([&] {
      elsewhere.restart();
      elsewhere.poll();
      asio::post(context(), [] {});
      return done();
    });
  };
  req_socket req{executor()};
  router_socket server{elsewhere.get_executor()};
  join(server, req, medium::inproc);
  for (int i = 0; i < 5; ++i) {
    const auto text = std::to_string(i);
    routed_message asked;
    message answer;
    bool sent = false;
    req.async_send(message{text}, [&](error_code ec) { sent = !ec; });
    run_both_until([&] { return sent && server.try_receive(asked); });
    ASSERT_EQ(asked.content, (message{"", text}));
    ASSERT_EQ(server.try_send(asked.peer, message{"", text}), send_status::queued);
    run_both_until([&] { return req.try_receive(answer); });
    ASSERT_EQ(answer, message{text});
    ASSERT_EQ(server.try_send(asked.peer, message{"", "stale"}), send_status::queued);
    elsewhere.restart();
    elsewhere.poll();
  }
  EXPECT_EQ(req.counters().dropped_unexpected, 4U);
}

}  // namespace
}  // namespace zmtp::test
