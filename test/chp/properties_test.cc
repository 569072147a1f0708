#include "chp/properties.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace chp {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;
using list = std::vector<property>;

list properties_in(std::string_view frame) {
  list all;
  for (const auto& each : properties{frame}) {
    all.push_back(each);
  }
  return all;
}

TEST(chp_properties, are_read_line_by_line) {  // CHP-23, C1-7
  EXPECT_EQ(properties_in(""), list{});
  EXPECT_EQ(properties_in("ttl=5\n"), (list{{"ttl", "5"}}));
  EXPECT_EQ(properties_in("ttl=5"), (list{{"ttl", "5"}})) << "the last end may be missing";
  EXPECT_EQ(properties_in("a=1\nb=2\n"), (list{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(properties_in("a=1=2\n"), (list{{"a", "1=2"}})) << "the first '=' divides";
  EXPECT_EQ(properties_in("a=\n"), (list{{"a", ""}}));
  EXPECT_EQ(properties_in("a=1\na=2\n"), (list{{"a", "1"}, {"a", "2"}}));
}

TEST(chp_properties, ignore_malformed_lines) {  // C1-18
  EXPECT_EQ(properties_in("t"), list{});
  EXPECT_EQ(properties_in("\n\n\n"), list{});
  EXPECT_EQ(properties_in("=5\n"), list{});
  EXPECT_EQ(properties_in("=\nttl\n=5\nb=2\nx"), (list{{"b", "2"}}));
  EXPECT_EQ(properties_in("\0=\0\n"sv), (list{{"\0"sv, "\0"sv}}));
}

TEST(chp_properties, are_found_by_name) {
  const properties all{"ttl=5\nttl=6\nttlx=7\n"};
  EXPECT_EQ(all.find("ttl"), "5");
  EXPECT_EQ(all.find("ttlx"), "7");
  EXPECT_EQ(all.find("tt"), std::nullopt);
  EXPECT_EQ(all.find(""), std::nullopt);
}

TEST(chp_properties, are_read_as_they_were_written) {
  const list all{{"a", ""}, {"b", "two"}, {std::string_view{"c"}, "3"}};
  std::string frame;
  for (const auto& each : all) {
    append_property(frame, each.name, each.value);
  }
  append_property(frame, "n", ~std::uint64_t{0});
  EXPECT_EQ(frame, "a=\nb=two\nc=3\nn=18446744073709551615\n");
  auto expected = all;
  expected.push_back({"n", "18446744073709551615"});
  EXPECT_EQ(properties_in(frame), expected);
  EXPECT_EQ(parse_number(expected.back().value), ~std::uint64_t{0});
}

TEST(chp_properties, numbers_are_all_digits) {
  EXPECT_EQ(parse_number("0"), 0U);
  for (const auto bad : {"", " 1", "1 ", "-1", "+1", "1.0", "0x1", "18446744073709551616"}) {
    EXPECT_EQ(parse_number(bad), std::nullopt) << bad;
  }
}

TEST(chp_properties, time_to_live_is_seconds_with_a_fraction_perhaps) {  // CHP-32, C1-8
  EXPECT_EQ(parse_ttl("1"), 1s);
  EXPECT_EQ(parse_ttl("30"), 30s);
  EXPECT_EQ(parse_ttl("2.5"), 2500ms);
  EXPECT_EQ(parse_ttl("1e1"), 10s);
  EXPECT_EQ(parse_ttl("0.0001"), 1ms);
  for (const auto none : {"0", "-1", "0.0", "-0", "", "five", "5s", " 5", "nan", "inf", "1e999"}) {
    EXPECT_EQ(parse_ttl(none), std::nullopt) << none;
  }
  EXPECT_EQ(parse_ttl("1e300"), longest_ttl);
  EXPECT_EQ(parse_ttl("9223372036854775807"), longest_ttl);
}

TEST(chp_properties, time_to_live_of_a_guide_server_is_told_by_its_magnitude) {  // C1-2
  const auto now = 1'700'000'000'000ms;
  EXPECT_EQ(parse_guide_ttl("1700000005000", now), 5s) << "C: milliseconds since 1970";
  EXPECT_EQ(parse_guide_ttl("1700000005.5", now), 5500ms) << "Python: seconds since 1970";
  EXPECT_EQ(parse_guide_ttl("5", now), 5s);
  EXPECT_EQ(parse_guide_ttl("1699999999999", now), 1ms) << "passed";
  EXPECT_EQ(parse_guide_ttl("1600000000.0", now), 1ms) << "passed";
  EXPECT_EQ(parse_guide_ttl("0", now), std::nullopt);
  EXPECT_EQ(parse_guide_ttl("", now), std::nullopt);
}

TEST(chp_properties, times_are_written_as_peers_read_them) {
  const auto ttl = [](std::chrono::milliseconds time) {
    std::string frame;
    append_ttl(frame, time);
    return frame;
  };
  EXPECT_EQ(ttl(5s), "ttl=5\n");
  EXPECT_EQ(ttl(4001ms), "ttl=5\n") << "a whole number, never early";
  EXPECT_EQ(ttl(1ms), "ttl=1\n");
  EXPECT_EQ(ttl(0ms), "ttl=1\n") << "0 would be no expiry";
  EXPECT_EQ(ttl(-5s), "ttl=1\n");
}

}  // namespace
}  // namespace chp
