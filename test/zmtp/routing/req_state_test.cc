// REQ (RFC 28): one request, then its reply, from the peer that was asked.

#include "test/support/allocations.h"
#include "test/support/routing.h"
#include "test/zmtp/routing/req_fixture.h"
#include "zmtp/routing/lock_step_state.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using test::attach_new;
using test::framed;
using test::last_part;
using test::parts;
using test::peer_answers;
using test::reply;
using test::with_options;
using test::write;

TEST(req_state, adds_a_delimiter_to_a_request_and_removes_it_from_the_reply) {
  req_state req{{}};
  const auto id = attach_new(req);
  EXPECT_EQ(req.send({"question", "", "more"}), send_status::queued);
  EXPECT_EQ(write(req, id), framed({"", "question", "", "more"}));
  peer_answers(req, id, {"", "answer", "", "more"});
  message m;
  ASSERT_TRUE(req.receive(m));
  EXPECT_EQ(m, (message{"answer", "", "more"}));
  EXPECT_EQ(req.counters().messages_sent, 1U);
  EXPECT_EQ(req.counters().messages_received, 1U);
  EXPECT_EQ(req.counters().dropped_unexpected, 0U);
}

TEST(req_state, an_empty_reply_is_a_reply) {
  req_state req{{}};
  const auto id = attach_new(req);
  EXPECT_EQ(req.send({""}), send_status::queued);
  EXPECT_EQ(write(req, id), framed({"", ""}));
  peer_answers(req, id, {"", ""});
  message m;
  ASSERT_TRUE(req.receive(m));
  EXPECT_EQ(m, message{""});
}

TEST(req_state, without_a_peer_is_full_and_keeps_the_request) {
  req_state req{with_options(false, true)};
  EXPECT_FALSE(req.writable());
  message m{"kept"};
  EXPECT_EQ(req.send(std::move(m)), send_status::full);
  EXPECT_EQ(m, message{"kept"});  // NOLINT: that is what is tested
  EXPECT_FALSE(req.awaiting_reply());
}

TEST(req_state, a_second_request_is_out_of_turn_and_kept) {
  req_state req{{}};
  const auto id = attach_new(req);
  attach_new(req);
  EXPECT_EQ(req.send({"first"}), send_status::queued);
  message second{"second"};
  EXPECT_EQ(req.send(std::move(second)), send_status::out_of_turn);
  EXPECT_EQ(second, message{"second"});  // NOLINT: that is what is tested
  EXPECT_TRUE(req.awaiting_reply());
  peer_answers(req, id, reply("answer"));
  EXPECT_EQ(req.send(std::move(second)), send_status::out_of_turn) << "before it is last_part";
  EXPECT_EQ(last_part(req), "answer");
  EXPECT_FALSE(req.awaiting_reply());
  EXPECT_EQ(req.send(std::move(second)), send_status::queued);
  EXPECT_EQ(req.counters().messages_sent, 2U);
}

// writable() is true if the socket would queue a message.
TEST(req_state, is_writable_only_in_its_turn) {
  req_state req{{}};
  const auto id = attach_new(req);
  EXPECT_TRUE(req.writable());
  EXPECT_EQ(req.send({"question"}), send_status::queued);
  EXPECT_FALSE(req.writable()) << "while a reply is awaited";
  peer_answers(req, id, reply("answer"));
  EXPECT_EQ(last_part(req), "answer");
  EXPECT_TRUE(req.writable());
  req_state relaxed{with_options(true, false)};
  attach_new(relaxed);
  EXPECT_EQ(relaxed.send({"question"}), send_status::queued);
  EXPECT_TRUE(relaxed.writable());
}

TEST(req_state, asks_each_peer_in_turn) {
  req_state req{{}};
  const std::array peers{attach_new(req), attach_new(req), attach_new(req)};
  for (int i = 0; i < 6; ++i) {
    const auto id = peers.at(static_cast<std::size_t>(i % 3));
    EXPECT_EQ(req.send({std::to_string(i)}), send_status::queued);
    EXPECT_EQ(write(req, id), framed({"", std::to_string(i)}));
    peer_answers(req, id, reply(std::to_string(i)));
    EXPECT_EQ(last_part(req), std::to_string(i));
  }
}

TEST(req_state, passes_over_a_peer_at_its_mark) {
  auto options = with_options(true, false);
  options.send_mark.messages = 1;
  req_state req{options};
  const auto slow = attach_new(req);
  const auto quick = attach_new(req);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(req.send({std::to_string(i)}), send_status::queued);
    if (i != 0) {
      EXPECT_EQ(write(req, quick), framed({"", std::to_string(i)}));
    }
  }
  EXPECT_EQ(write(req, slow), framed({"", "0"}));
}

TEST(req_state, drops_and_counts_messages_of_a_peer_that_was_not_asked) {
  req_state req{{}};
  const auto asked = attach_new(req);
  const auto other = attach_new(req);
  EXPECT_EQ(req.send({"question"}), send_status::queued);
  peer_answers(req, other, reply("foreign"));
  EXPECT_EQ(last_part(req), "none");
  EXPECT_EQ(req.counters().dropped_unexpected, 1U);
  EXPECT_TRUE(req.awaiting_reply());
  peer_answers(req, other, reply("foreign"));
  peer_answers(req, asked, reply("answer"));
  EXPECT_EQ(last_part(req), "answer");
  EXPECT_EQ(last_part(req), "none");
  EXPECT_EQ(req.counters().dropped_unexpected, 2U);
}

TEST(req_state, drops_and_counts_messages_without_a_request) {
  req_state req{{}};
  const auto id = attach_new(req);
  peer_answers(req, id, reply("too early"));
  EXPECT_EQ(last_part(req), "none");
  EXPECT_EQ(req.send({"question"}), send_status::queued);
  peer_answers(req, id, reply("answer"));
  peer_answers(req, id, reply("and again"));
  EXPECT_EQ(last_part(req), "answer");
  EXPECT_EQ(last_part(req), "none");
  EXPECT_EQ(req.counters().dropped_unexpected, 2U);
  EXPECT_EQ(req.send({"next"}), send_status::queued);
}

TEST(req_state, drops_and_counts_replies_without_a_delimiter_or_without_content) {
  req_state req{{}};
  const auto id = attach_new(req);
  EXPECT_EQ(req.send({"question"}), send_status::queued);
  const std::vector<message> malformed{{"body"},   {"body", "more"},     {""},
                                       {"id", ""}, {"id", "", "to REP"}, {"\1\2\3\4", "", "body"}};
  for (const auto& m : malformed) {
    peer_answers(req, id, m);
  }
  peer_answers(req, id, reply("answer"));
  EXPECT_EQ(last_part(req), "answer");
  EXPECT_EQ(req.counters().dropped_unexpected, malformed.size());
}

TEST(req_state, counts_only_messages_that_the_user_received) {
  req_state req{{}};
  const auto asked = attach_new(req);
  const auto other = attach_new(req);
  EXPECT_EQ(req.send({"question"}), send_status::queued);
  peer_answers(req, other, reply("foreign"));
  peer_answers(req, asked, {"malformed"});
  peer_answers(req, asked, reply("answer"));
  EXPECT_EQ(last_part(req), "answer");
  EXPECT_EQ(last_part(req), "none");
  EXPECT_EQ(req.counters().dropped_unexpected, 2U);
  EXPECT_EQ(req.counters().messages_received, 1U);
}

TEST(req_state, without_a_reply_the_message_is_unchanged) {
  req_state req{{}};
  const auto id = attach_new(req);
  message m{"before"};
  EXPECT_FALSE(req.receive(m));
  peer_answers(req, id, reply("not asked for"));
  EXPECT_FALSE(req.receive(m));
  EXPECT_EQ(m, message{"before"});
}

// protocols A9: there is no automatic resend.
TEST(req_state, keeps_waiting_if_the_asked_peer_disconnects) {
  req_state req{{}};
  const auto asked = attach_new(req);
  const auto other = attach_new(req);
  EXPECT_EQ(req.send({"question"}), send_status::queued);
  EXPECT_EQ(write(req, asked), framed({"", "question"}));
  req.on_detached(*req.find(asked));
  EXPECT_EQ(req.find(asked), nullptr);
  EXPECT_TRUE(req.awaiting_reply());
  EXPECT_EQ(req.send({"another"}), send_status::out_of_turn);
  EXPECT_TRUE(req.find(other)->out.empty());
  // A new peer in the slot of the previous one did not get the request.
  const auto newcomer = attach_new(req);
  peer_answers(req, newcomer, reply("foreign"));
  EXPECT_EQ(last_part(req), "none");
  EXPECT_EQ(req.counters().dropped_unexpected, 1U);
}

TEST(req_state, receives_a_reply_that_arrived_before_the_disconnect) {
  req_state req{{}};
  const auto asked = attach_new(req);
  EXPECT_EQ(req.send({"question"}), send_status::queued);
  write(req, asked);
  peer_answers(req, asked, reply("answer"));
  req.on_detached(*req.find(asked));
  EXPECT_EQ(last_part(req), "answer");
  EXPECT_FALSE(req.awaiting_reply());
  EXPECT_EQ(req.find(asked), nullptr);
}

TEST(req_state, an_unwritten_request_goes_to_the_next_connection_of_its_endpoint) {
  req_state req{{}};
  auto& p = req.open_pipe(true);
  EXPECT_EQ(req.send({"question"}), send_status::queued);
  req.on_attached(p, {}, 1);
  EXPECT_EQ(write(req, p.id, 5).size(), 5U);
  req.on_detached(p);
  req.on_attached(p, {}, 1);
  EXPECT_EQ(write(req, p.id), framed({"", "question"}));
  peer_answers(req, p.id, reply("answer"));
  EXPECT_EQ(last_part(req), "answer");
}

TEST(req_state, a_repeated_answer_does_not_answer_the_next_request) {
  req_state req{{}};
  const auto id = attach_new(req);
  for (int i = 0; i < 5; ++i) {
    const auto text = std::to_string(i);
    ASSERT_EQ(req.send({text}), send_status::queued);
    peer_answers(req, id, reply(text));
    peer_answers(req, id, reply(text));
    EXPECT_EQ(last_part(req), text);
  }
  EXPECT_EQ(req.counters().messages_received, 5U);
  EXPECT_EQ(req.find(id)->counters.messages_received, 5U);
  EXPECT_EQ(req.counters().dropped_unexpected, 4U) << "one for each request after the first";
  EXPECT_EQ(req.find(id)->counters.dropped_unexpected, 4U);
}

TEST(req_state, a_message_of_before_the_first_request_is_not_its_reply) {
  req_state req{{}};
  const auto id = attach_new(req);
  peer_answers(req, id, reply("too early"));
  EXPECT_EQ(req.send({"question"}), send_status::queued);
  EXPECT_EQ(req.counters().dropped_unexpected, 1U);
  peer_answers(req, id, reply("answer"));
  EXPECT_EQ(last_part(req), "answer");
}

TEST(req_state, a_message_of_another_peer_does_not_answer_the_next_request) {
  req_state req{{}};
  const auto a = attach_new(req);
  const auto b = attach_new(req);
  EXPECT_EQ(req.send({"to a"}), send_status::queued);
  peer_answers(req, b, reply("foreign"));
  peer_answers(req, a, reply("of a"));
  // Received before the message of b is looked at, or after.
  EXPECT_EQ(last_part(req), "of a");
  EXPECT_EQ(req.send({"to b"}), send_status::queued);
  EXPECT_EQ(last_part(req), "none");
  peer_answers(req, b, reply("of b"));
  EXPECT_EQ(last_part(req), "of b");
  EXPECT_EQ(req.counters().dropped_unexpected, 1U);
}

TEST(req_state, a_message_does_not_answer_a_request_that_is_not_written) {
  req_state req{{}};
  const auto id = attach_new(req);
  EXPECT_EQ(req.send({"question"}), send_status::queued);
  test::peer_sends(req, id, reply("too early"));
  EXPECT_EQ(write(req, id, 5).size(), 5U);
  test::peer_sends(req, id, reply("too early, too"));
  EXPECT_EQ(last_part(req), "none");
  EXPECT_EQ(req.counters().dropped_unexpected, 2U);
  write(req, id);
  test::peer_sends(req, id, reply("answer"));
  EXPECT_EQ(last_part(req), "answer");
}

// A link has decoded these messages, and has read the rest.
void peer_answers(req_state& req, peer_id from, const std::vector<std::string>& replies,
                  unread rest) {
  auto& p = *req.find(from);
  for (const auto& text : replies) {
    p.in.push(reply(text));
  }
  p.rest = rest;
  p.blocked = rest == unread::messages;
  req.on_received(p);
}

TEST(req_state, messages_that_waited_for_space_do_not_answer_the_next_request) {
  req_state req{{}};
  const auto id = attach_new(req);
  EXPECT_EQ(req.send({"first"}), send_status::queued);
  write(req, id);
  peer_answers(req, id, {"first", "stale"}, unread::messages);
  EXPECT_EQ(last_part(req), "first");
  EXPECT_EQ(req.send({"second"}), send_status::queued);
  EXPECT_EQ(test::ids_of(req.resumable()), std::vector{id}) << "there is room for the others";
  write(req, id);
  peer_answers(req, id, {"stale", "stale"}, unread::messages);
  EXPECT_EQ(last_part(req), "none");
  peer_answers(req, id, {"stale"}, unread::beginning);
  EXPECT_EQ(last_part(req), "none");
  // The rest of the one that had begun comes with_options the reply.
  peer_answers(req, id, {"stale", "second"}, unread::nothing);
  EXPECT_EQ(last_part(req), "second");
  EXPECT_EQ(req.counters().dropped_unexpected, 5U);
}

TEST(req_state, a_message_that_had_begun_does_not_answer_the_next_request) {
  for (const bool while_it_is_written : {false, true}) {
    req_state req{{}};
    const auto id = attach_new(req);
    peer_answers(req, id, {"before"}, unread::beginning);
    EXPECT_EQ(req.send({"question"}), send_status::queued);
    if (while_it_is_written) {
      peer_answers(req, id, {"stale"}, unread::beginning);
    }
    write(req, id);
    // More bytes of it, and still not all.
    peer_answers(req, id, {}, unread::beginning);
    peer_answers(req, id, {"stale"}, unread::beginning);
    EXPECT_EQ(last_part(req), "none");
    peer_answers(req, id, {"answer"}, unread::nothing);
    EXPECT_EQ(last_part(req), "answer");
  }
}

TEST(req_state, a_message_that_was_cut_off_costs_the_next_connection_nothing) {
  req_state req{{}};
  auto& p = req.open_pipe(true);
  req.on_attached(p, {}, 1);
  peer_answers(req, p.id, {}, unread::beginning);
  EXPECT_EQ(req.send({"question"}), send_status::queued);
  req.on_detached(p);
  req.on_attached(p, {}, 1);
  peer_answers(req, p.id, reply("answer"));
  EXPECT_EQ(last_part(req), "answer");
}

TEST(req_state, a_message_of_the_last_connection_answers_no_request_of_the_next) {
  req_state req{{}};
  auto& p = req.open_pipe(true);
  req.on_attached(p, {}, 1);
  EXPECT_EQ(req.send({"first"}), send_status::queued);
  peer_answers(req, p.id, reply("first"));
  peer_answers(req, p.id, reply("first"));
  req.on_detached(p);
  req.on_attached(p, {}, 1);
  EXPECT_EQ(last_part(req), "first");
  EXPECT_EQ(req.send({"second"}), send_status::queued);
  peer_answers(req, p.id, reply("second"));
  EXPECT_EQ(last_part(req), "second");
}

TEST(req_state, gives_no_announcements_as_replies) {
  socket_options options;
  options.announce_peers = true;
  req_state req{options};
  const auto id = attach_new(req);
  EXPECT_EQ(req.send({"question"}), send_status::queued);
  peer_answers(req, id, reply("answer"));
  req.on_detached(*req.find(id));
  EXPECT_EQ(last_part(req), "answer");
  EXPECT_EQ(last_part(req), "none");
  EXPECT_EQ(req.find(id), nullptr);
  EXPECT_EQ(req.counters().dropped_unexpected, 0U);
}

}  // namespace
}  // namespace zmtp
