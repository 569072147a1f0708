#include "zmtp/message_batch.h"

#include "test/support/allocations.h"
#include "test/support/wire.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using test::counted;

// The framed bytes of all messages.
std::string wire_of(const message_batch& batch) {
  std::string all;
  for (const auto m : batch) {
    const auto whole = m.to_message();
    for (const auto piece : {whole.head(), whole.tail()}) {
      all.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    }
  }
  return all;
}

// As a socket appends what it has read.
void receive(message_batch& batch, const std::string& wire, std::size_t messages,
             peer_id from = {}) {
  block_ptr memory{block::create(64 * 1024)};
  std::memcpy(memory->data(), wire.data(), wire.size());
  auto* const data = memory->data();
  batch.push_back({.content = message_run{.memory = std::move(memory),
                                          .data = data,
                                          .size = wire.size(),
                                          .messages = messages,
                                          .shared = true},
                   .peer = from});
}

TEST(message_batch, frames_messages_of_text_and_bytes) {
  message_batch batch;
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.begin(), batch.end());
  const std::array<std::byte, 3> bytes{std::byte{1}, std::byte{2}, std::byte{3}};
  batch.append("MDPC01", std::string{"service"}, bytes, "");
  batch.append(std::string(300, 'x'));
  EXPECT_EQ(batch.size(), 2U);
  const auto wire =
      test::framed({"MDPC01", "service", "\1\2\3", ""}) + test::framed({std::string(300, 'x')});
  EXPECT_EQ(wire_of(batch), wire);
  EXPECT_EQ(batch.framed_size(), wire.size());
  const auto first = batch.front();
  EXPECT_EQ(first.size(), 4U);
  EXPECT_EQ(first.front(), "MDPC01");
  EXPECT_EQ(first[1], "service");
  EXPECT_EQ(first.bytes(2)[2], std::byte{3});
  EXPECT_EQ(first.back(), "");
  EXPECT_EQ(first.payload_size(), 16U);
  EXPECT_EQ(first.framed_size(), 24U);
  EXPECT_EQ(first.to_message(), (message{"MDPC01", "service", "\1\2\3", ""}));
}

TEST(message_batch, iterates_over_received_runs_without_allocating) {
  message_batch batch;
  std::string wire;
  for (int i = 0; i < 100; ++i) {
    wire += test::framed({std::to_string(i), "body"});
  }
  receive(batch, wire, 100, {1, 2});
  receive(batch, test::framed({"last"}), 1, {3, 4});
  const auto before = counted().requests;
  int i = 0;
  std::size_t parts = 0;
  for (const auto m : batch) {
    parts += m.size();
    i += m.peer() == peer_id{1, 2} && m[1] == "body" ? 1 : 0;
  }
  EXPECT_EQ(counted().requests, before);
  EXPECT_EQ(i, 100);
  EXPECT_EQ(parts, 201U);
}

TEST(message_batch, a_message_outlives_its_batch) {
  for (const std::size_t size : {5U, 500U, 30'000U}) {
    message_batch batch;
    receive(batch, test::framed({std::string(size, 'x')}), 1);
    const auto kept = batch.front().to_message();
    batch.clear();
    EXPECT_EQ(kept, message{std::string(size, 'x')});
  }
}

TEST(message_batch, pops_messages_of_a_run_and_then_of_the_next) {
  message_batch batch;
  receive(batch, test::framed({"1"}) + test::framed({"2", "2"}), 2);
  batch.append(message{std::string(10'000, 'l')});
  batch.append("3");
  for (const std::size_t left : {3U, 2U, 1U}) {
    batch.pop_front();
    EXPECT_EQ(batch.size(), left);
  }
  EXPECT_EQ(batch.front().front(), "3");
  EXPECT_EQ(batch.framed_size(), 3U);
  batch.pop_front();
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.framed_size(), 0U);
  batch.append("4");
  EXPECT_EQ(batch.front().front(), "4");
}

TEST(message_batch, takes_a_large_message_without_copying_it) {
  message m;
  m.push_back("envelope");
  m.adopt_back(std::string(100'000, 'x'));
  const auto* const bytes = m[1].data();
  message_batch batch;
  batch.append_to({7, 1}, std::move(m));
  EXPECT_TRUE(m.empty());
  EXPECT_EQ(batch.front()[1].data(), bytes);
  EXPECT_EQ(batch.front().peer(), (peer_id{7, 1}));
}

TEST(message_batch, appends_a_view_of_any_batch) {
  message_batch from;
  receive(from, test::framed({"a", "b"}), 1, {1, 1});
  from.append_to({2, 1}, message{"e", std::string(10'000, 'l')});
  message_batch to;
  for (int i = 0; i < 3; ++i) {
    for (const auto m : from) {
      to.append(m);
    }
  }
  EXPECT_EQ(to.size(), 6U);
  EXPECT_EQ(to.front().peer(), (peer_id{1, 1}));
  EXPECT_EQ(wire_of(to), wire_of(from) + wire_of(from) + wire_of(from));
  // The batch appends its own first message, across blocks.
  auto expected = wire_of(to);
  for (int i = 0; i < 2'000; ++i) {
    to.append(to.front());
    expected += test::framed({"a", "b"});
  }
  EXPECT_EQ(wire_of(to), expected);
}

TEST(message_batch, does_not_append_a_message_without_parts) {
  message_batch batch;
  batch.append(message{});
  message_batch notices;
  notices.push_back({.content = message{}, .peer = {1, 1}, .what = routed_message::kind::attached});
  EXPECT_TRUE(notices.front().empty());
  EXPECT_EQ(notices.front().what(), routed_message::kind::attached);
  EXPECT_EQ(notices.front().to_routed_message().what, routed_message::kind::attached);
  batch.append(notices.front());
  EXPECT_TRUE(batch.empty());
}

TEST(message_batch, a_copy_does_not_change_with_the_original) {
  message_batch batch;
  batch.append("1");
  auto copy = batch;
  batch.append("2");
  copy.append("3");
  EXPECT_EQ(wire_of(batch), test::framed({"1"}) + test::framed({"2"}));
  EXPECT_EQ(wire_of(copy), test::framed({"1"}) + test::framed({"3"}));
  const auto moved = std::move(batch);
  EXPECT_TRUE(batch.empty());  // NOLINT: empty, as documented
  batch.append("4");
  EXPECT_EQ(wire_of(batch), test::framed({"4"}));
  EXPECT_EQ(wire_of(moved), test::framed({"1"}) + test::framed({"2"}));
}

TEST(message_batch, moves_all_messages_of_another_batch) {
  message_batch batch;
  batch.append("1");
  message_batch other;
  other.append("dropped");
  other.append_to({1, 1}, "2");
  other.pop_front();
  batch.append(std::move(other));
  EXPECT_TRUE(other.empty());  // NOLINT: empty, as documented
  other.append("4");
  batch.append("3");
  EXPECT_EQ(wire_of(batch), test::framed({"1"}) + test::framed({"2"}) + test::framed({"3"}));
  EXPECT_EQ(wire_of(other), test::framed({"4"}));
}

TEST(message_batch, prepared_bytes_are_a_message) {
  message_batch batch;
  for (const std::size_t size : {0U, 16U, 255U, 256U, 100'000U}) {
    const auto body = batch.prepare(size);
    ASSERT_EQ(body.size(), size);
    std::fill(body.begin(), body.end(), std::byte{'x'});
  }
  EXPECT_EQ(wire_of(batch), test::framed({""}) + test::framed({std::string(16, 'x')}) +
                                test::framed({std::string(255, 'x')}) +
                                test::framed({std::string(256, 'x')}) +
                                test::framed({std::string(100'000, 'x')}));
}

TEST(message_batch, in_the_steady_state_allocates_nothing) {
  message_batch batch;
  std::size_t before = 0;
  for (int turn = 0; turn < 100; ++turn) {
    for (int i = 0; i < 1024; ++i) {
      batch.append("0123456789abcdef");
    }
    EXPECT_EQ(batch.size(), 1024U);
    batch.clear();
    if (turn == 2) {
      before = counted().requests;
    }
  }
  EXPECT_EQ(counted().requests, before);
}

TEST(message_batch, keeps_no_block_of_a_large_message) {
  message_batch batch;
  message_batch moved_to;
  const auto before = counted().live;
  batch.append(std::string(1'000'000, 'x'));
  EXPECT_GT(counted().live, before + 1'000'000);
  moved_to.append(std::move(batch));
  EXPECT_GT(counted().live, before + 1'000'000);
  moved_to.clear();
  EXPECT_LT(counted().live, before + 100'000);
}

TEST(message_batch, random_use_equals_a_list_of_messages) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    const auto pick = [&](std::size_t n) { return random() % n; };
    const auto text = [&] {
      const std::size_t sizes[] = {0, 1, 16, 64, 200, 255, 256, 3'000, 5'000, 70'000};
      return std::string(sizes[pick(pick(4) == 0 ? 10 : 7)], static_cast<char>('a' + pick(26)));
    };
    message_batch batch;
    std::deque<std::pair<message, peer_id>> expected;
    for (int step = 0; step < 200; ++step) {
      const peer_id to{static_cast<std::uint32_t>(pick(3)), 1};
      switch (pick(8)) {
        case 0:
          for (auto count = pick(20); count != 0 && !batch.empty(); --count) {
            batch.pop_front();
            expected.pop_front();
          }
          break;
        case 1: {
          const auto one = text();
          const auto two = text();
          batch.append_to(to, one, two);
          expected.emplace_back(message{one, two}, to);
          break;
        }
        case 2: {
          message m{text(), text(), text()};
          expected.emplace_back(m, to);
          batch.append_to(to, std::move(m));
          break;
        }
        case 3: {
          std::string wire;
          const auto count = 1 + pick(10);
          for (std::size_t i = 0; i < count; ++i) {
            const std::string body(pick(300), 'r');
            wire += test::framed({body});
            expected.emplace_back(message{body}, to);
          }
          receive(batch, wire, count, to);
          break;
        }
        case 4: {
          auto copy = batch;
          std::swap(copy, batch);
          break;
        }
        default: {
          const auto one = text();
          batch.append_to(to, one);
          expected.emplace_back(message{one}, to);
        }
      }
      ASSERT_EQ(batch.size(), expected.size());
    }
    std::size_t i = 0;
    std::size_t bytes = 0;
    for (const auto m : batch) {
      ASSERT_EQ(m.to_message(), expected[i].first);
      ASSERT_EQ(m.peer(), expected[i].second);
      bytes += m.framed_size();
      ++i;
    }
    ASSERT_EQ(i, expected.size());
    ASSERT_EQ(bytes, batch.framed_size());
  }
}

}  // namespace
}  // namespace zmtp
