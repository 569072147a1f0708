#include "chp/log_entry.h"

#include "test/chp/update_ids.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace chp {
namespace {

using namespace std::chrono_literals;

using test::some_id;

std::vector<log_entry> example_entries() {
  const auto number = make_sequence(2, 9);
  return {
      {.number = make_sequence(2, 0), .kind = entry_kind::reign, .argument = ~std::uint64_t{0}},
      {.number = number, .key = "k", .value = "v"},
      {.number = number,
       .id = some_id,
       .low = 2,
       .ttl = 5'000ms,
       .key = "k",
       .properties = "ttl=5\n",
       .value = "v"},
      {.number = number,
       .id = update_id::of_frame("x"),
       .key = "key",
       .value = std::string_view{"\0", 1}},
      {.number = number, .kind = entry_kind::erasure, .id = some_id, .low = 1, .key = "k"},
      {.number = number, .kind = entry_kind::expiry, .argument = 8, .key = "k"},
      {.number = number, .kind = entry_kind::refusal, .id = some_id, .low = 3, .argument = 1},
  };
}

std::string record_of(const log_entry& e) {
  std::string bytes;
  append_record(bytes, e);
  return bytes;
}

void expect_equal(const log_entry& a, const log_entry& b) {
  EXPECT_EQ(a.number, b.number);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.argument, b.argument);
  EXPECT_EQ(a.ttl, b.ttl);
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.properties, b.properties);
  EXPECT_EQ(a.value, b.value);
}

TEST(chp_log_entry, survives_its_record) {
  for (const auto& e : example_entries()) {
    const auto bytes = record_of(e) + "rest";
    std::string_view from{bytes};
    const auto parsed = parse_record(from);
    ASSERT_TRUE(parsed);
    expect_equal(*parsed, e);
    EXPECT_EQ(from, "rest");
    from = bytes;
    expect_equal(read_record(from), e);
    EXPECT_EQ(from, "rest");
  }
}

TEST(chp_log_entry, has_the_bytes_that_the_header_describes) {
  const auto bytes =
      record_of({.number = make_sequence(1, 2), .low = 1, .key = "ab", .value = "c"});
  const std::string expected{
      "\0\0\0\x1b\x02\x02\x02\0\0\0\x10\0\0\0\0\x02\0\0\0\0\0\0\0\x01"
      "abc",
      27};
  EXPECT_EQ(bytes, expected);
}

TEST(chp_log_entry, is_refused_when_cut_at_any_byte) {
  for (const auto& e : example_entries()) {
    const auto bytes = record_of(e);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      auto part = std::string_view{bytes}.substr(0, size);
      EXPECT_EQ(parse_record(part).error(), errc::malformed_entry);
      EXPECT_EQ(part.size(), size) << "nothing is taken";
    }
  }
}

TEST(chp_log_entry, is_refused_with_the_name_of_its_fault) {
  const auto fault_of = [](const log_entry& e) {
    const auto bytes = record_of(e);
    std::string_view from{bytes};
    const auto parsed = parse_record(from);
    return parsed ? errc{} : parsed.error();
  };
  const auto n = make_sequence(2, 9);
  EXPECT_EQ(fault_of({.number = max_sequence + 1, .key = "k"}), errc::sequence_too_large);
  EXPECT_EQ(fault_of({.number = 0, .key = "k"}), errc::malformed_entry);
  EXPECT_EQ(fault_of({.number = n, .key = ""}), errc::key_empty);
  EXPECT_EQ(fault_of({.number = n, .key = "HUGZ"}), errc::key_reserved);
  EXPECT_EQ(fault_of({.number = n, .key = std::string_view{"a\0", 2}}), errc::key_with_zero);
  const std::string large(command_limits{}.max_value_size + 1, 'x');
  EXPECT_EQ(fault_of({.number = n, .key = "k", .value = large}), errc{})
      << "a limit that was lowered does not make a record damaged";
  const std::string properties(max_published_properties_size + 1, 'x');
  EXPECT_EQ(fault_of({.number = n, .key = "k", .properties = properties}),
            errc::properties_too_long);
  EXPECT_EQ(fault_of({.number = n, .ttl = -1ms, .key = "k"}), errc::malformed_entry);
  EXPECT_EQ(fault_of({.number = n, .kind = entry_kind::reign, .argument = 1}),
            errc::malformed_entry);
  EXPECT_EQ(fault_of({.number = n, .kind = entry_kind::expiry, .argument = n, .key = "k"}),
            errc::malformed_entry);
  EXPECT_EQ(fault_of({.number = n, .kind = entry_kind::refusal, .argument = 1}),
            errc::malformed_entry);
  EXPECT_EQ(fault_of({.number = n, .kind = entry_kind::erasure, .key = "k", .value = "v"}),
            errc::malformed_entry);
  EXPECT_EQ(fault_of({.number = n, .kind = static_cast<entry_kind>(6), .key = "k"}),
            errc::malformed_entry);
  EXPECT_EQ(fault_of({.number = n, .kind = static_cast<entry_kind>(0), .key = "k"}),
            errc::malformed_entry);
  auto with_ttl = record_of({.number = n, .ttl = 1ms, .key = "k"});
  with_ttl[min_record_size + 7] = 0;
  std::string_view from{with_ttl};
  EXPECT_EQ(parse_record(from).error(), errc::malformed_entry) << "a part that is zero";
}

// Under ASan, every read beyond the bytes is found.
TEST(chp_log_entry, with_changed_bytes_is_refused_or_stays_within_them) {
  std::mt19937 random{1};
  std::size_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto all = example_entries();
    auto bytes = record_of(all[random() % all.size()]);
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const std::vector<char> exact{bytes.begin(), bytes.end()};
    std::string_view from{exact.data(), exact.size()};
    const auto parsed = parse_record(from);
    if (!parsed) {
      ++refused;
      continue;
    }
    for (const auto text : {parsed->key, parsed->properties, parsed->value}) {
      EXPECT_TRUE(text.empty() || (text.data() >= exact.data() &&
                                   text.data() + text.size() <= exact.data() + exact.size()));
    }
  }
  EXPECT_GT(refused, 5'000U);
}

}  // namespace
}  // namespace chp
