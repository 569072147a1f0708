// The tables that a server has beside its map grow by bounded parts, whatever their size. The tests count the
// bytes that one call allocates, because the duration depends on the machine.

#include "chp/directory_counters.h"
#include "chp/sessions.h"
#include "chp/update_id.h"
#include "test/support/allocations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace chp {
namespace {

// Returns the bytes of a table with 3,840 places for elements of this size, and its other members.
constexpr std::size_t table_of(std::size_t element) { return 3'840 * element + 8 * 1'024; }
// The index of a deque, which has a pointer for each few elements: it is moved as it is, and quickly.
constexpr std::size_t index_of(std::size_t elements) { return elements * 4; }

update_id id_of(std::uint64_t n) {
  return update_id::of_session(update_id::make_session(n * 0x9e37'79b9'7f4a'7c15), 1);
}

TEST(growth_work, sessions_grow_in_bounded_steps) {
  const session_limits limits;
  sessions all{1, limits};
  zmtp::test::reset_peak();
  for (std::uint64_t n = 0; n < limits.max_sessions + 10'000; ++n) {
    all.note({.number = n + 1, .id = id_of(n), .low = 1});
  }
  EXPECT_LE(zmtp::test::counted().largest, std::max(table_of(16), index_of(limits.max_sessions)));
  EXPECT_EQ(all.size(), limits.max_sessions);
}

TEST(growth_work, directories_grow_in_bounded_steps) {
  constexpr std::size_t directories = 300'000;
  directory_counters all{1, directories};
  zmtp::test::reset_peak();
  for (std::uint64_t n = 0; all.size() < directories; ++n) {
    const auto key = "/directory " + std::to_string(n) + "/x";
    ASSERT_EQ(all.add(key).back().count, 1U);
  }
  EXPECT_LE(zmtp::test::counted().largest, std::max(table_of(8), index_of(directories)));
}

TEST(growth_work, directories_of_an_old_epoch_are_freed_in_bounded_steps) {
  constexpr std::uint64_t directories = 200'000;
  directory_counters all{1, 2 * directories};
  for (std::uint64_t n = 0; n < directories; ++n) {
    (void)all.add("/directory " + std::to_string(n) + "/x");
  }
  const auto before = zmtp::test::counted().live;
  all.clear();
  EXPECT_GE(zmtp::test::counted().live, before) << "nothing goes at once";
  EXPECT_EQ(all.of("/directory 7/"), 0U);
  EXPECT_EQ(all.add("/directory 7/x").back().count, 1U);
  all.clear();
  constexpr std::size_t at_once = 1'000;
  std::size_t most = 0;
  std::size_t calls = 0;
  for (bool tidy = false; !tidy; ++calls) {
    const auto live = zmtp::test::counted().live;
    tidy = all.tidy(at_once);
    most = std::max(most, live - zmtp::test::counted().live);
  }
  EXPECT_LE(most, 2 * table_of(8) + at_once * 128 + index_of(directories));
  EXPECT_GE(calls, directories / at_once);
  EXPECT_EQ(all.of("/directory 7/"), 0U);
}

}  // namespace
}  // namespace chp
