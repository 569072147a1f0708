// A REQ whose request or reply is lost: by default it waits without limit, and it does not take the
// reply to another request.

#include "test/support/pattern_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

socket_options persistent() {
  auto options = impatient();
  options.relaxed = true;
  options.correlate = true;
  return options;
}

class lost_reply : public pattern_test {
protected:
  // Gives up at once.
  error_code receive_in_vain(req_socket& req) {
    std::optional<error_code> end;
    req.async_receive(1ms, [&](error_code ec, const message&) { end = ec; });
    run_until([&] { return end.has_value(); });
    return end.value_or(error_code{});
  }
};

TEST_F(lost_reply, is_awaited_until_the_deadline_and_may_still_arrive) {
  req_socket req{executor()};
  router_socket server{executor()};
  join(server, req);
  put(req, message{"question"});
  const auto asked = receive(server);
  EXPECT_EQ(receive_in_vain(req), errc::timed_out);
  EXPECT_EQ(req.try_send(message{"again"}), send_status::out_of_turn);
  EXPECT_EQ(server.try_send(asked.peer, message{"", "late"}), send_status::queued);
  EXPECT_EQ(take(req), message{"late"});
  EXPECT_EQ(req.try_send(message{"again"}), send_status::queued);
}

TEST_F(lost_reply, a_cancelled_wait_for_it_takes_no_reply) {
  req_socket req{executor()};
  router_socket server{executor()};
  join(server, req);
  put(req, message{"question"});
  const auto asked = receive(server);
  asio::cancellation_signal signal;
  std::optional<error_code> end;
  req.async_receive(asio::bind_cancellation_slot(signal.slot(),
                                                 [&](error_code ec, const message&) { end = ec; }));
  signal.emit(asio::cancellation_type::total);
  EXPECT_EQ(server.try_send(asked.peer, message{"", "answer"}), send_status::queued);
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(*end, asio::error::operation_aborted);
  EXPECT_EQ(take(req), message{"answer"});
}

TEST_F(lost_reply, with_relaxed_and_correlate_late_replies_are_dropped) {
  req_socket req{executor(), persistent()};
  router_socket server{executor()};
  join(server, req);
  std::vector<routed_message> asked;
  for (int i = 0; i < 3; ++i) {
    put(req, message{"question", std::to_string(i)});
    asked.push_back(receive(server));
    EXPECT_EQ(receive_in_vain(req), errc::timed_out);
  }
  for (const auto& question : asked) {
    ASSERT_EQ(question.content.size(), 4U);
    EXPECT_EQ(question.content[0].size(), 4U);
    EXPECT_EQ(question.content[1], "");
    // As an echo, with all that stands before it.
    auto answer = question.content;
    EXPECT_EQ(server.try_send(question.peer, std::move(answer)), send_status::queued);
  }
  EXPECT_EQ(take(req), (message{"question", "2"}));
  EXPECT_EQ(req.counters().dropped_unexpected, 2U);
  put(req, message{"next"});
  auto next = receive(server);
  EXPECT_EQ(server.try_send(next.peer, std::move(next.content)), send_status::queued);
  EXPECT_EQ(take(req), message{"next"});
}

TEST_F(lost_reply, relaxed_and_correlate_work_with_a_rep) {
  req_socket req{executor(), persistent()};
  rep_socket rep{executor()};
  join(rep, req);
  put(req, message{"lost"});
  EXPECT_EQ(receive_in_vain(req), errc::timed_out);
  put(req, message{"asked again"});
  EXPECT_EQ(take(rep), message{"lost"});
  put(rep, message{"late"});
  EXPECT_EQ(take(rep), message{"asked again"});
  put(rep, message{"answer"});
  EXPECT_EQ(take(req), message{"answer"});
}

// A peer may still have a reply to another socket at the same endpoint, or to an earlier process.
TEST_F(lost_reply, requests_of_two_sockets_have_different_numbers) {
  router_socket server{executor()};
  const auto at = server.bind("tcp://127.0.0.1:*").to_string();
  std::vector<std::string> numbers;
  for (int i = 0; i < 2; ++i) {
    req_socket req{executor(), persistent()};
    req.connect(at);
    put(req, message{"question"});
    numbers.emplace_back(receive(server).content.front());
  }
  EXPECT_NE(numbers[0], numbers[1]);
}

TEST_F(lost_reply, with_relaxed_the_next_request_goes_to_another_peer) {
  req_socket req{executor(), persistent()};
  router_socket silent{executor()};
  rep_socket rep{executor()};
  join(silent, req);
  join(rep, req);
  put(req, message{"question"});
  EXPECT_EQ(receive_in_vain(req), errc::timed_out);
  auto late = receive(silent);
  put(req, message{"question"});
  EXPECT_EQ(silent.try_send(late.peer, std::move(late.content)), send_status::queued);
  EXPECT_EQ(take(rep), message{"question"});
  put(rep, message{"answer"});
  EXPECT_EQ(take(req), message{"answer"});
}

// protocols A9: there is no automatic resend.
TEST_F(lost_reply, a_lost_connection_does_not_repeat_the_request) {
  raw_listener listener{context()};
  std::optional<raw_peer> peer{std::in_place, context()};
  listener.start_accepting(*peer);
  req_socket req{executor(), persistent()};
  req.connect(listener.endpoint());
  run_until([&] { return listener.accepted(); });
  peer->shake_hands("REP");
  peer->start_reading();
  put(req, message{"question"});
  run_until([&] { return !peer->traffic().empty(); });
  const auto first = content_of(peer->traffic()).messages;
  peer->reset();
  peer.emplace(context());
  listener.start_accepting(*peer);
  run_until([&] { return listener.accepted(); });
  peer->shake_hands("REP");
  peer->start_reading();
  EXPECT_EQ(receive_in_vain(req), errc::timed_out);
  put(req, message{"question again"});
  run_until([&] { return !peer->traffic().empty(); });
  const auto second = content_of(peer->traffic()).messages;
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].at(2), "question again");
  EXPECT_NE(first.at(0).at(0), second[0][0]);
  peer->send(framed({first[0][0], "", "late"}) + framed({second[0][0], "", "answer"}));
  EXPECT_EQ(take(req), message{"answer"});
}

// An endpoint may have another peer after a reconnect, but a reply is only for the peer that asked.
class requester_at_an_endpoint : public lost_reply {
protected:
  void call(const std::string& identity, socket& service) {
    peer.emplace(context());
    listener.start_accepting(*peer);
    if (calls_++ == 0) {
      service.connect(listener.endpoint());
    }
    run_until([&] { return listener.accepted(); });
    peer->shake_hands("DEALER", identity);
    peer->start_reading();
    run_until([&] { return service.peers().size() == 1; });
  }
  void leave(const socket& service) {
    peer->reset();
    run_until([&] { return service.peers().empty(); });
  }
  // All messages that have come, up to `last`.
  std::vector<parts> received(const parts& last) {
    std::vector<parts> messages;
    run_until([&] {
      messages = content_of(peer->traffic()).messages;
      return !messages.empty() && messages.back() == last;
    });
    return messages;
  }

  raw_listener listener{context()};
  std::optional<raw_peer> peer;

private:
  int calls_ = 0;
};

TEST_F(requester_at_an_endpoint, the_next_peer_does_not_get_the_reply_to_the_previous_one) {
  rep_socket rep{executor(), impatient()};
  for (const auto* identity : {"A", "B", "", ""}) {
    call(identity, rep);
    if (rep.writable()) {
      put(rep, message{"late"});
    }
    peer->send(framed({"", "question"}));
    EXPECT_EQ(take(rep), message{"question"});
    put(rep, message{"answer"});
    EXPECT_EQ(received({"", "answer"}), (std::vector<parts>{{"", "answer"}}));
    peer->send(framed({"", "another"}));
    EXPECT_EQ(take(rep), message{"another"});
    leave(rep);
  }
  EXPECT_EQ(rep.counters().dropped_unknown, 3U);
}

TEST_F(requester_at_an_endpoint, a_reconnected_peer_gets_its_reply) {
  rep_socket rep{executor(), impatient()};
  call("A", rep);
  peer->send(framed({"", "question"}));
  EXPECT_EQ(take(rep), message{"question"});
  leave(rep);
  call("A", rep);
  put(rep, message{"late"});
  EXPECT_EQ(received({"", "late"}), (std::vector<parts>{{"", "late"}}));
  EXPECT_EQ(rep.counters().dropped_unknown, 0U);
}

TEST_F(requester_at_an_endpoint, a_router_identifies_it_by_its_routing_id_alone) {
  router_socket router{executor(), impatient()};
  call("A", router);
  peer->send(framed({"question"}));
  const auto a = receive(router).peer;
  leave(router);
  EXPECT_EQ(router.try_send(a, message{"late"}), send_status::queued);
  call("B", router);
  EXPECT_EQ(router.try_send(a, message{"later"}), send_status::unknown);
  EXPECT_EQ(router.counters().dropped_detached, 1U);
  peer->send(framed({"another"}));
  const auto b = receive(router).peer;
  EXPECT_NE(a, b);
  EXPECT_EQ(router.try_send(b, message{"answer"}), send_status::queued);
  EXPECT_EQ(received({"answer"}), (std::vector<parts>{{"answer"}}));
  // The id still names the endpoint.
  leave(router);
  EXPECT_EQ(router.try_send(b, message{"1"}), send_status::queued);
  call("B", router);
  EXPECT_EQ(received({"1"}), (std::vector<parts>{{"1"}}));
  error_code ec;
  router.disconnect(listener.endpoint(), ec);
  EXPECT_FALSE(ec);
  run_until([&] { return router.peers().empty(); });
  EXPECT_EQ(router.try_send(b, message{"2"}), send_status::unknown);
}

TEST_F(lost_reply, an_unsent_request_goes_to_the_next_connection) {
  const auto at = reserve();
  req_socket req{executor(), impatient()};
  req.connect(at);
  EXPECT_EQ(req.try_send(message{"question"}), send_status::queued);
  EXPECT_EQ(receive_in_vain(req), errc::timed_out);
  rep_socket rep{executor()};
  rep.bind(at);
  EXPECT_EQ(take(rep), message{"question"});
  put(rep, message{"answer"});
  EXPECT_EQ(take(req), message{"answer"});
}

TEST_F(lost_reply, with_relaxed_a_bound_req_asks_the_next_peer) {
  req_socket req{executor(), persistent()};
  const auto at = req.bind("tcp://127.0.0.1:*");
  {
    raw_peer peer{context()};
    peer.connect(at);
    peer.shake_hands("REP");
    put(req, message{"question"});
    run_ready();
  }
  constexpr auto lost = static_cast<std::size_t>(errc::connection_lost);
  run_until([&] { return req.counters().ended[lost] == 1; });
  EXPECT_EQ(req.try_send(message{"question"}), send_status::full);
  rep_socket rep{executor()};
  rep.connect(at.to_string());
  put(req, message{"question"});
  EXPECT_EQ(take(rep), message{"question"});
  put(rep, message{"answer"});
  EXPECT_EQ(take(req), message{"answer"});
}

TEST_F(lost_reply, replies_come_over_a_rep_that_reconnects) {
  req_socket req{executor(), persistent()};
  auto at = req.bind("tcp://127.0.0.1:*").to_string();
  rep_socket rep{executor(), impatient()};
  rep.connect(at);
  for (int round = 0; round < 5; ++round) {
    put(req, message{std::to_string(round)});
    EXPECT_EQ(take(rep), message{std::to_string(round)});
    put(rep, message{std::to_string(round)});
    EXPECT_EQ(take(req), message{std::to_string(round)});
    req = req_socket{executor(), persistent()};
    constexpr auto lost = static_cast<std::size_t>(errc::connection_lost);
    const auto before = static_cast<std::size_t>(round);
    run_until([&] { return rep.counters().ended[lost] > before; });
    req.bind(at);
  }
}

}  // namespace
}  // namespace zmtp::test
