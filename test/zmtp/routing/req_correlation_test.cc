// REQ that may send a new request without a reply, and recognizes replies by their number.

#include "test/support/allocations.h"
#include "test/support/routing.h"
#include "test/zmtp/routing/req_fixture.h"
#include "zmtp/routing/lock_step_state.h"

#include <gtest/gtest.h>

#include <algorithm>
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

// The frames of the one message that goes to this peer.
parts written(req_state& req, peer_id to) {
  const auto all = test::content_of(write(req, to)).messages;
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? parts{} : all.front();
}

TEST(req_correlation, relaxed_asks_again_without_a_reply_and_wants_the_last_one_only) {
  req_state req{with_options(true, false)};
  const auto a = attach_new(req);
  const auto b = attach_new(req);
  EXPECT_EQ(req.send({"first"}), send_status::queued);
  EXPECT_EQ(req.send({"second"}), send_status::queued);
  EXPECT_EQ(write(req, a), framed({"", "first"}));
  EXPECT_EQ(write(req, b), framed({"", "second"}));
  peer_answers(req, a, reply("to the first"));
  EXPECT_EQ(last_part(req), "none");
  peer_answers(req, b, reply("to the second"));
  EXPECT_EQ(last_part(req), "to the second");
  EXPECT_EQ(req.counters().dropped_unexpected, 1U);
}

TEST(req_correlation, relaxed_drops_a_pending_reply_on_the_next_request) {
  for (const bool correlate : {false, true}) {
    req_state req{with_options(true, correlate)};
    const auto id = attach_new(req);
    const auto answer = [&](const std::string& text) {
      auto m = written(req, id);
      m.back() = text;
      peer_answers(req, id, correlate ? message{m[0], m[1], m[2]} : message{m[0], m[1]});
    };
    EXPECT_EQ(req.send({"first"}), send_status::queued);
    answer("to the first");
    EXPECT_EQ(req.send({"second"}), send_status::queued);
    EXPECT_EQ(last_part(req), "none");
    answer("to the second");
    EXPECT_EQ(last_part(req), "to the second");
    EXPECT_EQ(req.counters().dropped_unexpected, 1U);
  }
}

TEST(req_correlation, relaxed_awaits_the_last_reply_if_the_next_request_does_not_fit) {
  auto options = with_options(true, true);
  options.send_mark.messages = 1;
  req_state req{options};
  const auto id = attach_new(req);
  EXPECT_EQ(req.send({"first"}), send_status::queued);
  message second{"second"};
  EXPECT_EQ(req.send(std::move(second)), send_status::full);
  EXPECT_EQ(second, message{"second"});  // NOLINT: that is what is tested
  const auto number = written(req, id).at(0);
  peer_answers(req, id, {number, "", "answer"});
  EXPECT_EQ(last_part(req), "answer");
}

TEST(req_correlation, relaxed_asks_another_peer_after_a_disconnect) {
  req_state req{with_options(true, false)};
  const auto a = attach_new(req);
  const auto b = attach_new(req);
  EXPECT_EQ(req.send({"question"}), send_status::queued);
  write(req, a);
  req.on_detached(*req.find(a));
  EXPECT_EQ(req.send({"question"}), send_status::queued);
  EXPECT_EQ(write(req, b), framed({"", "question"}));
  peer_answers(req, b, reply("answer"));
  EXPECT_EQ(last_part(req), "answer");
}

TEST(req_correlation, correlate_adds_four_bytes_before_the_delimiter) {
  req_state req{with_options(false, true)};
  const auto id = attach_new(req);
  EXPECT_EQ(req.send({"question"}), send_status::queued);
  const auto m = written(req, id);
  ASSERT_EQ(m.size(), 3U);
  EXPECT_EQ(m[0].size(), 4U);
  EXPECT_EQ(m[1], "");
  EXPECT_EQ(m[2], "question");
  peer_answers(req, id, {m[0], "", "answer", "more"});
  message got;
  ASSERT_TRUE(req.receive(got));
  EXPECT_EQ(got, (message{"answer", "more"}));
}

// A REP that connects keeps its reply for the endpoint, and the next process there is another REQ.
TEST(req_correlation, the_seed_decides_where_numbers_begin) {
  std::set<std::string> numbers;
  for (const std::uint64_t seed : {0U, 1U, 77U, 0xffff'ffffU}) {
    req_state req{with_options(false, true), seed};
    const auto id = attach_new(req);
    EXPECT_EQ(req.send({"question"}), send_status::queued);
    numbers.emplace(written(req, id).at(0));
  }
  EXPECT_EQ(numbers.size(), 4U);
}

TEST(req_correlation, correlate_drops_and_counts_replies_without_the_number) {
  req_state req{with_options(false, true)};
  const auto id = attach_new(req);
  EXPECT_EQ(req.send({"question"}), send_status::queued);
  const auto number = written(req, id).at(0);
  auto other = number;
  other[3] = static_cast<char>(other[3] ^ 1);
  auto swapped = number;
  swapped[0] = static_cast<char>(swapped[0] ^ 1);
  const std::vector<message> wrong{{"", "answer"},
                                   {"answer"},
                                   {number},
                                   {number, ""},
                                   {number, "answer"},
                                   {other, "", "answer"},
                                   {swapped, "", "answer"},
                                   {number.substr(0, 3), "", "answer"},
                                   {number + number[0], "", "answer"},
                                   {"", number, "", "answer"}};
  for (const auto& m : wrong) {
    peer_answers(req, id, m);
    EXPECT_EQ(last_part(req), "none");
  }
  EXPECT_EQ(req.counters().dropped_unexpected, wrong.size());
  peer_answers(req, id, {number, "", "answer"});
  EXPECT_EQ(last_part(req), "answer");
}

TEST(req_correlation, relaxed_and_correlate_recognize_a_late_reply) {
  req_state req{with_options(true, true)};
  const auto id = attach_new(req);
  EXPECT_EQ(req.send({"first"}), send_status::queued);
  const auto first = written(req, id).at(0);
  EXPECT_EQ(req.send({"second"}), send_status::queued);
  const auto second = written(req, id).at(0);
  EXPECT_NE(first, second);
  peer_answers(req, id, {first, "", "to the first"});
  peer_answers(req, id, {second, "", "to the second"});
  peer_answers(req, id, {second, "", "to the second again"});
  EXPECT_EQ(last_part(req), "to the second");
  EXPECT_EQ(last_part(req), "none");
  EXPECT_EQ(req.counters().dropped_unexpected, 2U);
}

// More requests than one and two of the bytes can distinguish.
TEST(req_correlation, the_numbers_of_successive_requests_differ) {
  req_state req{with_options(true, true)};
  const auto id = attach_new(req);
  std::set<std::string> numbers;
  constexpr std::size_t count = 70'000;
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(req.send({"q"}), send_status::queued);
    numbers.insert(written(req, id).at(0));
  }
  EXPECT_EQ(numbers.size(), count);
}

class req_kind : public testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(correlate, req_kind, testing::Bool());

TEST_P(req_kind, in_the_steady_state_allocates_nothing) {
  req_state req{with_options(false, GetParam())};
  const auto id = attach_new(req);
  auto& p = *req.find(id);
  message m{"question"};
  const auto round = [&] {
    ASSERT_EQ(req.send(std::move(m)), send_status::queued);
    std::array<std::byte, 64> bytes;
    std::size_t size = 0;
    std::array<send_queue::piece, 8> pieces;
    while (const auto count = p.out.gather(pieces)) {
      for (std::size_t i = 0; i < count; ++i) {
        std::copy(pieces[i].begin(), pieces[i].end(), bytes.begin() + static_cast<long>(size));
        size += pieces[i].size();
        p.out.advance(pieces[i].size());
      }
    }
    p.out.compact();
    p.dirty = false;
    req.on_written(p);
    req.dirty().clear();
    // The reply returns the request as it is.
    peer_answers(req, id, message{block_ptr{}, std::span{bytes}.first(size), GetParam() ? 3U : 2U});
    ASSERT_TRUE(req.receive(m));
    p.in.compact();
  };
  for (int i = 0; i < 100; ++i) {
    round();
  }
  const auto before = test::counted().requests;
  for (int i = 0; i < 10'000; ++i) {
    round();
  }
  EXPECT_EQ(m, message{"question"});
  EXPECT_EQ(test::counted().requests - before, 0U);
}

}  // namespace
}  // namespace zmtp
