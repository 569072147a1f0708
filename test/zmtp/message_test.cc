#include "zmtp/message.h"

#include "test/support/bytes.h"
#include "test/support/wire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <random>
#include <ranges>
#include <span>
#include <string>
#include <vector>

namespace zmtp {
namespace {

using test::framed;

std::string wire(const message& m) {
  std::string bytes;
  for (const auto piece : {m.head(), m.tail()}) {
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  }
  return bytes;
}

message read_from_buffer(const std::string& bytes, std::size_t parts) {
  block_ptr buffer{block::create(64 * 1024 + bytes.size())};
  std::memcpy(buffer->data() + 1000, bytes.data(), bytes.size());
  return {buffer, {buffer->data() + 1000, bytes.size()}, parts};
}

void expect_parts(const message& m, const std::deque<std::string>& parts) {
  ASSERT_EQ(m.size(), parts.size());
  ASSERT_EQ(wire(m), framed({parts.begin(), parts.end()}));
  std::size_t i = 0;
  for (const auto part : m) {
    ASSERT_EQ(part, parts[i]);
    ASSERT_EQ(m[i], parts[i]);
    ++i;
  }
  ASSERT_EQ(i, parts.size());
}

TEST(message, starts_without_parts) {
  message m;
  EXPECT_TRUE(m.empty());
  EXPECT_EQ(m.begin(), m.end());
  EXPECT_EQ(m.framed_size(), 0U);
}

TEST(message, one_part_of_every_size_around_the_limits) {
  for (const std::size_t size :
       {0UL, 1UL, 97UL, 98UL, 99UL, 100UL, 254UL, 255UL, 256UL, 4096UL, 70'000UL}) {
    const std::string body(size, 'x');
    message m{body};
    expect_parts(m, {body});
  }
}

TEST(message, takes_bytes_wherever_it_takes_text) {
  const std::vector<std::byte> vector{std::byte{0}, std::byte{0xff}};
  const std::array<std::byte, 1> array{std::byte{'a'}};
  const std::span<const std::byte> none;
  message m{"text", vector, none};
  m.push_back(array);
  m.push_front(std::span{vector}.subspan(1));
  expect_parts(m, {"\xff", "text", std::string{"\0\xff", 2}, "", "a"});
  const auto bytes = m.bytes(2);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), vector.begin(), vector.end()));
  EXPECT_TRUE(m.bytes(3).empty());
}

TEST(message, appends_bytes_of_its_own) {
  message m{std::string(60, 'x')};
  m.push_back(m.bytes(0));
  m.push_front(m.bytes(1));
  expect_parts(m, {std::string(60, 'x'), std::string(60, 'x'), std::string(60, 'x')});
}

TEST(message, is_a_range_of_its_parts) {
  static_assert(std::ranges::forward_range<const message>);
  static_assert(std::ranges::sized_range<const message>);
  const message m{"a", "b"};
  EXPECT_EQ(m.size(), 2U);
  EXPECT_EQ((std::vector<std::string>{m.begin(), m.end()}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(std::ranges::distance(m), 2);
}

TEST(message, five_small_parts_stay_in_the_object) {
  const std::string sixteen(16, 's');
  message m{sixteen, sixteen, sixteen, sixteen, sixteen};
  EXPECT_EQ(m.memory_size(), sizeof(message));
  EXPECT_TRUE(m.tail().empty());
}

TEST(message, messages_of_the_patterns_are_framed_as_their_peers_frame_them) {
  using test::bytes;
  const std::string sequence_5 = bytes("00*7 05");
  const std::string uuid = bytes("00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f");
  const struct {
    message m;
    std::string expected;
  } vectors[] = {
      {{"", "1"}, bytes("01 00 00 01 31")},
      {{"", "\x01"}, bytes("01 00 00 01 01")},
      {{"\x01"}, bytes("00 01 01")},
      {{"\x02"}, bytes("00 01 02")},
      {{"", "MDPW01", "\x01", "echo"},
       bytes("01 00 01 06 4d 44 50 57 30 31 01 01 01 00 04 65 63 68 6f")},
      {{"", "MDPW01", "\x04"}, bytes("01 00 01 06 4d 44 50 57 30 31 00 01 04")},
      {{"", "MDPC01", "echo", "Hello world"},
       bytes("01 00 01 06 4d 44 50 43 30 31 01 04 65 63 68 6f 00 0b 'Hello world'")},
      {{"MDPW02", "\x01", "echo"}, bytes("01 06 4d 44 50 57 30 32 01 01 01 00 04 65 63 68 6f")},
      {{"MDPW02", "\x05"}, bytes("01 06 4d 44 50 57 30 32 00 01 05")},
      {{"ICANHAZ?", "/client/"},
       bytes("01 08 49 43 41 4e 48 41 5a 3f 00 08 2f 63 6c 69 65 6e 74 2f")},
      {{"KTHXBAI", sequence_5, "", "", ""},
       bytes("01 07 4b 54 48 58 42 41 49 01 08 00*7 05 01 00 01 00 00 00")},
      {{"HUGZ", std::string(8, '\0'), "", "", ""},
       bytes("01 04 48 55 47 5a 01 08 00*8 01 00 01 00 00 00")},
      {{"/client/7", sequence_5, uuid, "ttl=5\n", "42"},
       bytes("01 09 2f 63 6c 69 65 6e 74 2f 37 01 08 00*7 05 01 10") + uuid +
           bytes("01 06 74 74 6c 3d 35 0a 00 02 34 32")},
      {{"3"}, bytes("00 01 33")},
      {{"PING"}, bytes("00 04 50 49 4e 47")},
      {{"PONG"}, bytes("00 04 50 4f 4e 47")},
  };
  for (const auto& [m, expected] : vectors) {
    EXPECT_EQ(wire(m), expected);
  }
}

TEST(message, popped_to_nothing_is_empty) {
  message m{"a"};
  m.pop_front();
  EXPECT_TRUE(m.empty());
  EXPECT_TRUE(m.head().empty());
}

TEST(message, envelope_is_changed_without_copying_a_slice) {
  const std::string body(3000, 'b');
  auto m = read_from_buffer(framed({"", "MDPC01", "echo", body}), 4);
  const auto* bytes = m[3].data();
  m.pop_front();
  m.pop_front();
  m.pop_front();
  m.push_front("");
  m.push_front("0123456789abcdef");
  m.push_front("\x02");
  m.push_front("MDPW01");
  m.push_front("");
  expect_parts(m, {"", "MDPW01", "\x02", "0123456789abcdef", "", body});
  EXPECT_EQ(m[5].data(), bytes);
}

TEST(message, front_that_fits_nowhere_moves_the_message) {
  const std::string body(3000, 'b');
  auto m = read_from_buffer(framed({body}), 1);
  const std::string id(255, 'i');
  m.push_front(id);
  expect_parts(m, {id, body});
}

TEST(message, adopted_body_is_not_copied) {
  std::string body(10'000, 'q');
  const auto* bytes = body.data();
  message m{"topic"};
  m.adopt_back(std::move(body));
  EXPECT_EQ(m[1].data(), bytes);
  m.push_front("");
  expect_parts(m, {"", "topic", std::string(10'000, 'q')});
  EXPECT_EQ(m[2].data(), bytes);
  m.pop_front();
  m.pop_front();
  expect_parts(m, {std::string(10'000, 'q')});
  m.push_back("more");
  expect_parts(m, {std::string(10'000, 'q'), "more"});
  m.pop_front();
  expect_parts(m, {"more"});
}

TEST(message, the_bytes_of_a_vector_can_be_adopted) {
  message m;
  m.adopt_back(std::vector<std::byte>(5000, std::byte{'v'}));
  m.adopt_back(std::vector<std::byte>(5000, std::byte{'w'}));
  expect_parts(m, {std::string(5000, 'v'), std::string(5000, 'w')});
}

TEST(message, changing_a_copy_does_not_change_the_original) {
  const std::string body(3000, 'b');
  const auto original = read_from_buffer(framed({"head", body}), 2);
  auto copy = original;
  copy.push_back("tail");
  copy.push_front("front");
  expect_parts(copy, {"front", "head", body, "tail"});
  expect_parts(original, {"head", body});
}

TEST(message, its_own_parts_can_be_inserted) {
  for (const std::size_t size : {10U, 60U, 200U, 5000U}) {
    const std::string body(size, 'b');
    message m{"first", body};
    m.push_back(m[1]);
    m.push_front(m.back());
    expect_parts(m, {body, "first", body, body});
    m.append(m);
    expect_parts(m, {body, "first", body, body, body, "first", body, body});
  }
}

TEST(message, moved_from_is_empty) {
  message a{std::string(3000, 'b')};
  message b{std::move(a)};
  EXPECT_TRUE(a.empty());  // NOLINT: that is what is tested
  a.push_back("again");
  expect_parts(a, {"again"});
  b = std::move(a);
  expect_parts(b, {"again"});
}

TEST(message, compact_gives_a_small_slice_a_block_of_its_own) {
  const std::string body(3000, 'b');
  auto m = read_from_buffer(framed({body}), 1);
  EXPECT_GT(m.memory_size(), 60'000U);
  m.compact();
  EXPECT_LT(m.memory_size(), 3200U);
  expect_parts(m, {body});
  message small{"x"};
  small.compact();
  expect_parts(small, {"x"});
}

TEST(message, rejects_more_than_the_maximal_number_of_parts) {
  std::string run;
  for (std::size_t i = 0; i < message::max_parts; ++i) {
    run += i + 1 < message::max_parts ? std::string("\1\0", 2) : std::string("\0\0", 2);
  }
  auto m = read_from_buffer(run, message::max_parts);
  EXPECT_THROW(m.push_back(""), std::length_error);
  EXPECT_THROW(m.push_front(""), std::length_error);
  EXPECT_EQ(m.size(), message::max_parts);
}

TEST(message, random_changes_equal_a_list_of_strings) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random{seed};
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    const auto body = [&] {
      const unsigned sizes[] = {0, 3, 16, 30, 90, 120, 300, 5000};
      return std::string(sizes[pick(8)], static_cast<char>('a' + pick(26)));
    };
    std::deque<std::string> expected;
    message m;
    if (pick(2) == 0) {
      for (unsigned i = 0; i <= pick(5); ++i) {
        expected.push_back(body());
      }
      m = read_from_buffer(framed({expected.begin(), expected.end()}), expected.size());
    }
    message kept;
    std::deque<std::string> kept_expected;
    for (int step = 0; step < 20; ++step) {
      switch (pick(9)) {
        case 0:
          expected.push_back(body());
          m.push_back(expected.back());
          break;
        case 1:
          expected.push_front(body());
          m.push_front(expected.front());
          break;
        case 2:
          if (!m.empty()) {
            expected.pop_front();
            m.pop_front();
          }
          break;
        case 3:
          expected.push_back(body());
          m.adopt_back(std::string{expected.back()});
          break;
        case 4:
          kept = m;
          kept_expected = expected;
          break;
        case 5: m.compact(); break;
        case 6:
          m.append(kept);
          expected.insert(expected.end(), kept_expected.begin(), kept_expected.end());
          break;
        case 7:
          m.prepend(kept);
          expected.insert(expected.begin(), kept_expected.begin(), kept_expected.end());
          break;
        case 8: {
          expected.push_back(body());
          const auto room = m.prepare_back(expected.back().size());
          ASSERT_EQ(room.size(), expected.back().size());
          std::ranges::copy(std::as_bytes(std::span{expected.back()}), room.begin());
          break;
        }
      }
      expect_parts(m, expected);
      expect_parts(kept, kept_expected);
      if (HasFatalFailure()) {
        FAIL() << "seed " << seed;
      }
      if (expected.size() > 40) {
        break;
      }
    }
  }
}

}  // namespace
}  // namespace zmtp
