#include "chp/entry_log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace chp {
namespace {

constexpr sequence at(std::uint64_t n) { return make_sequence(1, n); }

log_entry entry(std::uint64_t n, std::string_view value = "v") {
  return {.number = at(n), .key = "key", .value = value};
}

// Segments of two entries.
entry_log filled(std::uint64_t count, std::size_t limit = 1'000'000) {
  entry_log log{{.bytes = 1'000'000, .entries = limit, .segment = 2 * record_size(entry(1))}};
  for (std::uint64_t n = 1; n <= count; ++n) {
    log.append(entry(n));
  }
  return log;
}

log_entry next(const entry_log& log, entry_log::cursor& at) {
  log_entry e;
  EXPECT_TRUE(log.read(at, e));
  return e;
}

std::vector<std::uint64_t> rest(const entry_log& log, entry_log::cursor from) {
  std::vector<std::uint64_t> numbers;
  for (log_entry e; log.read(from, e);) {
    numbers.push_back(position_of(e.number));
  }
  EXPECT_TRUE(log.at_end(from));
  return numbers;
}

TEST(chp_entry_log, reads_the_entries_above_a_number) {
  const auto log = filled(5);
  EXPECT_EQ(log.end(), at(5));
  EXPECT_EQ(log.entries(), 5U);
  for (std::uint64_t from = 0; from <= 5; ++from) {
    const auto found = rest(log, log.after(from == 0 ? 0 : at(from)));
    ASSERT_EQ(found.size(), 5 - from);
    EXPECT_TRUE(found.empty() || found.front() == from + 1);
  }
}

TEST(chp_entry_log, reads_several_epochs_in_order) {
  entry_log log;
  log.append({.number = make_sequence(1, 0), .kind = entry_kind::reign, .argument = 1});
  log.append(entry(1));
  log.append({.number = make_sequence(4, 0), .kind = entry_kind::reign, .argument = 2});
  auto from = log.after(at(1));
  EXPECT_EQ(next(log, from).kind, entry_kind::reign);
  EXPECT_TRUE(log.at_end(from));
  EXPECT_TRUE(log.at_end(log.after(make_sequence(4, 0))));
}

TEST(chp_entry_log, steps_by_entries_whatever_their_numbers) {
  auto log = filled(5);
  log.append({.number = make_sequence(4, 0), .kind = entry_kind::reign, .argument = 2});
  EXPECT_EQ(log.step(at(1), at(4), 2), at(3));
  EXPECT_EQ(log.step(at(1), at(4), 3), at(4));
  EXPECT_EQ(log.step(at(3), at(3), 2), at(3));
  EXPECT_EQ(log.step(at(4), at(3), 2), at(3)) << "nothing to do";
  EXPECT_EQ(log.step(0, log.end(), 2), at(2));
  EXPECT_EQ(log.step(at(4), log.end(), 1), at(5));
  EXPECT_EQ(log.step(at(4), log.end(), 2), log.end());
  EXPECT_EQ(log.step(at(5), log.end(), 2), log.end());
}

TEST(chp_entry_log, cursor_at_the_end_sees_what_is_appended_later) {
  auto log = filled(0);
  auto from = log.after(0);
  for (std::uint64_t n = 1; n <= 9; ++n) {
    EXPECT_TRUE(log.at_end(from));
    log.append(entry(n));
    ASSERT_FALSE(log.at_end(from));
    EXPECT_EQ(next(log, from).number, at(n));
  }
}

TEST(chp_entry_log, hands_out_records_of_a_bounded_size) {
  const auto log = filled(5);
  const auto size = record_size(entry(1));
  auto from = log.after(at(1));
  EXPECT_EQ(log.records(from, 10 * size).bytes.size(), size) << "the rest of a segment";
  EXPECT_EQ(log.records(from, 2 * size - 1).bytes.size(), size) << "whole records only";
  EXPECT_EQ(log.records(from, 1).bytes.size(), size) << "but at least one";
  auto [text, last] = log.records(from, 10 * size);
  EXPECT_EQ(last, at(5));
  EXPECT_EQ(read_record(text).number, at(5));
  EXPECT_TRUE(log.records(from, size).bytes.empty());
}

TEST(chp_entry_log, stores_a_record_that_is_larger_than_a_segment) {
  auto log = filled(3);
  const std::string large(10'000, 'x');
  log.append(entry(4, large));
  log.append(entry(5));
  auto from = log.after(at(3));
  EXPECT_EQ(next(log, from).value, large);
  EXPECT_EQ(next(log, from).value, "v");
  EXPECT_GT(log.memory(), large.size());
}

TEST(chp_entry_log, trims_to_half_its_limit_but_nothing_above_the_given_number) {
  auto log = filled(10, 8);
  EXPECT_TRUE(log.is_full());
  EXPECT_FALSE(log.trim(at(1), trimmed_to::half)) << "the first segment has an entry above it";
  EXPECT_TRUE(log.trim(at(3), trimmed_to::half));
  EXPECT_EQ(log.start(), at(2));
  EXPECT_EQ(log.entries(), 8U);
  const auto memory = log.memory();
  EXPECT_TRUE(log.trim(at(10), trimmed_to::half));
  EXPECT_EQ(log.start(), at(6));
  EXPECT_EQ(rest(log, log.after(at(6))), (std::vector<std::uint64_t>{7, 8, 9, 10}));
  EXPECT_EQ(log.memory(), memory / 2);
  EXPECT_FALSE(log.is_full());
  EXPECT_FALSE(log.trim(at(10), trimmed_to::half));
}

TEST(chp_entry_log, trims_to_its_newest_segment_if_nobody_needs_older_ones) {
  auto log = filled(6, 100);
  EXPECT_FALSE(log.trim(at(6), trimmed_to::half));
  EXPECT_TRUE(log.trim(at(3), trimmed_to::newest));
  EXPECT_EQ(log.start(), at(2)) << "the second segment has an entry above 3";
  EXPECT_TRUE(log.trim(at(6), trimmed_to::newest));
  EXPECT_EQ(log.start(), at(4));
  EXPECT_EQ(rest(log, log.after(at(4))), (std::vector<std::uint64_t>{5, 6}));
  EXPECT_FALSE(log.trim(at(6), trimmed_to::newest));
}

TEST(chp_entry_log, is_full_at_either_limit) {
  EXPECT_FALSE(filled(7, 8).is_full());
  EXPECT_TRUE(filled(8, 8).is_full());
  entry_log log{{.bytes = 100, .entries = 1'000, .segment = 10}};
  log.append(entry(1, std::string(61, 'x')));
  EXPECT_FALSE(log.is_full());
  log.append(entry(2));
  EXPECT_TRUE(log.is_full());
}

TEST(chp_entry_log, cursor_behind_a_trimmed_entry_stays_valid) {
  auto log = filled(10, 8);
  auto behind_first_segment = log.after(at(2));
  auto later = log.after(at(8));
  ASSERT_TRUE(log.trim(at(2), trimmed_to::half));
  EXPECT_EQ(rest(log, behind_first_segment).front(), 3U);
  EXPECT_EQ(rest(log, later), (std::vector<std::uint64_t>{9, 10}));
}

TEST(chp_entry_log, restarts_at_a_number_without_entries) {
  auto log = filled(5);
  log.restart(at(100));
  EXPECT_EQ(log.start(), at(100));
  EXPECT_EQ(log.end(), at(100));
  EXPECT_EQ(log.entries(), 0U);
  EXPECT_EQ(log.memory(), 0U);
  auto from = log.after(at(100));
  EXPECT_TRUE(log.at_end(from));
  log.append(entry(101));
  EXPECT_EQ(next(log, from).number, at(101));
}

}  // namespace
}  // namespace chp
