#include "zmtp/buffer/send_queue.h"

#include "test/support/allocations.h"
#include "test/support/wire.h"
#include "test/zmtp/buffer/no_mark.h"
#include "zmtp/buffer/block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace zmtp {
namespace {

using test::counted;
using test::framed;
using test::no_mark;
using test::parts;

std::string gathered(send_queue& queue) {
  std::array<send_queue::piece, 64> pieces;
  const auto count = queue.gather(pieces);
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_FALSE(pieces[i].empty());
    bytes.append(reinterpret_cast<const char*>(pieces[i].data()), pieces[i].size());
  }
  return bytes;
}

TEST(send_queue, a_rest_at_the_end_of_a_turn_pins_no_read_buffer) {
  send_queue queue{no_mark};
  block_ptr buffer{block::create(block_size::large)};
  const auto bytes = framed({std::string(5000, 's')});
  std::memcpy(buffer->data(), bytes.data(), bytes.size());
  queue.push(message{buffer, {buffer->data(), bytes.size()}, 1});
  EXPECT_FALSE(buffer->unique());
  queue.compact();
  EXPECT_TRUE(buffer->unique());
  EXPECT_EQ(gathered(queue), bytes);
  queue.push(message{buffer, {buffer->data(), bytes.size()}, 1});
  queue.advance(bytes.size());
  queue.compact();
  EXPECT_TRUE(buffer->unique());
  EXPECT_EQ(gathered(queue), bytes);
}

message large_message(char fill = 'l') {
  message m{"topic"};
  m.adopt_back(std::string(10'000, fill));
  return m;
}

TEST(send_queue, gathers_messages_as_framed) {
  send_queue queue{no_mark};
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(gathered(queue), "");
  std::string expected;
  for (const auto& m : {parts{""}, parts{"a", "", "c"}, parts{std::string(255, 'x')},
                        parts{std::string(256, 'y'), "z"}, parts{std::string(9000, 'l')}}) {
    message sent;
    for (const auto& part : m) {
      sent.push_back(part);
    }
    queue.push(std::move(sent));
    expected += framed(m);
  }
  queue.push(large_message());
  expected += framed({"topic", std::string(10'000, 'l')});
  EXPECT_EQ(gathered(queue), expected);
  EXPECT_EQ(queue.messages(), 6U);
  EXPECT_EQ(queue.bytes(), expected.size());
  queue.advance(expected.size());
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.messages(), 0U);
  EXPECT_EQ(queue.bytes(), 0U);
}

TEST(send_queue, large_messages_are_written_without_a_copy) {
  const auto original = large_message();
  send_queue one{no_mark};
  send_queue other{no_mark};
  for (auto* queue : {&one, &other}) {
    queue->push({"before"});
    queue->push(message{original});
    queue->push({"behind"});
    std::array<send_queue::piece, 64> pieces;
    ASSERT_EQ(queue->gather(pieces), 4U);
    EXPECT_EQ(pieces[2].data(), original.tail().data());
    EXPECT_EQ(pieces[2].size(), original.tail().size());
  }
}

TEST(send_queue, small_messages_share_a_piece_and_are_copied) {
  send_queue queue{no_mark};
  for (int i = 0; i < 1000; ++i) {
    queue.push({"m" + std::to_string(i)});
  }
  std::array<send_queue::piece, 64> pieces;
  EXPECT_LE(queue.gather(pieces), 3U);
}

TEST(send_queue, fills_no_more_pieces_than_there_are_and_none_out_of_order) {
  send_queue queue{no_mark};
  std::string expected;
  for (int i = 0; i < 5; ++i) {
    queue.push(large_message(static_cast<char>('a' + i)));
    expected += framed({"topic", std::string(10'000, static_cast<char>('a' + i))});
  }
  for (std::size_t room = 0; room < 12; ++room) {
    std::array<send_queue::piece, 12> pieces;
    const auto count = queue.gather(std::span{pieces}.first(room));
    ASSERT_LE(count, room);
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) {
      bytes.append(reinterpret_cast<const char*>(pieces[i].data()), pieces[i].size());
    }
    EXPECT_EQ(bytes, expected.substr(0, bytes.size()));
    EXPECT_EQ(bytes.empty(), room == 0);
  }
}

TEST(send_queue, is_full_at_its_mark_in_messages) {
  send_queue queue{{.messages = 3, .bytes = {}}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(queue.full());
    queue.push({"m"});
  }
  EXPECT_TRUE(queue.full());
  queue.advance(queue.bytes());
  EXPECT_FALSE(queue.full());
}

TEST(send_queue, exceeds_its_byte_mark_by_one_message_at_most) {
  send_queue queue{{.messages = {}, .bytes = 25'000}};
  int pushed = 0;
  for (; !queue.full(); ++pushed) {
    queue.push(large_message());
  }
  EXPECT_EQ(pushed, 3);
  EXPECT_LT(queue.bytes(), 25'000U + 10'100U);
}

TEST(send_queue, marks_are_released_entry_by_entry) {
  send_queue queue{{.messages = 2, .bytes = {}}};
  queue.push(large_message());
  queue.push(large_message());
  const auto each = queue.bytes() / 2;
  queue.advance(each - 1);
  EXPECT_TRUE(queue.full());
  EXPECT_EQ(queue.bytes(), 2 * each);
  queue.advance(1);
  EXPECT_FALSE(queue.full());
  EXPECT_EQ(queue.bytes(), each);
  EXPECT_EQ(queue.messages(), 1U);
}

TEST(send_queue, is_at_a_boundary_while_nothing_is_partly_written) {
  send_queue queue{no_mark};
  queue.push({"a"});
  queue.push(large_message());
  EXPECT_TRUE(queue.at_boundary());
  queue.advance(1);
  EXPECT_FALSE(queue.at_boundary());
  queue.advance(2);
  EXPECT_TRUE(queue.at_boundary());
  queue.advance(5000);
  EXPECT_FALSE(queue.at_boundary());
  std::array<send_queue::piece, 64> pieces;
  queue.push({"behind"});
  ASSERT_EQ(queue.gather_begun(pieces), 1U);
  queue.advance(pieces[0].size());
  EXPECT_TRUE(queue.at_boundary());
  EXPECT_EQ(gathered(queue), framed({"behind"}));
}

TEST(send_queue, a_rewound_queue_begins_with_the_message_that_was_cut) {
  const std::string expected = framed({"a"}) + framed({"b", "bb"}) + framed({"c"});
  for (std::size_t cut = 0; cut < expected.size(); ++cut) {
    send_queue queue{no_mark};
    queue.push({"a"});
    queue.push({"b", "bb"});
    queue.push({"c"});
    queue.advance(cut);
    queue.rewind();
    EXPECT_TRUE(queue.at_boundary());
    const std::size_t done = cut < 3 ? 0 : cut < 10 ? 1 : 2;
    EXPECT_EQ(gathered(queue), expected.substr(std::array{0U, 3U, 10U}[done])) << cut;
    EXPECT_EQ(queue.messages(), 3 - done);
    queue.advance(gathered(queue).size());
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(queue.messages(), 0U);
    EXPECT_EQ(queue.bytes(), 0U);
  }
}

TEST(send_queue, a_chunk_is_filled_to_its_end_and_not_beyond) {
  for (const std::size_t over : {0U, 1U}) {
    send_queue queue{no_mark};
    std::string expected;
    const auto push = [&](std::size_t body) {
      queue.push({std::string(body, 'x')});
      expected += framed({std::string(body, 'x')});
    };
    push(block_size::small - 9 - 2 + over);
    push(0);
    std::array<send_queue::piece, 64> pieces;
    EXPECT_EQ(queue.gather(pieces), 1 + over);
    EXPECT_EQ(gathered(queue), expected);
  }
}

TEST(send_queue, a_large_message_is_freed_as_soon_as_it_is_written) {
  send_queue queue{no_mark};
  queue.push({std::string(1'000'000, 'a')});
  const auto first = queue.bytes();
  queue.push({std::string(1'000'000, 'b')});
  const auto before = counted().live;
  queue.advance(first);
  EXPECT_LE(counted().live + 1'000'000, before);
}

// The caller empties the pool while it holds the returned blocks, so that allocations are visible.
std::vector<block_ptr> empty_pool() {
  std::vector<block_ptr> kept;
  kept.reserve(10'000);
  for (auto size = block_size::small; size <= block_size::large; size *= 2) {
    for (const auto before = counted().requests; counted().requests == before;) {
      kept.push_back(block_ptr{block::create(size)});
    }
  }
  return kept;
}

TEST(send_queue, takes_little_more_memory_than_twice_its_content) {
  const auto kept = empty_pool();
  send_queue queue{no_mark};
  const auto before = counted().live;
  for (int i = 0; i < 3000; ++i) {
    queue.push({std::string(60, 's')});
    ASSERT_LE(counted().live, before + 2 * queue.bytes() + block_size::small + 4096) << i;
  }
}

TEST(send_queue, a_peer_with_few_messages_needs_little_memory) {
  const auto kept = empty_pool();
  send_queue queue{no_mark};
  test::reset_peak();
  queue.push({"small"});
  EXPECT_LE(counted().largest, 5U * 1024);
  EXPECT_GE(counted().largest, block_size::small);
}

TEST(send_queue, in_the_steady_state_allocates_nothing_for_small_messages) {
  send_queue queue{no_mark};
  const message small{"small", std::string(50, 's')};
  std::size_t before = 0;
  for (int turn = 0; turn < 50; ++turn) {
    for (int i = 0; i < 2000; ++i) {
      queue.push(message{small});
    }
    queue.advance(queue.bytes());
    before = turn == 0 ? counted().requests : before;
  }
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(counted().requests, before);
}

TEST(send_queue, owns_almost_no_memory_once_empty) {
  const auto fill_and_empty = [](send_queue& queue, bool written) {
    for (int i = 0; i < 3000; ++i) {
      queue.push(large_message());
      if (i % 10 == 0) {
        queue.push({"small"});
      }
    }
    if (written) {
      queue.advance(queue.bytes());
    } else {
      queue.advance(12'345);
      queue.clear();
    }
  };
  for (const bool written : {true, false}) {
    {
      // From now on, the pool keeps its blocks.
      send_queue first{no_mark};
      fill_and_empty(first, true);
    }
    send_queue queue{no_mark};
    const auto before = counted().live;
    fill_and_empty(queue, written);
    EXPECT_TRUE(queue.empty());
    EXPECT_TRUE(queue.at_boundary());
    EXPECT_EQ(queue.messages(), 0U);
    EXPECT_EQ(queue.bytes(), 0U);
    EXPECT_LE(counted().live, before + 32U * 1024) << written;
  }
}

TEST(send_queue, keeps_no_large_array_after_many_large_messages) {
  send_queue queue{no_mark};
  const auto shared = large_message();
  const auto before = counted().live;
  for (int i = 0; i < 3000; ++i) {
    queue.push(message{shared});
  }
  EXPECT_GE(counted().live, before + 3000 * sizeof(message));
  queue.advance(queue.bytes());
  EXPECT_LE(counted().live, before + 16U * 1024);
}

}  // namespace
}  // namespace zmtp
