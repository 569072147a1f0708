// Counts the memory of the map: at most 1.5 times the bytes of keys and values, and 120 bytes for each key.

#include "chp/store.h"
#include "test/support/allocations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>

namespace chp {
namespace {

std::string key_of(std::size_t n, std::size_t size) {
  auto key = std::to_string(n);
  return key.insert(0, size - std::min(size, key.size()), '0');
}

void expect_within(std::size_t keys, std::size_t key_size, std::size_t value_size, bool expiring) {
  SCOPED_TRACE(std::to_string(keys) + " keys of " + std::to_string(key_size) + " with " +
               std::to_string(value_size) + (expiring ? ", expiring" : ""));
  const std::string value(value_size, 'v');
  std::size_t beside = 0;
  const auto before = zmtp::test::counted().live;
  {
    store s{1};
    const auto empty = zmtp::test::counted().live - before;
    EXPECT_LE(empty, 32U * 1024U);
    for (std::size_t i = 0; i < keys; ++i) {
      const auto key = key_of(i, key_size);
      store::change change{key, value, {}, {}};
      if (expiring) {
        change.deadline = store::time_point{std::chrono::seconds{i}};
      }
      ASSERT_EQ(s.apply(change, i + 1), errc{});
    }
    // Usable bytes are counted; the heap has eight more for each block.
    const auto taken = zmtp::test::counted().live - before + 8 * keys;
    const auto payload = keys * (key_size + value_size);
    EXPECT_EQ(s.bytes(), payload);
    EXPECT_LE(taken, payload * 3 / 2 + 136 * keys + empty);
    beside = (taken - payload) / keys;
  }
  EXPECT_EQ(zmtp::test::counted().live, before);
  ::testing::Test::RecordProperty("bytes_beside_payload_of_" + std::to_string(keys),
                                  std::to_string(beside));
}

TEST(chp_store_memory, is_proportional_to_keys_and_values) {
  // Where the hash table has just grown, it is the emptiest.
  for (const std::size_t keys : {50'000U, 60'000U, 70'000U, 80'000U, 100'000U}) {
    expect_within(keys, 20, 32, false);
    expect_within(keys, 20, 32, true);
  }
  expect_within(100'000, 8, 0, false);
  expect_within(100'000, 8, 8, true);
  expect_within(100'000, 64, 200, false);
  expect_within(10'000, 100, 1'000, true);
}

TEST(chp_store_memory, old_versions_are_freed_with_the_snapshots) {
  store s{1};
  for (std::size_t i = 0; i < 10'000; ++i) {
    ASSERT_EQ(s.apply({key_of(i, 20), "before", {}, {}}, i + 1), errc{});
  }
  const auto before = zmtp::test::counted().live;
  {
    const auto open = s.open_snapshot();
    for (std::size_t i = 0; i < 10'000; ++i) {
      ASSERT_EQ(s.apply({key_of(i, 20), "behind", {}, {}}, 10'001 + i), errc{});
    }
    EXPECT_EQ(s.past().size(), 10'000U);
  }
  while (!s.tidy(1'000)) {
  }
  // The list of snapshots keeps its memory.
  EXPECT_LE(zmtp::test::counted().live, before + 64);
}

}  // namespace
}  // namespace chp
