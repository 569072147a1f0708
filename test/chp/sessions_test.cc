#include "chp/sessions.h"

#include "chp/answers.h"
#include "test/chp/update_ids.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace chp {
namespace {

using test::session_id;
using verdict = sessions::verdict;

log_entry entry(sequence number, std::uint64_t of, std::uint64_t counter, std::uint64_t low = 1) {
  return {.number = number, .id = session_id(of, counter), .low = low, .key = "k", .value = "v"};
}
log_entry refusal_entry(sequence number, std::uint64_t of, std::uint64_t counter, errc why) {
  return {.number = number,
          .kind = entry_kind::refusal,
          .id = session_id(of, counter),
          .low = 1,
          .argument = refusal_code(why)};
}

TEST(chp_sessions, executes_counters_in_order_and_each_once) {
  sessions all{1};
  EXPECT_EQ(all.decide(session_id(1, 1), 1, 0).what, verdict::execute);
  EXPECT_EQ(all.decide(session_id(1, 2), 1, 0).what, verdict::early);
  all.note(entry(7, 1, 1));
  const auto again = all.decide(session_id(1, 1), 1, 0);
  EXPECT_EQ(again.what, verdict::known);
  EXPECT_EQ(again.known, (entry_outcome{7, errc{}}));
  EXPECT_EQ(all.decide(session_id(1, 2), 1, 0).what, verdict::execute);
  EXPECT_EQ(all.decide(session_id(1, 3), 1, 0).what, verdict::early);
  EXPECT_EQ(all.decide(session_id(2, 1), 1, 0).what, verdict::execute) << "another session";
}

TEST(chp_sessions, repeats_a_refusal_with_its_reason) {
  sessions all{1};
  all.note(refusal_entry(3, 1, 1, errc::too_many_keys));
  all.note(refusal_entry(4, 1, 2, errc::refused));
  EXPECT_EQ(all.decide(session_id(1, 1), 1, 0).known, (entry_outcome{3, errc::too_many_keys}));
  EXPECT_EQ(all.decide(session_id(1, 2), 1, 0).known, (entry_outcome{4, errc::refused}));
}

TEST(chp_sessions, forgets_outcomes_below_low_and_executes_nothing_there) {
  sessions all{1};
  all.note(entry(1, 1, 1));
  all.note(entry(2, 1, 2));
  all.note(entry(3, 1, 3, 3));
  EXPECT_EQ(all.decide(session_id(1, 2), 1, 0).what, verdict::over) << "a late copy";
  EXPECT_EQ(all.decide(session_id(1, 3), 1, 0).what, verdict::known);
  EXPECT_EQ(all.decide(session_id(1, 9), 9, 0).what, verdict::execute)
      << "the client needs none before it";
  all.note(entry(4, 1, 9, 9));
  EXPECT_EQ(all.decide(session_id(1, 5), 1, 0).what, verdict::over);
  EXPECT_EQ(all.decide(session_id(1, 10), 9, 0).what, verdict::execute);
}

TEST(chp_sessions, above_the_limit_forgets_the_oldest_and_says_so) {
  sessions all{1, {.max_sessions = 2}};
  all.note(entry(1, 1, 1));
  all.note(entry(2, 2, 1));
  all.note(entry(3, 1, 2));
  EXPECT_EQ(all.forgotten(), 0U);
  all.note(entry(4, 3, 1));
  EXPECT_EQ(all.size(), 2U);
  EXPECT_EQ(all.forgotten(), 2U) << "session 2 was without an entry for longest";
  EXPECT_EQ(all.decide(session_id(2, 2), 1, 1).what, verdict::unknown);
  EXPECT_EQ(all.decide(session_id(4, 1), 1, 2).what, verdict::execute) << "it began later";
  EXPECT_EQ(all.decide(session_id(1, 3), 1, 0).what, verdict::execute) << "it is known";
}

TEST(chp_sessions, a_session_with_too_many_outcomes_has_to_wait) {
  sessions all{1, {.max_outcomes = 2}};
  all.note(entry(1, 1, 1));
  all.note(entry(2, 1, 2));
  EXPECT_EQ(all.decide(session_id(1, 3), 1, 0).what, verdict::full);
  EXPECT_EQ(all.decide(session_id(1, 3), 2, 0).what, verdict::execute)
      << "the client needs the first no more";
}

// The entries of a server of the Guide.
TEST(chp_sessions, entries_without_low_leave_the_last_outcomes) {
  const session_limits limits{.max_outcomes = 2, .max_all_outcomes = 3};
  sessions all{1, limits};
  for (std::uint64_t n = 1; n <= 5; ++n) {
    all.note(entry(n, 1, n, 0));
  }
  all.note(entry(6, 2, 1));
  EXPECT_EQ(all.size(), 2U) << "they have three outcomes";
  EXPECT_EQ(all.decide(session_id(1, 3), 1, 0).what, verdict::unknown);
  EXPECT_EQ(all.decide(session_id(1, 4), 1, 0).known, (entry_outcome{4, errc{}}));
  EXPECT_EQ(all.decide(session_id(1, 6), 4, 0).what, verdict::full);
  EXPECT_EQ(all.decide(session_id(1, 6), 5, 0).what, verdict::execute);
  std::string rows;
  std::size_t at = 0;
  EXPECT_FALSE(all.append_rows(at, SIZE_MAX, rows));
  std::string_view left{rows};
  sequence last = 0;
  sessions loaded{1, limits};
  EXPECT_EQ(loaded.insert_row(left, last), errc{}) << "a store with these sessions can be loaded";
  EXPECT_EQ(loaded.decide(session_id(1, 4), 1, 0).known, (entry_outcome{4, errc{}}));
}

TEST(chp_sessions, above_the_limit_of_all_outcomes_forgets_another_session) {
  sessions all{1, {.max_all_outcomes = 3}};
  all.note(entry(1, 1, 1));
  for (std::uint64_t n = 1; n <= 5; ++n) {
    all.note(entry(1 + n, 2, n));
  }
  EXPECT_EQ(all.size(), 1U);
  EXPECT_EQ(all.forgotten(), 1U);
  EXPECT_EQ(all.decide(session_id(2, 6), 1, 0).what, verdict::execute) << "its own session stays";
}

TEST(chp_sessions, a_record_that_begins_late_knows_nothing_of_earlier_counters) {
  sessions all{1};
  all.note(entry(9, 1, 5, 2));
  EXPECT_EQ(all.decide(session_id(1, 3), 2, 0).what, verdict::unknown);
  EXPECT_EQ(all.decide(session_id(1, 5), 2, 0).what, verdict::known);
  EXPECT_EQ(all.decide(session_id(1, 6), 2, 0).what, verdict::execute);
}

errc insert(sessions& to, std::string_view& rows) {
  sequence last = 0;
  return to.insert_row(rows, last);
}

std::string rows_of(const sessions& all, std::size_t most = 1'000'000) {
  std::string rows;
  std::size_t at = 0;
  while (all.append_rows(at, most, rows)) {
  }
  return rows;
}

TEST(chp_sessions, survive_their_rows_and_the_entries_around_them) {
  sessions all{1};
  std::vector<log_entry> log;
  for (sequence n = 1; n <= 40; ++n) {
    log.push_back(n % 7 == 0 ? refusal_entry(n, n % 4, 1 + n / 4, errc::too_many_bytes)
                             : entry(n, n % 4, 1 + n / 4));
    log.back().id = session_id(n % 4, 1 + (n - (n % 4 == 0 ? 4 : n % 4)) / 4);
    if (n <= 25) {
      all.note(log.back());
    }
  }
  auto text = rows_of(all, 50);
  sessions copy{2};
  std::string_view rows{text};
  while (!rows.empty()) {
    ASSERT_EQ(insert(copy, rows), errc{});
  }
  // Entries that the rows have are noted again, as after a restart.
  for (sequence n = 10; n <= 40; ++n) {
    copy.note(log[n - 1]);
    if (n > 25) {
      all.note(log[n - 1]);
    }
  }
  for (std::uint64_t of = 0; of < 4; ++of) {
    for (std::uint64_t counter = 1; counter <= 12; ++counter) {
      const auto expected = all.decide(session_id(of, counter), 1, 0);
      const auto found = copy.decide(session_id(of, counter), 1, 0);
      EXPECT_EQ(expected.what, found.what) << of << ' ' << counter;
      EXPECT_EQ(expected.known, found.known);
    }
  }
}

// Otherwise a store would count as damaged.
TEST(chp_sessions, take_rows_with_more_outcomes_than_a_limit_that_was_lowered) {
  sessions all{1};
  for (sequence n = 1; n <= 5; ++n) {
    all.note(entry(n, 1, n));
  }
  const auto row = rows_of(all);
  sessions other{1, {.max_outcomes = 2}};
  std::string_view from{row};
  EXPECT_EQ(insert(other, from), errc{});
  EXPECT_EQ(other.decide(session_id(1, 5), 1, 0).what, sessions::verdict::known);
  EXPECT_EQ(other.decide(session_id(1, 6), 1, 0).what, sessions::verdict::full);
  EXPECT_EQ(other.decide(session_id(1, 6), 5, 0).what, sessions::verdict::execute);
}

TEST(chp_sessions, refuse_rows_that_are_cut_or_changed) {
  sessions all{1};
  all.note(entry(1, 1, 1));
  all.note(refusal_entry(2, 1, 2, errc::refused));
  const auto row = rows_of(all);
  for (std::size_t size = 1; size < row.size(); ++size) {
    sessions other{1};
    std::string_view part{row.data(), size};
    EXPECT_EQ(insert(other, part), errc::malformed_session) << size;
    EXPECT_EQ(other.size(), 0U);
  }
  std::string_view twice{row};
  EXPECT_EQ(insert(all, twice), errc::malformed_session) << "a session that is known";
  std::mt19937 random{1};
  for (int i = 0; i < 10'000; ++i) {
    auto changed = row;
    changed[random() % changed.size()] = static_cast<char>(random());
    sessions other{1};
    std::string_view from{changed};
    if (insert(other, from) == errc{}) {
      EXPECT_EQ(other.size(), 1U);
    }
  }
}

TEST(chp_sessions, hand_a_store_the_rows_that_a_trimmed_entry_has_changed) {
  sessions all{1};
  all.note(entry(1, 1, 1));
  all.note(entry(2, 2, 1));
  all.note(entry(3, 1, 2));
  all.note(entry(4, 3, 1));
  std::string rows;
  all.take_changed(2, rows);
  sessions copy{1};
  std::string_view from{rows};
  ASSERT_EQ(insert(copy, from), errc{});
  ASSERT_EQ(insert(copy, from), errc{});
  EXPECT_TRUE(from.empty());
  EXPECT_EQ(copy.decide(session_id(1, 2), 1, 0).what, verdict::known)
      << "a row has all of its session";
  rows.clear();
  all.take_changed(3, rows);
  EXPECT_TRUE(rows.empty());
  all.note(entry(5, 1, 3));
  all.take_changed(9, rows);
  from = rows;
  sessions later{1};
  ASSERT_EQ(insert(later, from), errc{});
  ASSERT_EQ(insert(later, from), errc{});
  EXPECT_TRUE(from.empty());
  all.note(entry(6, 3, 2));
  all.forget_changed(6);
  rows.clear();
  all.take_changed(9, rows);
  EXPECT_TRUE(rows.empty());
}

}  // namespace
}  // namespace chp
