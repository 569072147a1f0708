// Where bytes lie until they are a message, and how many of them are moved for that.

#include "zmtp/buffer/read_buffer.h"

#include "test/support/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace zmtp {
namespace {

using test::kibi;
using test::mebi;

std::string_view text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Reads everything into a buffer that expects no further bytes.
void read(read_buffer& into, std::string_view bytes, std::size_t at_most = mebi) {
  while (!bytes.empty()) {
    const auto to = into.prepare(into.undecoded().size() + 1);
    ASSERT_FALSE(to.empty());
    const auto count = std::min({to.size(), at_most, bytes.size()});
    std::memcpy(to.data(), bytes.data(), count);
    into.commit(count);
    bytes.remove_prefix(count);
  }
}

TEST(read_buffer, a_message_is_contiguous_even_with_commands_between_its_parts) {
  read_buffer b;
  read(b, "before one PING two PONG PONG three behind");
  EXPECT_EQ(text(b.take(7)), "before ");
  b.set_aside(4);
  b.skip(5);
  EXPECT_EQ(text(b.undecoded()), "two PONG PONG three behind");
  b.set_aside(4);
  b.skip(5);
  b.set_aside(0);
  b.skip(5);
  EXPECT_EQ(text(b.take(6)), "one two three ");
  EXPECT_EQ(text(b.take(6)), "behind");
  EXPECT_TRUE(b.empty());
}

TEST(read_buffer, taken_bytes_stay_while_later_parts_move_up) {
  read_buffer b;
  read(b, "taken aside COMMAND end next");
  const auto first = b.take(6);
  const auto memory = b.memory();
  b.set_aside(6);
  b.skip(8);
  const auto second = b.take(4);
  b.set_aside(4);
  read(b, " and more");
  EXPECT_EQ(text(first), "taken ");
  EXPECT_EQ(text(second), "aside end ");
  EXPECT_EQ(text(b.undecoded()), " and more");
  EXPECT_EQ(text(b.take(9)), "next and more");
}

// The parts before and behind a command are set aside at any step, and turns end there, too.
TEST(read_buffer, bytes_set_aside_move_to_the_next_block) {
  for (const std::size_t size : {10U, 3'000U, 60'000U, 200'000U, 300'000U}) {
    read_buffer b;
    std::string message;
    for (std::size_t i = 0; i < 6; ++i) {
      const std::string part(size, static_cast<char>('a' + i));
      read(b, part + "COMMAND", size / 3 + 1);
      b.set_aside(size);
      b.skip(7);
      if (i % 2 == 0) {
        b.compact();
      }
      message += part;
    }
    EXPECT_FALSE(b.empty());
    EXPECT_EQ(text(b.take(0)), message) << size;
    EXPECT_TRUE(b.empty());
  }
}

TEST(read_buffer, a_command_moves_no_byte_of_the_message_it_interrupts) {
  for (const std::size_t size : {mebi, 4 * mebi, 16 * mebi}) {
    read_buffer b;
    read(b, std::string(size, 'm'));
    b.set_aside(size);
    read(b, "x");  // in the block that has space for the following bytes
    b.skip(1);
    const auto before = b.moved();
    constexpr std::size_t reads = 50;
    for (std::size_t i = 0; i < reads; ++i) {
      read(b, "COMMANDCOMMANDCOMMANDtail");
      for (int j = 0; j < 3; ++j) {
        b.skip(7);
      }
      b.set_aside(4);
    }
    EXPECT_EQ(b.moved() - before, reads * 4) << size;
    EXPECT_EQ(b.take(0).size(), size + reads * 4);
  }
}

// Each byte alone, and a turn ends behind it.
TEST(read_buffer, moves_in_proportion_to_the_bytes_received) {
  for (const std::size_t size : {1'000U, 4'096U, 4'200U, 60'000U, 100'000U, 300'000U}) {
    read_buffer b;
    for (std::size_t i = 0; i < size; ++i) {
      read(b, "b");
      b.compact();
    }
    EXPECT_LE(b.moved(), 8 * size) << size;
    EXPECT_EQ(text(b.take(size)), std::string(size, 'b'));
  }
}

// Reads raw bytes, each of them a byte of a message and a byte that the framing takes out.
void read_raw(read_buffer& into, std::string_view bytes, std::size_t at_most) {
  while (!bytes.empty()) {
    const auto to = into.prepare(into.undecoded().size() + into.raw().size() + 1);
    const auto count = std::min({to.size(), at_most, bytes.size()});
    std::memcpy(to.data(), bytes.data(), count);
    into.commit_raw(count);
    bytes.remove_prefix(count);
    const auto raw = into.raw();
    const auto pairs = raw.size() / 2;
    for (std::size_t i = 0; i < pairs; ++i) {
      raw[i] = raw[2 * i];
    }
    into.mapped(2 * pairs, pairs);
  }
}

TEST(read_buffer, raw_bytes_become_undecoded_ones_in_place) {
  std::string wire;
  std::string plain;
  for (std::size_t i = 0; i < 40'000; ++i) {
    plain += static_cast<char>('a' + i % 23);
    wire += {plain.back(), '-'};
  }
  for (const std::size_t at_most : {1U, 3U, 1'000U, 70'001U}) {
    read_buffer b;
    std::string taken;
    for (std::string_view rest = wire; !rest.empty();) {
      const auto step = std::min<std::size_t>(rest.size(), 10'007);
      read_raw(b, rest.substr(0, step), at_most);
      rest.remove_prefix(step);
      taken += text(b.take(b.undecoded().size() / 2));
      b.compact();
    }
    taken += text(b.take(b.undecoded().size()));
    EXPECT_TRUE(taken == plain) << at_most;
    EXPECT_TRUE(b.empty());
  }
}

TEST(read_buffer, raw_bytes_follow_those_that_are_set_aside) {
  read_buffer b;
  read(b, "one PING ");
  b.set_aside(4);
  b.skip(5);
  read_raw(b, "t-w-o- -x", 2);
  EXPECT_FALSE(b.empty());
  EXPECT_EQ(text(b.take(4)), "one two ");
  EXPECT_EQ(text(b.undecoded()), "");
  EXPECT_EQ(text(b.raw()), "x");
  EXPECT_FALSE(b.empty());
}

// One read can bring the last command of the handshake and frames of the framing.
TEST(read_buffer, undecoded_bytes_become_raw) {
  read_buffer b;
  read(b, "READY a-b-c");
  b.skip(6);
  b.make_raw();
  EXPECT_EQ(text(b.undecoded()), "");
  EXPECT_EQ(text(b.raw()), "a-b-c");
  read_raw(b, "-", 1);
  EXPECT_EQ(text(b.take(3)), "abc");
  EXPECT_TRUE(b.empty());
}

}  // namespace
}  // namespace zmtp
