#include "tools/zinc/units.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace zinc {
namespace {

using namespace std::chrono_literals;

constexpr duration_range any_duration{0ms, std::chrono::milliseconds::max()};
constexpr size_range any_size{0, std::numeric_limits<std::int64_t>::max()};

template <class Parse>
std::string error_of(Parse parse) {
  try {
    static_cast<void>(parse());
  } catch (const unit_error& e) {
    return e.what();
  }
  return "none";
}
std::string duration_error(std::string_view text, const duration_range& range = any_duration) {
  return error_of([&] { return parse_duration(text, range); });
}
std::string size_error(std::string_view text, const size_range& range = any_size) {
  return error_of([&] { return parse_size(text, range); });
}

TEST(durations, have_a_number_and_a_unit) {
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("5s"), 5s);
  EXPECT_EQ(parse_duration("1m"), 60s);
  EXPECT_EQ(parse_duration("2h"), 2h);
  EXPECT_EQ(parse_duration("7d", any_duration), 168h);
  EXPECT_EQ(parse_duration("0s", any_duration), 0ms);
  EXPECT_EQ(parse_duration("007ms"), 7ms);
}

TEST(durations, may_have_a_fraction_of_whole_milliseconds) {
  EXPECT_EQ(parse_duration("2.5s"), 2'500ms);
  EXPECT_EQ(parse_duration("0.001s"), 1ms);
  EXPECT_EQ(parse_duration("1.50m"), 90s);
  EXPECT_EQ(parse_duration("0.25d"), 6h);
  EXPECT_EQ(parse_duration("1.000000000s"), 1s);
  EXPECT_EQ(parse_duration("1.000005h"), 3'600'018ms);
}

TEST(durations, refuse_fractions_of_a_millisecond) {
  EXPECT_EQ(duration_error("0.5ms"), "'0.5ms' is not a whole number of ms; give fewer decimals");
  EXPECT_EQ(duration_error("1.0001s"),
            "'1.0001s' is not a whole number of ms; give fewer decimals");
  EXPECT_EQ(duration_error("0.00000000000000000000001d"),
            "'0.00000000000000000000001d' is not a whole number of ms; give fewer decimals");
}

TEST(durations, refuse_a_bare_number_with_the_hint) {
  for (const std::string text : {"0", "250", "2500", "2.5"}) {
    EXPECT_EQ(duration_error(text), "'" + text + "' needs a unit: 250ms, 5s, 1m");
  }
}

TEST(durations, refuse_text_that_is_not_a_number) {
  for (const std::string text :
       {"", "soon", "ms", ".5s", "5.s", ".s", "+5s", " 5s", "1e3s", "0x5s"}) {
    const auto error = duration_error(text);
    EXPECT_TRUE(error.find("is not a duration; give for example 250ms, 5s, 1m") != error.npos ||
                error.find("has the unknown unit") != error.npos)
        << error;
  }
  EXPECT_EQ(duration_error(""), "'' is not a duration; give for example 250ms, 5s, 1m");
}

TEST(durations, refuse_unknown_units) {
  for (const std::string unit : {"S", "sec", "us", "min", "w", "s ", " s", "s5", "1m30s", "KiB"}) {
    const auto text = "5" + unit;
    EXPECT_NE(duration_error(text).find("unit"), std::string::npos) << text;
  }
  EXPECT_EQ(duration_error("5 s"), "'5 s' has the unknown unit ' s'; give one of ms, s, m, h, d");
}

TEST(durations, refuse_negative_values) {
  EXPECT_EQ(duration_error("-5s"),
            "'-5s' is negative, which a duration cannot be; give for example 250ms, 5s, 1m");
}

TEST(durations, refuse_overflow) {
  EXPECT_EQ(parse_duration("9223372036854775807ms", any_duration),
            std::chrono::milliseconds::max());
  for (const std::string text : {"9223372036854775808ms", "9223372036854775.808s", "106751991168d",
                                 "99999999999999999999999999s"}) {
    EXPECT_EQ(duration_error(text), "'" + text + "' is too large; give for example 250ms, 5s, 1m");
  }
}

TEST(durations, stay_within_their_range) {
  EXPECT_EQ(parse_duration("1ms"), 1ms);
  EXPECT_EQ(parse_duration("1d"), 24h);
  EXPECT_EQ(duration_error("0s", {}), "'0s' is out of range; give 1ms to 1d");
  EXPECT_EQ(duration_error("25h", {}), "'25h' is out of range; give 1ms to 1d");
}

TEST(durations, are_multiples_of_their_step) {
  const duration_range whole_seconds{.least = 1s, .most = 1h, .step = 1s};
  EXPECT_EQ(parse_duration("1.5m", whole_seconds), 90s);
  EXPECT_EQ(duration_error("2.5s", whole_seconds), "'2.5s' is not a multiple of 1s; round it");
}

TEST(durations, print_as_the_parser_reads_them) {
  EXPECT_EQ(text_of(0ms), "0s");
  EXPECT_EQ(text_of(250ms), "250ms");
  EXPECT_EQ(text_of(1s), "1s");
  EXPECT_EQ(text_of(2'500ms), "2.5s");
  EXPECT_EQ(text_of(1'001ms), "1.001s");
  EXPECT_EQ(text_of(90s), "90s");
  EXPECT_EQ(text_of(1min), "1m");
  EXPECT_EQ(text_of(24h), "1d");
  EXPECT_EQ(text_of(36h), "36h");
  for (const auto value : {1ms, 999ms, 1'999ms, 59'999ms, 60'000ms, 61'000ms, 86'399'999ms}) {
    EXPECT_EQ(parse_duration(text_of(value)), value) << text_of(value);
  }
}

TEST(sizes, have_a_number_and_a_unit) {
  EXPECT_EQ(parse_size("512B"), 512U);
  EXPECT_EQ(parse_size("64KiB"), 65'536U);
  EXPECT_EQ(parse_size("1MiB"), 1'048'576U);
  EXPECT_EQ(parse_size("1GiB"), 1'073'741'824U);
  EXPECT_EQ(parse_size("1TiB"), 1'099'511'627'776U);
  EXPECT_EQ(parse_size("0B", any_size), 0U);
}

TEST(sizes, may_have_a_fraction_of_whole_bytes) {
  EXPECT_EQ(parse_size("1.5KiB"), 1'536U);
  EXPECT_EQ(parse_size("0.25GiB"), 268'435'456U);
  EXPECT_EQ(size_error("0.5B"), "'0.5B' is not a whole number of B; give fewer decimals");
  EXPECT_EQ(size_error("0.1KiB"), "'0.1KiB' is not a whole number of B; give fewer decimals");
}

TEST(sizes, refuse_a_bare_number_with_the_hint) {
  for (const std::string text : {"0", "1000", "16777216", "1.5"}) {
    EXPECT_EQ(size_error(text), "'" + text + "' needs a unit: 512B, 64KiB, 1MiB");
  }
}

TEST(sizes, refuse_text_that_is_not_a_number) {
  for (const std::string text : {"", "much", "KiB", ".5KiB", "+1B"}) {
    EXPECT_EQ(size_error(text), "'" + text + "' is not a size; give for example 512B, 64KiB, 1MiB");
  }
}

TEST(sizes, refuse_unknown_units) {
  EXPECT_EQ(size_error("5MB"),
            "'5MB' has the unknown unit 'MB'; give one of B, KiB, MiB, GiB, TiB");
  for (const std::string unit : {"b", "k", "kib", "KB", "M", " KiB", "KiB ", "PiB", "s"}) {
    EXPECT_NE(size_error("5" + unit).find("has the unknown unit"), std::string::npos) << unit;
  }
}

TEST(sizes, refuse_negative_values) {
  EXPECT_EQ(size_error("-1MiB"),
            "'-1MiB' is negative, which a size cannot be; give for example 512B, 64KiB, 1MiB");
}

TEST(sizes, refuse_overflow) {
  EXPECT_EQ(parse_size("9223372036854775807B", any_size), 9'223'372'036'854'775'807U);
  for (const std::string text :
       {"9223372036854775808B", "8388608TiB", "8388607.9999999TiB", "18446744073709551616B"}) {
    EXPECT_NE(size_error(text), "none") << text;
  }
  EXPECT_EQ(size_error("8388608TiB"),
            "'8388608TiB' is too large; give for example 512B, 64KiB, 1MiB");
}

TEST(sizes, stay_within_their_range) {
  EXPECT_EQ(size_error("0B", {}), "'0B' is out of range; give 1B to 1TiB");
  EXPECT_EQ(size_error("2TiB", {}), "'2TiB' is out of range; give 1B to 1TiB");
  EXPECT_EQ(size_error("2MiB", {.least = 0, .most = 1 << 20}),
            "'2MiB' is out of range; give 0B to 1MiB");
}

TEST(sizes, print_as_the_parser_reads_them) {
  EXPECT_EQ(text_of_size(0), "0B");
  EXPECT_EQ(text_of_size(1'000), "1000B");
  EXPECT_EQ(text_of_size(65'536), "64KiB");
  EXPECT_EQ(text_of_size(std::size_t{64} << 20), "64MiB");
  EXPECT_EQ(text_of_size(std::size_t{1} << 30), "1GiB");
  for (const std::uint64_t value : {1U, 1'023U, 1'024U, 1'536U, 16'777'216U, 16'777'217U}) {
    EXPECT_EQ(parse_size(text_of_size(value)), value) << text_of_size(value);
  }
}

}  // namespace
}  // namespace zinc
