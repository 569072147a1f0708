// The limit of the work of one call, for any number of keys. The tests count the bytes that a call allocates
// and frees, because the duration depends on the machine.

#include "chp/store.h"
#include "test/support/allocations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace chp {
namespace {

// Bytes of a table: 3,840 places of 16 bytes, and its other members.
constexpr std::size_t largest_table = 68 * 1'024;
constexpr std::size_t largest_entry = 128;

std::string_view key_of(std::uint64_t n, std::array<char, 8>& bytes) {
  for (auto& each : bytes) {
    each = static_cast<char>('a' + n % 26);
    n /= 26;
  }
  return {bytes.data(), bytes.size()};
}

void fill(store& s, std::uint64_t keys) {
  std::array<char, 8> bytes;
  for (std::uint64_t n = s.keys(); n < keys; ++n) {
    ASSERT_EQ(s.apply({key_of(n, bytes), "", {}, {}}, n + 1), errc{});
  }
}

TEST(chp_store_work, grows_in_bounded_steps) {
  constexpr std::uint64_t keys = 1'000'000;
  store s{1};
  zmtp::test::reset_peak();
  fill(s, keys);
  EXPECT_LE(zmtp::test::counted().largest, largest_table);
  std::array<char, 8> bytes;
  for (std::uint64_t n = 0; n < keys; n += 97) {
    const auto* const found = s.find(key_of(n, bytes));
    ASSERT_NE(found, nullptr);
    ASSERT_EQ(found->number(), n + 1);
    ASSERT_TRUE(s.erase(key_of(n, bytes), keys + n + 1));
    ASSERT_EQ(s.find(key_of(n, bytes)), nullptr);
  }
  EXPECT_EQ(s.find("none"), nullptr);
}

TEST(chp_store_work, frees_at_most_the_given_number_at_once) {
  store s{1};
  constexpr std::uint64_t keys = 400'000;
  fill(s, keys);
  constexpr std::size_t at_once = 1'000;
  std::size_t most = 0;
  std::size_t calls = 0;
  for (bool ended = false; !ended; ++calls) {
    const auto before = zmtp::test::counted().live;
    ended = s.dismantle(at_once);
    most = std::max(most, before - zmtp::test::counted().live);
  }
  EXPECT_LE(most, 2 * largest_table + at_once * largest_entry);
  EXPECT_LE(calls, 2 * keys / at_once + 10);
  fill(s, 10'000);
  EXPECT_EQ(s.keys(), 10'000U);
}

}  // namespace
}  // namespace chp
