#include "mdp/keyed_requests.h"

#include "mdp/broker_records.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

namespace mdp {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

keyed_attempt first_of(char name) { return {.key = {name}}; }

class keyed_requests_test : public testing::Test {
protected:
  void pass(std::chrono::milliseconds time) {
    now += time;
    table.set_time(now);
    if (const auto due = table.next_deadline(); due && *due <= now) {
      table.expire();
    }
  }
  keyed_request& enter(char name, std::string_view service = "pay") {
    return table.enter(first_of(name), service, running);
  }
  // A request that is answered at once.
  void keep(char name, std::size_t bytes = 10) {
    table.answer(enter(name), zmtp::message{std::string(bytes, 'r')});
  }
  bool knows(char name, std::string_view service = "pay") {
    return table.find(first_of(name).key, service) != nullptr;
  }

  request running;
  keyed_requests table{{.requests = 3, .bytes = 10'000, .time = 60s}, {.bytes = 5'000, .parts = 4}};
  keyed_requests::time_point now{1h};
};

TEST_F(keyed_requests_test, knows_a_request_in_progress) {
  table.set_time(now);
  auto& one = enter('a');
  EXPECT_EQ(table.find(first_of('a').key, "pay"), &one);
  EXPECT_EQ(one.running, &running);
  EXPECT_FALSE(knows('b'));
  pass(24h);
  EXPECT_TRUE(knows('a')) << "a request in progress is never forgotten";
  EXPECT_FALSE(table.next_deadline());
}

TEST_F(keyed_requests_test, a_restarted_request_has_no_parts) {
  auto& one = enter('a');
  const auto before = table.bytes();
  for (int i = 0; i < 3; ++i) {
    table.add_part(one, zmtp::message{"part"sv});
  }
  table.restart(one);
  EXPECT_TRUE(one.parts.empty());
  EXPECT_EQ(table.bytes(), before);
  // The limit of frames counts from the beginning too.
  table.add_part(one, zmtp::message{std::string(6'000, 'p')});
  EXPECT_TRUE(one.too_large);
  table.restart(one);
  for (int i = 0; i < 3; ++i) {
    table.add_part(one, zmtp::message{"part"sv});
  }
  table.answer(one, zmtp::message{"end"sv});
  EXPECT_EQ(one.is, keyed_request::state::answered);
  EXPECT_EQ(one.parts.size(), 4U);
}

TEST_F(keyed_requests_test, takes_the_key_of_another_service_for_another_request) {
  keep('a');
  EXPECT_FALSE(knows('a', "book"));
  enter('a', "book");
  EXPECT_EQ(table.size(), 2U);
}

TEST_F(keyed_requests_test, keeps_the_whole_reply) {
  auto& one = enter('a');
  table.add_part(one, {"1"sv});
  table.add_part(one, {"2"sv, "3"sv});
  table.answer(one, {"4"sv});
  EXPECT_EQ(one.is, keyed_request::state::answered);
  EXPECT_EQ(one.running, nullptr);
  ASSERT_EQ(one.parts.size(), 3U);
  EXPECT_EQ(one.parts[1], (zmtp::message{"2"sv, "3"sv}));
}

TEST_F(keyed_requests_test, keeps_how_a_request_failed) {
  auto& one = enter('a');
  table.add_part(one, {"part"sv});
  table.fail(one, request_fault::worker_lost, request_outcome::unknown);
  EXPECT_EQ(one.is, keyed_request::state::failed);
  EXPECT_EQ(one.fault, request_fault::worker_lost);
  EXPECT_EQ(one.result, request_outcome::unknown);
  EXPECT_TRUE(one.parts.empty());
}

TEST_F(keyed_requests_test, forgets_an_outcome_after_its_time) {
  table.set_time(now);
  auto& slow = enter('s');
  keep('a');
  pass(30s);
  keep('b');
  pass(29'999ms);
  EXPECT_TRUE(knows('a'));
  pass(1ms);
  EXPECT_FALSE(knows('a'));
  EXPECT_TRUE(knows('b'));
  table.answer(slow, {"late"sv});
  pass(30s);
  EXPECT_FALSE(knows('b'));
  EXPECT_TRUE(knows('s')) << "the time begins when the request ends";
  pass(30s);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.bytes(), 0U);
  EXPECT_FALSE(table.next_deadline());
}

TEST_F(keyed_requests_test, forgets_the_oldest_outcome_above_the_number) {
  enter('p');
  for (const char name : {'a', 'b', 'c'}) {
    keep(name);
  }
  EXPECT_TRUE(knows('a'));
  keep('d');
  EXPECT_FALSE(knows('a'));
  EXPECT_TRUE(knows('b') && knows('c') && knows('d') && knows('p'));
}

TEST_F(keyed_requests_test, forgets_the_oldest_outcome_above_the_bytes) {
  keep('a', 4'000);
  keep('b', 4'000);
  EXPECT_TRUE(knows('a'));
  keep('c', 4'000);
  EXPECT_FALSE(knows('a'));
  EXPECT_TRUE(knows('b') && knows('c'));
  EXPECT_LE(table.bytes(), 10'000U);
}

TEST_F(keyed_requests_test, does_not_keep_a_reply_above_the_limit_of_one_reply) {
  for (const bool in_parts : {false, true}) {
    auto& one = enter(in_parts ? 'a' : 'b');
    if (in_parts) {
      table.add_part(one, zmtp::message{std::string(3'000, 'r')});
    }
    table.answer(one, zmtp::message{std::string(in_parts ? 3'000 : 6'000, 'r')});
    EXPECT_EQ(one.is, keyed_request::state::failed);
    EXPECT_EQ(one.fault, request_fault::too_large);
    EXPECT_EQ(one.result, request_outcome::unknown);
    EXPECT_LT(table.bytes(), 1'000U) << "nothing of it is kept";
  }
  auto& many = enter('c');
  table.answer(many, {"1"sv, "2"sv, "3"sv, "4"sv, "5"sv});
  EXPECT_EQ(many.fault, request_fault::too_large);
}

TEST_F(keyed_requests_test, bounds_the_parts_of_replies_in_progress) {
  keep('a', 2'000);
  auto& first = enter('b');
  auto& second = enter('c');
  auto& third = enter('d');
  table.add_part(first, zmtp::message{std::string(4'500, 'r')});
  table.add_part(second, zmtp::message{std::string(4'500, 'r')});
  EXPECT_FALSE(knows('a')) << "ended requests are dropped first";
  table.add_part(third, zmtp::message{std::string(4'500, 'r')});
  EXPECT_FALSE(first.too_large);
  EXPECT_FALSE(second.too_large);
  EXPECT_TRUE(third.too_large);
  EXPECT_LE(table.bytes(), 10'000U);
}

TEST_F(keyed_requests_test, forgets_without_a_trace_what_no_worker_got) {
  table.withdraw(enter('a'));
  EXPECT_FALSE(knows('a'));
  EXPECT_EQ(table.bytes(), 0U);
  EXPECT_EQ(table.memory(), std::chrono::milliseconds::max()) << "nothing was forgotten that ran";
}

TEST_F(keyed_requests_test, says_how_far_back_it_knows_all) {
  table.set_time(now);
  keep('a');
  EXPECT_EQ(table.memory(), std::chrono::milliseconds::max());
  pass(10s);
  keep('b');
  pass(50s);  // forgets a, which came 60 s ago
  EXPECT_EQ(table.memory(), 60s);
  pass(5s);
  EXPECT_EQ(table.memory(), 65s);
  pass(5s);  // … and b
  EXPECT_EQ(table.memory(), 60s);
}

TEST_F(keyed_requests_test, remembers_the_latest_of_what_it_forgot_not_the_last) {
  table.set_time(now);
  auto& long_lived = enter('a');
  pass(100s);
  keep('b');
  pass(30s);
  table.answer(long_lived, {"r"sv});
  pass(60s);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.memory(), 90s) << "b came after a";
}

TEST_F(keyed_requests_test, may_be_told_to_keep_nothing) {
  keyed_requests none{{.requests = 0}, {}};
  none.set_time(now);
  none.answer(none.enter(first_of('a'), "pay", running), {"r"sv});
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.memory(), 0ms);
}

}  // namespace
}  // namespace mdp
