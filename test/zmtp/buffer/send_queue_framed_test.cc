// Messages that are framed already, and that several queues share (PUB).

#include "test/support/allocations.h"
#include "test/support/wire.h"
#include "zmtp/buffer/block.h"
#include "zmtp/buffer/send_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>

namespace zmtp {
namespace {

using test::framed;

// One message of this size as framed, many times.
struct gathered {
  gathered(std::size_t count, std::size_t message_size) : messages{count} {
    const auto one = framed({std::string(message_size - 2, 'x')});
    for (std::size_t i = 0; i < count; ++i) {
      bytes += one;
    }
    std::memcpy(memory->data(), bytes.data(), bytes.size());
  }

  void push_to(send_queue& queue) const {
    queue.push(message_run{
        .memory = memory, .data = memory->data(), .size = bytes.size(), .messages = messages});
  }

  block_ptr memory{block::create(block_size::large)};
  std::string bytes;
  std::size_t messages;
};

std::string text_of(send_queue& queue) {
  std::array<send_queue::piece, 64> pieces;
  std::string text;
  for (std::size_t i = 0, count = queue.gather(pieces); i < count; ++i) {
    text.append(reinterpret_cast<const char*>(pieces[i].data()), pieces[i].size());
  }
  return text;
}

TEST(send_queue_framed, counts_each_message_and_all_bytes) {
  send_queue queue{{.messages = 100, .bytes = 100'000}};
  const gathered few{10, 50};
  const gathered many{80, 100};
  few.push_to(queue);
  EXPECT_EQ(queue.messages(), 10U);
  EXPECT_EQ(queue.bytes(), 500U);
  many.push_to(queue);
  EXPECT_EQ(queue.messages(), 90U);
  EXPECT_EQ(queue.bytes(), 8'500U);
  EXPECT_FALSE(queue.full());
  few.push_to(queue);
  EXPECT_TRUE(queue.full());
  EXPECT_EQ(text_of(queue), few.bytes + many.bytes + few.bytes);
  queue.advance(9'000);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.messages(), 0U);
  EXPECT_EQ(queue.bytes(), 0U);
}

TEST(send_queue_framed, reports_the_space_below_its_marks) {
  send_queue queue{{.messages = 15, .bytes = 600}};
  EXPECT_EQ(queue.room_for_messages(), 15U);
  EXPECT_EQ(queue.room_for_bytes(), 600U);
  const gathered few{10, 50};
  few.push_to(queue);
  EXPECT_EQ(queue.room_for_messages(), 5U);
  EXPECT_EQ(queue.room_for_bytes(), 100U);
  few.push_to(queue);
  EXPECT_EQ(queue.room_for_messages(), 0U);
  EXPECT_EQ(queue.room_for_bytes(), 0U);
  send_queue unmarked{{.messages = {}, .bytes = {}}};
  EXPECT_EQ(unmarked.room_for_messages(), static_cast<std::size_t>(-1));
  EXPECT_EQ(unmarked.room_for_bytes(), static_cast<std::size_t>(-1));
}

TEST(send_queue_framed, few_bytes_are_copied_so_that_their_block_is_free_at_once) {
  send_queue queue{{}};
  const gathered few{10, 50};
  few.push_to(queue);
  EXPECT_TRUE(few.memory->unique());
  std::memset(few.memory->data(), '!', few.bytes.size());
  EXPECT_EQ(text_of(queue), few.bytes);
}

TEST(send_queue_framed, a_large_block_is_shared_until_the_last_queue_has_written_it) {
  const gathered many{100, 100};
  {
    send_queue one{{}};
    send_queue other{{}};
    many.push_to(one);
    many.push_to(other);
    std::array<send_queue::piece, 1> piece;
    ASSERT_EQ(other.gather(piece), 1U);
    EXPECT_EQ(piece[0].data(), many.memory->data());
    one.advance(many.bytes.size());
    EXPECT_FALSE(many.memory->unique());
    EXPECT_EQ(text_of(other), many.bytes);
    other.advance(many.bytes.size());
    EXPECT_TRUE(many.memory->unique());
    many.push_to(one);
    EXPECT_FALSE(many.memory->unique());
    one.clear();
    EXPECT_TRUE(many.memory->unique());
    many.push_to(other);
  }
  EXPECT_TRUE(many.memory->unique());
}

// Other queues share the block: the next message must not go into it, although it has space.
TEST(send_queue_framed, nothing_is_put_into_a_block_that_is_shared) {
  const gathered many{100, 100};
  const std::string behind(1'000, '-');
  std::memcpy(many.memory->data() + many.bytes.size(), behind.data(), behind.size());
  send_queue queue{{}};
  many.push_to(queue);
  queue.push(message{"next"});
  const gathered few{1, 10};
  few.push_to(queue);
  EXPECT_EQ(text_of(queue), many.bytes + framed({"next"}) + few.bytes);
  EXPECT_EQ(std::memcmp(many.memory->data() + many.bytes.size(), behind.data(), behind.size()), 0);
}

TEST(send_queue_framed, after_a_cut_each_queue_continues_at_its_own_position) {
  const gathered many{100, 100};
  for (std::size_t cut = 0; cut <= many.bytes.size(); cut += 33) {
    send_queue one{{}};
    send_queue other{{}};
    many.push_to(one);
    many.push_to(other);
    one.advance(cut);
    one.rewind();
    EXPECT_EQ(one.messages(), 100 - cut / 100);
    EXPECT_EQ(text_of(one), many.bytes.substr(cut / 100 * 100));
    EXPECT_EQ(other.messages(), 100U);
    EXPECT_EQ(text_of(other), many.bytes);
  }
}

TEST(send_queue_framed, settling_leaves_the_bytes_alone) {
  send_queue queue{{}};
  const gathered many{100, 100};
  const gathered few{3, 20};
  many.push_to(queue);
  few.push_to(queue);
  queue.compact();
  EXPECT_EQ(text_of(queue), many.bytes + few.bytes);
}

// Design 3.3: at the end of a turn, a rest that is smaller than a quarter of its block moves to a
// block of its own size.
TEST(send_queue_framed, a_small_rest_of_a_turn_does_not_pin_a_large_block) {
  constexpr std::size_t turns = 100;
  send_queue queue{{}};
  const auto before = test::counted().live;
  for (std::size_t i = 0; i < turns; ++i) {
    {
      const gathered little{42, 100};
      little.push_to(queue);
    }
    queue.compact();
  }
  EXPECT_LE(test::counted().live - before, 4 * queue.bytes() + block_size::large);
}

}  // namespace
}  // namespace zmtp
