#include "chp/replica.h"

#include "test/chp/replica_fixture.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace chp {
namespace {

using namespace test;

TEST(chp_replica, publishes_what_is_committed_and_says_which_entries_changed_the_map) {
  replica r{{}, 1};
  r.begin_reign(1, 77);
  set(r, "a", "1");
  set(r, "b", "2");
  r.append({.number = r.end() + 1,
            .kind = entry_kind::expiry,
            .argument = make_sequence(1, 1),
            .key = "b"});
  r.append({.number = r.end() + 1,
            .kind = entry_kind::expiry,
            .argument = make_sequence(1, 1),
            .key = "a"});
  r.append({.number = r.end() + 1,
            .kind = entry_kind::refusal,
            .id = session_id(1, 1),
            .low = 1,
            .argument = 1});
  std::vector<bool> changed;
  r.publish(make_sequence(1, 1), start, [&](const log_entry&, bool c) { changed.push_back(c); });
  EXPECT_EQ(map_of(r).size(), 1U);
  EXPECT_EQ(changed, (std::vector<bool>{false, true}));
  r.publish(r.end(), start, [&](const log_entry&, bool c) { changed.push_back(c); });
  EXPECT_EQ(changed, (std::vector<bool>{false, true, true, false, true, false}))
      << "an expiry ends only the value that it names";
  EXPECT_EQ(map_of(r).size(), 1U);
  EXPECT_EQ(r.past().published(), r.end());
}

TEST(chp_replica, without_epochs_counts_from_one) {
  replica r{{}, 1};
  EXPECT_TRUE(r.lacks_data());
  r.begin_reign(0, 77);
  EXPECT_FALSE(r.lacks_data());
  EXPECT_EQ(r.end(), 0U);
  set(r, "a", "1");
  EXPECT_EQ(r.end(), 1U);
  EXPECT_TRUE(r.past().reigns().contains({0, 77, 1}));
}

TEST(chp_replica, below_what_both_had_counts_as_one_without_data) {
  replica r{{}, 1};
  r.begin_reign(1, 77);
  r.raise_both(make_sequence(1, 1), true);
  EXPECT_TRUE(r.lacks_data());
  set(r, "a", "1");
  EXPECT_FALSE(r.lacks_data());
}

TEST(chp_replica, counts_keys_and_bytes_at_the_end_of_the_log) {
  replica_options options;
  options.map = {.max_keys = 2, .max_bytes = 20};
  replica r{options, 1};
  r.begin_reign(1, 1);
  set(r, "a", "1");
  EXPECT_EQ(r.check_room("b", "1"), errc{});
  set(r, "b", "1");
  EXPECT_EQ(r.check_room("c", "1"), errc::too_many_keys) << "though nothing is published";
  EXPECT_EQ(r.check_room("a", "2"), errc{}) << "the key exists";
  EXPECT_EQ(r.check_room("a", std::string(18, 'x')), errc::too_many_bytes);
  EXPECT_EQ(r.check_room("a", std::string(17, 'x')), errc{});
  r.append({.number = r.end() + 1, .kind = entry_kind::erasure, .key = "a"});
  EXPECT_EQ(r.check_room("c", "1"), errc{});
  set(r, "c", "1");
  publish(r, r.end() - 1);
  EXPECT_EQ(r.check_room("d", "1"), errc::too_many_keys);
  r.append({.number = r.end() + 1,
            .kind = entry_kind::expiry,
            .argument = make_sequence(1, 2),
            .key = "b"});
  EXPECT_EQ(r.check_room("d", "1"), errc{});
  set(r, "b", "2");
  r.append({.number = r.end() + 1,
            .kind = entry_kind::expiry,
            .argument = make_sequence(1, 2),
            .key = "b"});
  EXPECT_EQ(r.check_room("d", "1"), errc::too_many_keys) << "the expiry is of an older value";
  publish(r, r.end());
  EXPECT_EQ(r.check_room("d", "1"), errc::too_many_keys);
}

// With a count of the whole backlog for each update, this test takes minutes.
TEST(chp_replica, near_a_limit_counts_a_long_backlog_twice_at_most) {
  replica_options options;
  constexpr std::size_t backlog = 150'000;
  options.map = {.max_keys = backlog + 1, .max_bytes = std::size_t{1} << 30};
  replica r{options, 1};
  r.begin_reign(1, 1);
  for (std::size_t i = 0; i < backlog; ++i) {
    set(r, std::to_string(i), "1");
    EXPECT_EQ(r.check_room("x", "1"), errc{});
  }
  for (std::size_t i = 0; i < 20'000; ++i) {
    EXPECT_EQ(r.check_room("x", "1"), errc{});
    set(r, "x", "1");
    EXPECT_EQ(r.check_room("y", "1"), errc::too_many_keys);
  }
}

TEST(chp_replica, reads_no_more_updates_when_its_log_is_full) {
  replica_options options;
  options.history.log = {.bytes = 1'000'000, .entries = 4, .segment = 100};
  replica r{options, 1};
  r.begin_reign(1, 1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(r.has_room());
    set(r, "a", "1");
  }
  EXPECT_FALSE(r.has_room());
  r.trim(r.end(), trimmed_to::half);
  EXPECT_FALSE(r.has_room()) << "nothing is published";
  publish(r, r.end());
  r.trim(r.end(), trimmed_to::half);
  EXPECT_TRUE(r.has_room());
}

}  // namespace
}  // namespace chp
