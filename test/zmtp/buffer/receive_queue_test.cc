#include "zmtp/buffer/receive_queue.h"

#include "test/support/allocations.h"
#include "test/support/wire.h"
#include "test/zmtp/buffer/no_mark.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <random>
#include <string>

namespace zmtp {
namespace {

using test::counted;
using test::no_mark;

// As read from the wire into `buffer`, of which it keeps a slice if it is not small.
message read_into(const block_ptr& buffer, std::size_t at, std::string_view body) {
  const auto wire = test::framed({std::string{body}});
  std::memcpy(buffer->data() + at, wire.data(), wire.size());
  return {buffer, {buffer->data() + at, wire.size()}, 1};
}

// A slice is a run of one message. Another message is an object.
std::size_t charge_of(const message& m) {
  return m.head().empty() ? m.tail().size() : sizeof(message) + m.tail().size();
}

// Messages in a buffer, as one read leaves them.
class reading {
public:
  explicit reading(std::size_t capacity = 64 * 1024) : buffer{block::create(capacity)} {}

  // Adds `count` messages whose body begins with a number.
  message_run run(std::size_t count, std::size_t size = 20) {
    message_run next{.memory = buffer, .data = buffer->data() + used_, .shared = true};
    for (; count != 0; --count) {
      const auto wire = test::framed({body(last_++, size)});
      std::memcpy(buffer->data() + used_, wire.data(), wire.size());
      used_ += wire.size();
      next.size += wire.size();
      ++next.messages;
    }
    return next;
  }
  static std::string body(std::size_t number, std::size_t size = 20) {
    auto text = std::to_string(number);
    return text + std::string(size - text.size(), 'x');
  }

  block_ptr buffer;

private:
  std::size_t used_ = 0;
  std::size_t last_ = 0;
};

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
  EXPECT_GE(queue.bytes(), 20 * sizeof(message));
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

TEST(receive_queue, returns_the_messages_of_a_run_one_by_one) {
  receive_queue queue{no_mark};
  reading from;
  queue.push(from.run(3));
  queue.push({"single"});
  queue.push(from.run(2));
  EXPECT_EQ(queue.size(), 6U);
  EXPECT_EQ(queue.bytes(), 5 * 22 + sizeof(message));
  for (const std::size_t i : {0U, 1U, 2U}) {
    EXPECT_EQ(queue.pop(), message{reading::body(i)});
  }
  EXPECT_EQ(queue.pop(), message{"single"});
  EXPECT_EQ(queue.pop(), message{reading::body(3)});
  EXPECT_EQ(queue.pop(), message{reading::body(4)});
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.bytes(), 0U);
}

TEST(receive_queue, has_room_up_to_each_limit) {
  memory_account account;
  receive_queue queue{{.messages = 10, .bytes = 1000}, &account};
  reading from;
  queue.push(from.run(3));
  EXPECT_EQ(queue.room().messages, 7U);
  EXPECT_EQ(queue.room().bytes, 1000U - 3 * 22);
  account.allow(100);
  EXPECT_EQ(queue.room().bytes, 100U - 3 * 22);
}

TEST(receive_queue, hands_over_a_run_without_copying_it) {
  receive_queue queue{no_mark};
  reading from;
  const auto run = from.run(100);
  queue.push(message_run{run});
  EXPECT_EQ(queue.front_messages(), 100U);
  const auto taken = queue.take(1000);
  ASSERT_NE(std::get_if<message_run>(&taken), nullptr);
  EXPECT_EQ(std::get_if<message_run>(&taken)->data, run.data);
  EXPECT_EQ(messages_of(taken), 100U);
  EXPECT_TRUE(queue.empty());
}

TEST(receive_queue, hands_over_a_part_of_a_run) {
  receive_queue queue{no_mark};
  reading from;
  queue.push(from.run(100));
  EXPECT_EQ(queue.pop(), message{reading::body(0)});
  const auto taken = queue.take(40);
  EXPECT_EQ(messages_of(taken), 40U);
  EXPECT_EQ(size_of(taken), 40U * 22);
  EXPECT_EQ(queue.size(), 59U);
  EXPECT_EQ(queue.bytes(), 59U * 22);
  EXPECT_EQ(queue.pop(), message{reading::body(41)});
}

TEST(receive_queue, a_small_run_left_after_a_turn_pins_no_read_buffer) {
  receive_queue queue{no_mark};
  reading from;
  queue.push(from.run(100));
  queue.compact();
  EXPECT_TRUE(from.buffer->unique());
  std::memset(from.buffer->data(), 0, from.buffer->capacity());
  for (std::size_t i = 0; i < 100; ++i) {
    ASSERT_EQ(queue.pop(), message{reading::body(i)});
  }
}

TEST(receive_queue, a_large_run_pins_its_buffer_until_most_of_it_is_taken) {
  for (const bool in_batches : {false, true}) {
    memory_account account;
    receive_queue queue{no_mark, &account};
    reading from;
    constexpr std::size_t count = 1000;
    queue.push(from.run(count));
    queue.compact();
    EXPECT_FALSE(from.buffer->unique());
    EXPECT_EQ(account.bytes(), static_cast<std::ptrdiff_t>(64 * 1024 + sizeof(queue_entry)));
    std::size_t taken = 0;
    while (count - taken >= 16 * 1024 / 22) {
      if (in_batches) {
        taken += messages_of(queue.take(7));
      } else {
        ASSERT_EQ(queue.pop(), message{reading::body(taken++)});
      }
    }
    EXPECT_TRUE(from.buffer->unique());
    EXPECT_LE(account.bytes(), static_cast<std::ptrdiff_t>(16 * 1024 + sizeof(queue_entry)));
    while (!queue.empty()) {
      ASSERT_EQ(queue.pop(), message{reading::body(taken++)});
    }
    EXPECT_EQ(taken, count);
    EXPECT_EQ(account.bytes(), 0);
  }
}

// Without this, each message of a slow stream would need a block and an entry of its own.
TEST(receive_queue, messages_that_stay_turn_after_turn_share_blocks) {
  memory_account account;
  receive_queue queue{no_mark, &account};
  constexpr std::size_t count = 1000;
  reading from;
  for (std::size_t i = 0; i < count; ++i) {
    queue.push(from.run(1));
    queue.compact();
  }
  EXPECT_EQ(queue.size(), count);
  EXPECT_LT(account.bytes(), static_cast<std::ptrdiff_t>(4 * count * 22));
  EXPECT_TRUE(from.buffer->unique());
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(queue.pop(), message{reading::body(i)});
  }
  EXPECT_EQ(account.bytes(), 0);
}

TEST(receive_queue, a_taken_run_does_not_change_when_more_messages_stay) {
  receive_queue queue{no_mark};
  reading from;
  for (int i = 0; i < 3; ++i) {
    queue.push(from.run(1));
    queue.compact();
  }
  const auto taken = queue.take(1);
  const std::string before{reinterpret_cast<const char*>(std::get_if<message_run>(&taken)->data),
                           22};
  for (int i = 0; i < 100; ++i) {
    queue.push(from.run(1));
    queue.compact();
  }
  const std::string after{reinterpret_cast<const char*>(std::get_if<message_run>(&taken)->data),
                          22};
  EXPECT_EQ(before, after);
}

// Runs, single messages and batches, in random order, against a list of bodies.
TEST(receive_queue, random_use_of_runs_equals_a_list_of_messages) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    const auto pick = [&](std::size_t n) { return random() % n; };
    memory_account account;
    receive_queue queue{no_mark, &account};
    std::deque<std::string> expected;
    reading from{1024 * 1024};
    const auto expect = [&](std::string_view body) {
      ASSERT_FALSE(expected.empty());
      ASSERT_EQ(body, expected.front());
      expected.pop_front();
    };
    for (int step = 0; step < 300; ++step) {
      switch (pick(6)) {
        case 0: queue.compact(); break;
        case 1:
          for (auto count = pick(40); count != 0 && !queue.empty(); --count) {
            expect(queue.pop().front());
          }
          break;
        case 2:
          if (!queue.empty()) {
            const auto taken = queue.take(1 + pick(20));
            const auto* const run = std::get_if<message_run>(&taken);
            if (run == nullptr) {
              expect(std::get_if<message>(&taken)->front());
            }
            for (std::size_t at = 0; run != nullptr && at < run->size;) {
              expect(frame::first_part(run->data + at));
              at += frame::message_at(run->data + at).bytes;
            }
          }
          break;
        case 3:
          queue.push({"object"});
          expected.emplace_back("object");
          break;
        default: {
          auto run = from.run(1 + pick(30), 8 + pick(150));
          for (std::size_t at = 0; at < run.size;) {
            expected.emplace_back(frame::first_part(run.data + at));
            at += frame::message_at(run.data + at).bytes;
          }
          queue.push(std::move(run));
        }
      }
      ASSERT_EQ(queue.size(), expected.size());
      if (expected.empty()) {
        ASSERT_EQ(account.bytes(), 0);
      }
    }
    while (!queue.empty()) {
      expect(queue.pop().front());
    }
    EXPECT_TRUE(expected.empty());
  }
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
