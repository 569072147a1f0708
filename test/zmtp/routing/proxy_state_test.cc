#include "zmtp/routing/proxy_state.h"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace zmtp {
namespace {

using step = proxy_state::step;
using direction = proxy_state::direction;

constexpr auto there = direction::to_backend;
constexpr auto back = direction::to_frontend;

class proxy_decision : public testing::Test {
protected:
  void SetUp() override { state.begin(); }

  step next(direction way = there) { return state.next(way, true, true); }
  void receive(const std::vector<std::string>& all) {
    for (const auto& m : all) {
      state.in_flight(there).append(m);
    }
    state.on_received(there);
  }
  std::optional<message> notified(const message& m, bool is_answered = false) {
    return state.on_command(m, is_answered);
  }

  proxy_state state;
};

TEST_F(proxy_decision, takes_nothing_that_the_other_side_cannot_queue) {
  EXPECT_EQ(state.next(there, false, false), step::await_message);
  EXPECT_EQ(state.next(there, false, true), step::await_message);
  EXPECT_EQ(state.next(there, true, false), step::await_room);
  EXPECT_EQ(state.next(there, true, true), step::move);
}

TEST_F(proxy_decision, a_message_in_flight_goes_before_any_other_of_its_direction) {
  receive({"m"});
  state.copies(there).append("m");
  EXPECT_EQ(next(), step::copy);
  EXPECT_EQ(next(back), step::move);
  state.copies(there).clear();
  state.on_copied(there, {});
  EXPECT_EQ(next(), step::deliver);
  state.in_flight(there).clear();
  state.on_delivered(there, {});
  EXPECT_EQ(next(), step::move);
  EXPECT_EQ(state.statistics().backend.messages_sent, 1U);
}

TEST_F(proxy_decision, a_message_in_flight_waits_until_the_other_side_takes_one) {
  receive({"m"});
  EXPECT_EQ(state.next(there, true, false), step::await_room);
  EXPECT_EQ(state.next(there, true, true), step::deliver);
}

TEST_F(proxy_decision, one_direction_does_not_starve_others) {
  std::size_t moved = 0;
  while (next() == step::move) {
    receive(std::vector<std::string>(100, "m"));
    moved += 100;
    state.in_flight(there).clear();
    state.on_delivered(there, {});
  }
  EXPECT_EQ(moved, 1'100U);
  EXPECT_EQ(next(), step::move);
}

TEST_F(proxy_decision, a_pause_stops_both_directions_and_outlives_a_run) {
  receive({"m"});
  state.pause();
  EXPECT_EQ(next(), step::rest);
  EXPECT_EQ(next(back), step::rest);
  state.end({});
  state.begin();
  EXPECT_EQ(next(), step::rest);
  state.resume();
  EXPECT_EQ(next(), step::deliver);
  EXPECT_EQ(next(back), step::move);
}

TEST_F(proxy_decision, the_first_reason_is_why_a_run_ended) {
  state.end(errc::socket_closed);
  state.end(errc::out_of_memory);
  EXPECT_FALSE(state.running());
  EXPECT_EQ(state.reason(), errc::socket_closed);
  state.begin();
  EXPECT_TRUE(state.running());
  EXPECT_FALSE(state.reason());
}

TEST_F(proxy_decision, outside_a_run_there_is_nothing_to_end) {
  state.end({});
  state.end(errc::socket_closed);
  EXPECT_FALSE(state.reason());
}

TEST_F(proxy_decision, an_interruption_neither_ends_the_proxy_nor_loses_a_message) {
  receive({"m"});
  state.on_delivered(there, boost::asio::error::operation_aborted);
  state.on_waited(boost::asio::error::operation_aborted);
  EXPECT_TRUE(state.running());
  EXPECT_EQ(state.in_flight(there).size(), 1U);
  EXPECT_EQ(state.statistics().dropped, 0U);
}

TEST_F(proxy_decision, a_closed_socket_is_the_end_and_loses_nothing) {
  receive({"m"});
  state.on_delivered(there, errc::socket_closed);
  EXPECT_FALSE(state.running());
  EXPECT_EQ(state.reason(), errc::socket_closed);
  state.begin();
  EXPECT_EQ(next(), step::deliver);
}

TEST_F(proxy_decision, a_message_that_can_never_be_sent_is_dropped_and_counted) {
  receive({"1", "2", "3", "4"});
  for (const auto why : {errc::host_unreachable, errc::out_of_turn, errc::bad_message}) {
    state.on_delivered(there, why);
  }
  EXPECT_TRUE(state.running());
  EXPECT_EQ(next(), step::deliver);
  EXPECT_EQ(state.in_flight(there).front().front(), "4");
  EXPECT_EQ(state.statistics().dropped, 3U);
  EXPECT_EQ(state.statistics().backend.messages_sent, 0U);
}

TEST_F(proxy_decision, a_socket_that_takes_one_message_in_turn_gets_the_others_later) {
  receive({"1", "2"});
  state.in_flight(there).pop_front();
  state.on_delivered(there, errc::out_of_turn);
  EXPECT_EQ(state.next(there, true, false), step::await_room);
  EXPECT_EQ(state.statistics().dropped, 0U);
  EXPECT_EQ(state.statistics().backend.messages_sent, 1U);
}

TEST_F(proxy_decision, a_copy_that_can_never_be_sent_does_not_lose_the_message) {
  receive({"m"});
  state.copies(there).append("m");
  state.on_copied(there, errc::out_of_turn);
  EXPECT_EQ(next(), step::deliver);
  EXPECT_EQ(state.statistics().dropped, 0U);
}

TEST_F(proxy_decision, notices_of_peers_do_not_count) {
  auto& batch = state.in_flight(there);
  batch.push_back({.content = message{}, .what = routed_message::kind::attached});
  batch.append("12");
  batch.push_back({.content = message{}, .what = routed_message::kind::detached});
  state.on_received(there);
  EXPECT_EQ(state.statistics().frontend.messages_received, 1U);
  EXPECT_EQ(state.statistics().frontend.bytes_received, 2U);
  batch.clear();
  state.on_delivered(there, {});
  EXPECT_EQ(state.statistics().backend.messages_sent, 1U);
}

// A waiting batch must not keep the buffer of a large read.
TEST_F(proxy_decision, messages_that_wait_release_their_read_buffer) {
  block_ptr buffer{block::create(block_size::reading)};
  message_batch one;
  one.append("m");
  const auto bytes = one.framed_size();
  std::memcpy(buffer->data(), std::get_if<message_run>(&one.first_item().content)->data, bytes);
  state.in_flight(there).push_back({.content = message_run{.memory = buffer,
                                                           .data = buffer->data(),
                                                           .size = bytes,
                                                           .messages = 1,
                                                           .shared = true}});
  state.on_received(there);
  EXPECT_FALSE(buffer->unique());
  state.on_delivered(there, boost::asio::error::operation_aborted);
  EXPECT_TRUE(buffer->unique());
  EXPECT_EQ(state.in_flight(there).front().front(), "m");
}

TEST_F(proxy_decision, commands_are_libzmqs) {
  EXPECT_FALSE(notified({"PAUSE"}));
  EXPECT_EQ(next(), step::rest);
  EXPECT_FALSE(notified({"RESUME"}));
  EXPECT_EQ(next(), step::move);
  EXPECT_FALSE(notified({"TERMINATE"}));
  EXPECT_FALSE(state.running());
  EXPECT_FALSE(state.reason());
}

TEST_F(proxy_decision, an_unknown_command_does_nothing) {
  for (const auto* text : {"", "pause", "TERMINATE ", "TERMINAT", "KILL"}) {
    EXPECT_FALSE(notified({text})) << text;
  }
  EXPECT_EQ(next(), step::move);
}

TEST_F(proxy_decision, statistics_are_eight_numbers) {
  receive({std::string(10, 'x'), std::string(20, 'x')});
  state.in_flight(there).pop_front();
  state.on_delivered(there, {});
  state.in_flight(back).append(std::string(100, 'x'), std::string(200, 'x'));
  state.on_received(back);
  state.in_flight(back).clear();
  state.on_delivered(back, {});
  const auto answer = notified({"STATISTICS"});
  ASSERT_TRUE(answer);
  std::vector<std::uint64_t> numbers;
  for (const auto part : *answer) {
    ASSERT_EQ(part.size(), sizeof(std::uint64_t));
    std::memcpy(&numbers.emplace_back(), part.data(), part.size());
  }
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{2, 30, 1, 300, 1, 300, 1, 10}));
}

TEST_F(proxy_decision, an_answer_returns_in_its_envelope) {
  const auto statistics = notified({"id", "", "STATISTICS"});
  ASSERT_TRUE(statistics);
  ASSERT_EQ(statistics->size(), 10U);
  EXPECT_EQ((*statistics)[0], "id");
  EXPECT_EQ((*statistics)[1], "");
  EXPECT_EQ(notified({"id", "PAUSE"}, true), (message{"id", ""}));
  EXPECT_EQ(notified({"what?"}, true), message{""});
}

}  // namespace
}  // namespace zmtp
