#include "zmtp/buffer/receive_queue.h"

#include "test/support/allocations.h"
#include "test/support/wire.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <random>
#include <string>

namespace zmtp {
namespace {

using test::counted;

constexpr high_water_mark no_mark{.messages = {}, .bytes = {}};

// As read from the wire into `buffer`, of which it keeps a slice if it is not small.
message read_into(const block_ptr& buffer, std::size_t at, std::string_view body) {
  const auto wire = test::framed({std::string{body}});
  std::memcpy(buffer->data() + at, wire.data(), wire.size());
  return {buffer, {buffer->data() + at, wire.size()}, 1};
}

std::size_t charge_of(const message& m) { return sizeof(message) + m.tail().size(); }

TEST(receive_queue, returns_messages_in_order) {
  receive_queue queue{no_mark};
  EXPECT_TRUE(queue.empty());
  for (int i = 0; i < 5000; ++i) {
    queue.push({std::to_string(i), std::string(static_cast<std::size_t>(i) % 300, 'x')});
  }
  EXPECT_EQ(queue.size(), 5000U);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(queue.pop().front(), std::to_string(i));
  }
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.bytes(), 0U);
}

TEST(receive_queue, is_full_at_its_mark_in_messages) {
  receive_queue queue{{.messages = 4, .bytes = {}}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(queue.full());
    queue.push({"m"});
  }
  EXPECT_TRUE(queue.full());
  EXPECT_FALSE(queue.half_empty());
  EXPECT_EQ(queue.pop(), message{"m"});
  EXPECT_FALSE(queue.full());
  EXPECT_FALSE(queue.half_empty());
  EXPECT_EQ(queue.pop(), message{"m"});
  EXPECT_TRUE(queue.half_empty());
}

TEST(receive_queue, is_full_at_its_byte_mark_which_includes_the_message_objects) {
  receive_queue queue{{.messages = {}, .bytes = 10 * sizeof(message)}};
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(queue.full());
    queue.push({""});
  }
  EXPECT_TRUE(queue.full());
  queue.clear();
  EXPECT_TRUE(queue.half_empty());
  queue.push({std::string(20 * sizeof(message), 'x')});
  EXPECT_TRUE(queue.full());
  EXPECT_GE(queue.bytes(), 21 * sizeof(message));
}

TEST(receive_queue, is_half_empty_only_if_half_of_the_byte_mark_is_free) {
  receive_queue queue{{.messages = 100, .bytes = 10 * sizeof(message)}};
  for (int i = 0; i < 6; ++i) {
    queue.push({""});
  }
  EXPECT_FALSE(queue.half_empty());
  EXPECT_EQ(queue.pop(), message{""});
  EXPECT_TRUE(queue.half_empty());
}

TEST(receive_queue, without_a_mark_is_never_full) {
  receive_queue queue{no_mark};
  for (int i = 0; i < 3000; ++i) {
    queue.push({"m"});
  }
  EXPECT_FALSE(queue.full());
  EXPECT_TRUE(queue.half_empty());
}

TEST(receive_queue, a_mark_of_one_is_half_empty_when_the_queue_is_empty) {
  receive_queue queue{{.messages = 1, .bytes = {}}};
  queue.push({"m"});
  EXPECT_TRUE(queue.full());
  EXPECT_FALSE(queue.half_empty());
  EXPECT_EQ(queue.pop(), message{"m"});
  EXPECT_TRUE(queue.half_empty());
}

TEST(receive_queue, messages_left_after_a_turn_pin_no_read_buffer) {
  receive_queue queue{no_mark};
  const block_ptr buffer{block::create(64 * 1024)};
  for (std::size_t i = 0; i < 20; ++i) {
    queue.push(read_into(buffer, i * 1000, std::string(500, static_cast<char>('a' + i))));
  }
  EXPECT_EQ(queue.pop().front(), std::string(500, 'a'));
  EXPECT_FALSE(buffer->unique());
  queue.compact();
  EXPECT_TRUE(buffer->unique());
  std::memset(buffer->data(), 0, buffer->capacity());
  for (std::size_t i = 1; i < 20; ++i) {
    EXPECT_EQ(queue.pop().front(), std::string(500, static_cast<char>('a' + i)));
  }
}

TEST(receive_queue, each_turn_frees_its_own_buffer) {
  receive_queue queue{no_mark};
  std::deque<std::string> expected;
  for (std::size_t turn = 0; turn < 40; ++turn) {
    const block_ptr buffer{block::create(64 * 1024)};
    for (std::size_t i = 0; i < 7; ++i) {
      expected.push_back(std::to_string(turn) + std::string(300, static_cast<char>('a' + i)));
      queue.push(read_into(buffer, i * 1000, expected.back()));
    }
    for (std::size_t i = 0; i < turn % 9 && !queue.empty(); ++i) {
      EXPECT_EQ(queue.pop().front(), expected.front());
      expected.pop_front();
    }
    queue.compact();
    EXPECT_TRUE(buffer->unique()) << "turn " << turn;
  }
}

TEST(receive_queue, a_large_part_of_a_buffer_is_not_copied) {
  receive_queue queue{no_mark};
  const block_ptr buffer{block::create(64 * 1024)};
  auto large = read_into(buffer, 100, std::string(40'000, 'l'));
  const auto* bytes = large.front().data();
  queue.push(std::move(large));
  queue.compact();
  EXPECT_EQ(queue.pop().front().data(), bytes);
}

TEST(receive_queue, owns_no_memory_if_it_is_empty_after_a_turn) {
  for (const bool pool_has_its_blocks : {false, true}) {
    receive_queue queue{no_mark};
    const auto before = counted().live;
    for (int i = 0; i < 3000; ++i) {
      queue.push({std::string(200, 'x')});
    }
    while (!queue.empty()) {
      EXPECT_FALSE(queue.pop().empty());
    }
    queue.compact();
    if (pool_has_its_blocks) {
      EXPECT_LE(counted().live, before);
    }
  }
}

TEST(receive_queue, in_the_steady_state_allocates_nothing) {
  receive_queue queue{no_mark};
  const message small{"small"};
  std::size_t before = 0;
  for (int turn = 0; turn < 100; ++turn) {
    for (int i = 0; i < 400; ++i) {
      queue.push(message{small});
    }
    while (!queue.empty()) {
      EXPECT_EQ(queue.pop(), small);
    }
    queue.compact();
    if (turn == 0) {
      before = counted().requests;
    }
  }
  EXPECT_EQ(counted().requests, before);
}

TEST(receive_queue, drops_its_messages_when_it_is_destroyed) {
  const block_ptr buffer{block::create(64 * 1024)};
  {
    receive_queue queue{no_mark};
    for (std::size_t i = 0; i < 50; ++i) {
      queue.push(read_into(buffer, i * 1000, std::string(500, 'x')));
    }
    EXPECT_FALSE(buffer->unique());
    queue.clear();
    EXPECT_TRUE(buffer->unique());
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(queue.bytes(), 0U);
    queue.push(read_into(buffer, 0, std::string(500, 'x')));
  }
  EXPECT_TRUE(buffer->unique());
}

TEST(receive_queue, random_use_equals_a_list_of_messages) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    const auto pick = [&](std::size_t n) { return random() % n; };
    high_water_mark mark;
    mark.messages = 1 + pick(100);
    mark.bytes = 1 + pick(60'000);
    receive_queue queue{mark};
    std::deque<message> expected;
    std::size_t bytes = 0;
    block_ptr buffer{block::create(64 * 1024)};
    for (int step = 0; step < 400; ++step) {
      switch (pick(16)) {
        case 0:
          queue.compact();
          EXPECT_TRUE(buffer->unique());
          break;
        case 1:
          if (pick(10) == 0) {
            queue.clear();
            expected.clear();
            bytes = 0;
          }
          break;
        case 2: buffer = block_ptr{block::create(64 * 1024)}; break;
        case 3:
        case 4:
        case 5:
        case 6:
        case 7:
          if (!expected.empty()) {
            ASSERT_EQ(queue.pop(), expected.front());
            bytes -= charge_of(expected.front());
            expected.pop_front();
          }
          break;
        default: {
          const std::size_t sizes[] = {0, 20, 98, 99, 300, 5000};
          const std::string body(sizes[pick(6)], static_cast<char>('a' + pick(26)));
          expected.push_back({body});
          if (pick(2) == 0) {
            // Where an earlier slice may not be: each block is written from its start only once.
            buffer = block_ptr{block::create(64 * 1024)};
            queue.push(read_into(buffer, 0, body));
          } else {
            queue.push({body});
          }
          bytes += charge_of(expected.back());
        }
      }
      ASSERT_EQ(queue.size(), expected.size());
      ASSERT_EQ(queue.bytes(), bytes);
      ASSERT_EQ(queue.full(), expected.size() >= *mark.messages || bytes >= *mark.bytes);
    }
  }
}

}  // namespace
}  // namespace zmtp
