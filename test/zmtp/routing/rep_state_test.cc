// REP (RFC 28): one request, then its reply, to the peer that asked, in the envelope it asked in.

#include "test/support/allocations.h"
#include "test/support/made_of.h"
#include "test/support/routing.h"
#include "zmtp/routing/lock_step_state.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace zmtp {
namespace {

using test::attach_new;
using test::attach_to;
using test::framed;
using test::last_part;
using test::made_of;
using test::parts;
using test::peer_sends;
using test::write;

// The largest envelope that REP can hold: frames before the content, with the delimiter.
constexpr std::size_t largest_envelope = 255;

// Addresses of sizes that differ, and the delimiter.
parts envelope_of(std::size_t depth) {
  parts envelope;
  for (std::size_t i = 0; i < depth; ++i) {
    envelope.push_back(std::string(1 + i * 7 % 300, static_cast<char>(i)));
  }
  envelope.emplace_back();
  return envelope;
}

parts behind(parts envelope, const parts& content) {
  envelope.insert(envelope.end(), content.begin(), content.end());
  return envelope;
}

class envelope : public testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(of_depth, envelope, testing::Values(0, 1, 5, 100, 254));

TEST_P(envelope, is_taken_off_the_request_and_put_before_the_reply) {
  rep_state rep{{}};
  const auto id = attach_new(rep);
  const auto addresses = envelope_of(GetParam());
  // Also the second time, when there was one before.
  for (const auto* text : {"one", "two"}) {
    peer_sends(rep, id, made_of(behind(addresses, {text, "", "more"})));
    message m;
    ASSERT_TRUE(rep.receive(m));
    EXPECT_EQ(m, (message{text, "", "more"}));
    EXPECT_EQ(rep.send({"answer", "", text}), send_status::queued);
    EXPECT_EQ(write(rep, id), framed(behind(addresses, {"answer", "", text})));
  }
  EXPECT_EQ(rep.counters().messages_received, 2U);
  EXPECT_EQ(rep.counters().messages_sent, 2U);
  EXPECT_EQ(rep.counters().dropped_unexpected, 0U);
}

TEST(rep_state, drops_and_counts_a_request_in_too_large_an_envelope) {
  rep_state rep{{}};
  const auto id = attach_new(rep);
  for (const auto frames : {largest_envelope + 1, largest_envelope + 2, std::size_t{1'000}}) {
    peer_sends(rep, id, made_of(behind(envelope_of(frames - 1), {"question"})));
  }
  peer_sends(rep, id, {"", "question"});
  EXPECT_EQ(last_part(rep), "question");
  EXPECT_EQ(rep.counters().dropped_unexpected, 3U);
  EXPECT_EQ(rep.send({"answer"}), send_status::queued);
  EXPECT_EQ(write(rep, id), framed({"", "answer"}));
}

TEST(rep_state, only_the_first_empty_frame_is_the_delimiter) {
  rep_state rep{{}};
  const auto id = attach_new(rep);
  peer_sends(rep, id, {"a", "", "", "b", ""});
  message m;
  ASSERT_TRUE(rep.receive(m));
  EXPECT_EQ(m, (message{"", "b", ""}));
  EXPECT_EQ(rep.send({""}), send_status::queued);
  EXPECT_EQ(write(rep, id), framed({"a", "", ""}));
}

TEST(rep_state, drops_and_counts_requests_without_a_delimiter_or_a_body) {
  rep_state rep{{}};
  const auto id = attach_new(rep);
  const std::vector<message> malformed{{"body"}, {"a", "b", "c"}, {""}, {"a", ""}, {"a", "b", ""}};
  for (const auto& m : malformed) {
    peer_sends(rep, id, m);
  }
  EXPECT_EQ(last_part(rep), "none");
  EXPECT_EQ(rep.counters().dropped_unexpected, malformed.size());
  EXPECT_EQ(rep.counters().messages_received, 0U);
  EXPECT_FALSE(rep.writable());
  EXPECT_EQ(rep.send({"to nobody"}), send_status::out_of_turn);
  peer_sends(rep, id, {"a", "", "question"});
  EXPECT_EQ(last_part(rep), "question");
  EXPECT_EQ(rep.send({"answer"}), send_status::queued);
  EXPECT_EQ(write(rep, id), framed({"a", "", "answer"}));
}

TEST(rep_state, malformed_requests_of_one_peer_do_not_hide_anothers) {
  rep_state rep{{}};
  const auto bad = attach_new(rep);
  const auto good = attach_new(rep);
  for (int i = 0; i < 50; ++i) {
    peer_sends(rep, bad, {"nonsense"});
  }
  peer_sends(rep, good, {"", "question"});
  EXPECT_EQ(last_part(rep), "question");
}

TEST(rep_state, a_reply_without_a_request_is_out_of_turn_and_kept) {
  rep_state rep{{}};
  const auto id = attach_new(rep);
  message m{"kept"};
  EXPECT_EQ(rep.send(std::move(m)), send_status::out_of_turn);
  EXPECT_EQ(m, message{"kept"});  // NOLINT: that is what is tested
  peer_sends(rep, id, {"", "question"});
  EXPECT_EQ(rep.send(std::move(m)), send_status::out_of_turn) << "before it is last_part";
  EXPECT_EQ(last_part(rep), "question");
  EXPECT_EQ(rep.send(std::move(m)), send_status::queued);
  EXPECT_EQ(rep.send({"twice"}), send_status::out_of_turn);
  EXPECT_EQ(write(rep, id), framed({"", "kept"}));
}

TEST(rep_state, receives_nothing_before_it_has_replied) {
  rep_state rep{{}};
  const auto id = attach_new(rep);
  peer_sends(rep, id, {"", "1"});
  peer_sends(rep, id, {"", "2"});
  EXPECT_TRUE(rep.readable());
  EXPECT_FALSE(rep.writable());
  EXPECT_EQ(last_part(rep), "1");
  EXPECT_FALSE(rep.readable());
  EXPECT_TRUE(rep.writable());
  message m{"before"};
  EXPECT_FALSE(rep.receive(m));
  EXPECT_EQ(m, message{"before"});
  EXPECT_EQ(rep.send({"to 1"}), send_status::queued);
  EXPECT_TRUE(rep.readable());
  EXPECT_EQ(last_part(rep), "2");
  EXPECT_EQ(rep.send({"to 2"}), send_status::queued);
  EXPECT_EQ(write(rep, id), framed({"", "to 1"}) + framed({"", "to 2"}));
}

TEST(rep_state, replies_to_the_requester_and_serves_all_peers_in_turn) {
  rep_state rep{{}};
  const std::array peers{attach_new(rep), attach_new(rep), attach_new(rep)};
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < peers.size(); ++i) {
      peer_sends(rep, peers.at(i), {std::string(i, 'e'), "", std::to_string(i)});
    }
  }
  // The request of the first peer has no address: its first frame is the delimiter, the second is
  // the content.
  std::vector<std::string> order;
  for (int n = 0; n < 9; ++n) {
    order.push_back(last_part(rep));
    EXPECT_EQ(rep.send({order.back()}), send_status::queued);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"0", "1", "2", "0", "1", "2", "0", "1", "2"}));
  EXPECT_EQ(write(rep, peers[0]), framed({"", "0"}) + framed({"", "0"}) + framed({"", "0"}));
  EXPECT_EQ(write(rep, peers[2]),
            framed({"ee", "", "2"}) + framed({"ee", "", "2"}) + framed({"ee", "", "2"}));
}

TEST(rep_state, a_flooding_requester_delays_another_by_one_request) {
  rep_state rep{{}};
  const auto flooding = attach_new(rep);
  const auto quiet = attach_new(rep);
  for (int i = 0; i < 500; ++i) {
    peer_sends(rep, flooding, {"", "flood"});
  }
  EXPECT_EQ(last_part(rep), "flood");
  peer_sends(rep, quiet, {"", "quiet"});
  EXPECT_EQ(rep.send({"answer"}), send_status::queued);
  std::vector<std::string> next;
  for (int i = 0; i < 2; ++i) {
    next.push_back(last_part(rep));
    EXPECT_EQ(rep.send({"answer"}), send_status::queued);
  }
  EXPECT_TRUE(next[0] == "quiet" || next[1] == "quiet");
}

TEST(rep_state, drops_and_counts_a_reply_to_a_disconnected_peer) {
  rep_state rep{{}};
  const auto gone = attach_new(rep);
  const auto other = attach_new(rep);
  peer_sends(rep, gone, {"", "question"});
  EXPECT_EQ(last_part(rep), "question");
  rep.on_detached(*rep.find(gone));
  EXPECT_EQ(rep.find(gone), nullptr);
  // A new peer in the slot of the previous one.
  const auto newcomer = attach_new(rep);
  EXPECT_TRUE(rep.writable());
  EXPECT_EQ(rep.send({"answer"}), send_status::queued);
  EXPECT_EQ(rep.counters().dropped_unknown, 1U);
  EXPECT_EQ(rep.counters().messages_sent, 0U);
  EXPECT_TRUE(rep.find(newcomer)->out.empty());
  EXPECT_TRUE(rep.find(other)->out.empty());
  EXPECT_EQ(rep.send({"twice"}), send_status::out_of_turn);
  peer_sends(rep, other, {"", "next"});
  EXPECT_EQ(last_part(rep), "next");
}

TEST(rep_state, drops_the_reply_to_a_disconnected_peer_but_not_its_requests) {
  rep_state rep{{}};
  const auto gone = attach_new(rep);
  peer_sends(rep, gone, {"", "1"});
  peer_sends(rep, gone, {"", "2"});
  EXPECT_EQ(last_part(rep), "1");
  rep.on_detached(*rep.find(gone));
  EXPECT_EQ(rep.send({"answer"}), send_status::queued);
  EXPECT_EQ(last_part(rep), "2");
  EXPECT_EQ(rep.send({"answer"}), send_status::queued);
  EXPECT_EQ(rep.counters().dropped_unknown, 2U);
  EXPECT_EQ(rep.find(gone), nullptr);
}

TEST(rep_state, drops_and_counts_a_reply_to_a_peer_that_does_not_read) {
  socket_options options;
  options.send_mark.messages = 2;
  rep_state rep{options};
  const auto send_broken = attach_new(rep);
  const auto other = attach_new(rep);
  for (int i = 0; i < 5; ++i) {
    peer_sends(rep, send_broken, {"", std::to_string(i)});
    EXPECT_EQ(last_part(rep), std::to_string(i));
    message m{"to " + std::to_string(i)};
    if (rep.send(std::move(m)) == send_status::full) {
      EXPECT_EQ(rep.send(std::move(m), if_full::drop), send_status::queued);
    }
  }
  EXPECT_EQ(rep.counters().dropped_full, 3U);
  EXPECT_EQ(rep.find(send_broken)->out.messages(), 2U);
  peer_sends(rep, other, {"", "question"});
  EXPECT_EQ(last_part(rep), "question");
  EXPECT_EQ(rep.send({"answer"}), send_status::queued);
  EXPECT_EQ(write(rep, other), framed({"", "answer"}));
  EXPECT_EQ(write(rep, send_broken), framed({"", "to 0"}) + framed({"", "to 1"}));
  EXPECT_EQ(rep.counters().messages_sent, 3U);
}

TEST(rep_state, stores_nothing_of_disconnected_requesters) {
  rep_state rep{{}};
  for (int i = 0; i < 1'000; ++i) {
    const auto id = attach_new(rep);
    peer_sends(rep, id, {"address", "", "question"});
    peer_sends(rep, id, {"nonsense"});
    EXPECT_EQ(last_part(rep), "question");
    if (i % 2 == 0) {
      rep.on_detached(*rep.find(id));
      EXPECT_EQ(rep.send({"answer"}), send_status::queued);
    } else {
      EXPECT_EQ(rep.send({"answer"}), send_status::queued);
      rep.on_detached(*rep.find(id));
    }
    EXPECT_EQ(last_part(rep), "none");
  }
  std::size_t left = 0;
  rep.for_each_pipe([&](const pipe&) { ++left; });
  EXPECT_EQ(left, 0U);
  EXPECT_EQ(rep.counters().dropped_unexpected, 1'000U);
  EXPECT_EQ(rep.counters().dropped_unknown, 500U);
  EXPECT_EQ(rep.counters().dropped_detached, 500U);
}

TEST(rep_state, takes_of_each_peer_no_more_than_its_mark) {
  socket_options options;
  options.receive_mark.messages = 10;
  rep_state rep{options};
  const auto id = attach_new(rep);
  for (int i = 0; i < 10; ++i) {
    peer_sends(rep, id, {"", std::to_string(i)});
  }
  EXPECT_TRUE(rep.find(id)->in.full());
  rep.find(id)->blocked = true;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(last_part(rep), std::to_string(i));
    EXPECT_EQ(rep.send({"answer"}), send_status::queued);
  }
  EXPECT_EQ(rep.resumable(), std::vector{id});
}

// A request of 64 MiB may be nearly all envelope: it must not be moved once for each of its frames.
TEST(rep_state, puts_a_large_envelope_before_the_reply_at_once) {
  rep_state rep{{}};
  const auto id = attach_new(rep);
  parts request(254, std::string(4'000, 'e'));
  request.insert(request.end(), {"", "question"});
  peer_sends(rep, id, made_of(request));
  EXPECT_EQ(last_part(rep), "question");
  const auto before = test::counted().requests;
  EXPECT_EQ(rep.send({"answer"}), send_status::queued);
  EXPECT_LE(test::counted().requests - before, 50U) << "blocks for 255 frames";
  request.back() = "answer";
  EXPECT_TRUE(write(rep, id) == framed(request));
}

TEST(rep_state, gives_no_announcements_as_requests) {
  socket_options options;
  options.announce_peers = true;
  rep_state rep{options};
  const auto id = attach_new(rep);
  EXPECT_EQ(last_part(rep), "none");
  peer_sends(rep, id, {"", "question"});
  EXPECT_EQ(last_part(rep), "question");
  EXPECT_EQ(rep.send({"answer"}), send_status::queued);
  rep.on_detached(*rep.find(id));
  EXPECT_EQ(last_part(rep), "none");
  EXPECT_EQ(rep.find(id), nullptr);
  EXPECT_EQ(rep.counters().dropped_unexpected, 0U);
}

TEST(rep_state, replies_over_a_connecting_endpoint) {
  rep_state rep{{}};
  auto& p = rep.open_pipe(true);
  EXPECT_EQ(rep.send({"nobody asked"}), send_status::out_of_turn);
  rep.on_attached(p, {}, 1);
  peer_sends(rep, p.id, {"client", "", "question"});
  EXPECT_EQ(last_part(rep), "question");
  EXPECT_EQ(rep.send({"answer"}), send_status::queued);
  EXPECT_EQ(write(rep, p.id), framed({"client", "", "answer"}));
}

// A peer asked `text` over an endpoint and disconnected. The next peer at the endpoint announces
// this routing id.
class rep_state_left : public testing::Test {
protected:
  void ask(const std::string& text) { peer_sends(rep, endpoint, {"", text}); }
  void lose() { rep.on_detached(*rep.find(endpoint)); }
  void come(std::string_view routing_id) { endpoint = attach_to(rep, endpoint, routing_id); }
  void reply() { EXPECT_EQ(rep.send({"answer"}), send_status::queued); }
  std::string next_is_sent() { return write(rep, endpoint); }

  rep_state rep{{}};
  peer_id endpoint = attach_to(rep, rep.open_pipe(true).id, "A");
};

TEST_F(rep_state_left, the_next_peer_does_not_get_the_reply_to_the_previous_one) {
  for (const auto* next : {"B", "", "", "A"}) {
    ask("question");
    EXPECT_EQ(last_part(rep), "question");
    lose();
    come(next);
    reply();
    EXPECT_EQ(next_is_sent(), "");
    ask("another");
    EXPECT_EQ(last_part(rep), "another");
    reply();
    EXPECT_EQ(next_is_sent(), framed({"", "answer"}));
  }
  EXPECT_EQ(rep.counters().dropped_unknown, 4U);
  EXPECT_EQ(rep.counters().dropped_detached, 0U);
}

TEST_F(rep_state_left, unwritten_replies_are_dropped_and_counted) {
  ask("1");
  EXPECT_EQ(last_part(rep), "1");
  reply();
  ask("2");
  EXPECT_EQ(last_part(rep), "2");
  lose();
  reply();
  come("B");
  EXPECT_EQ(next_is_sent(), "");
  EXPECT_EQ(rep.counters().dropped_detached, 2U);
}

TEST_F(rep_state_left, replies_to_requests_of_the_previous_peer_are_dropped) {
  ask("1");
  ask("2");
  lose();
  come("B");
  ask("3");
  for (int i = 0; i < 3; ++i) {
    const auto asked = last_part(rep);
    reply();
    EXPECT_EQ(next_is_sent(), asked == "3" ? framed({"", "answer"}) : "");
  }
  EXPECT_EQ(rep.counters().dropped_unknown, 2U);
}

TEST_F(rep_state_left, a_requester_that_reconnects_with_its_routing_id_gets_its_replies) {
  ask("1");
  ask("2");
  EXPECT_EQ(last_part(rep), "1");
  lose();
  come("A");
  reply();
  EXPECT_EQ(last_part(rep), "2");
  reply();
  EXPECT_EQ(next_is_sent(), framed({"", "answer"}) + framed({"", "answer"}));
  EXPECT_EQ(rep.counters().dropped_unknown + rep.counters().dropped_detached, 0U);
}

class rep_state_behind : public testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(addresses, rep_state_behind, testing::Values(0, 1, 5));

TEST_P(rep_state_behind, in_the_steady_state_allocates_nothing) {
  rep_state rep{{}};
  const std::array peers{attach_new(rep), attach_new(rep)};
  message request{"", "question"};
  for (std::size_t i = 0; i < GetParam(); ++i) {
    request.push_front("addr.");
  }
  message m;
  const auto round = [&] {
    for (const auto id : peers) {
      auto& p = *rep.find(id);
      peer_sends(rep, id, request);
      ASSERT_TRUE(rep.receive(m));
      ASSERT_EQ(rep.send(std::move(m)), send_status::queued);
      std::array<send_queue::piece, 8> pieces;
      while (const auto count = p.out.gather(pieces)) {
        for (std::size_t i = 0; i < count; ++i) {
          p.out.advance(pieces[i].size());
        }
      }
      p.out.compact();
      p.in.compact();
      p.dirty = false;
      rep.on_written(p);
    }
    rep.dirty().clear();
  };
  for (int i = 0; i < 100; ++i) {
    round();
  }
  const auto before = test::counted().requests;
  for (int i = 0; i < 5'000; ++i) {
    round();
  }
  EXPECT_EQ(rep.counters().messages_sent, 2U * 5'100U);
  EXPECT_EQ(test::counted().requests - before, 0U);
}

}  // namespace
}  // namespace zmtp
