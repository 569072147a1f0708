#include "chp/lineage.h"

#include <gtest/gtest.h>

#include <string>

namespace chp {
namespace {

constexpr sequence at(std::uint64_t epoch, std::uint64_t n) { return make_sequence(epoch, n); }

lineage of(const std::vector<reign>& rows) {
  lineage result;
  for (const auto& each : rows) {
    result.begin_reign(each.epoch, each.tag, make_sequence(each.epoch, 0));
    result.extend(each.last);
  }
  return result;
}

TEST(chp_lineage, contains_a_place_by_epoch_tag_and_number) {
  const auto history = of({{1, 11, at(1, 5)}, {3, 33, at(3, 2)}});
  EXPECT_TRUE(history.contains({1, 11, at(1, 5)}));
  EXPECT_TRUE(history.contains({3, 33, at(3, 0)}));
  EXPECT_FALSE(history.contains({1, 11, at(1, 6)})) << "above the last number of that reign";
  EXPECT_FALSE(history.contains({1, 12, at(1, 1)})) << "another reign of that epoch";
  EXPECT_FALSE(history.contains({2, 22, at(2, 1)}));
  EXPECT_TRUE(history.contains({})) << "the place before the first entry";
  EXPECT_TRUE(lineage{}.contains({9, 9, 0}));
}

TEST(chp_lineage, finds_the_place_of_a_number) {
  const auto history = of({{1, 11, at(1, 5)}, {3, 33, at(3, 2)}});
  EXPECT_EQ(history.place_of(at(3, 1)), (position{3, 33, at(3, 1)}));
  EXPECT_EQ(history.place_of(at(1, 4)), (position{1, 11, at(1, 4)}));
  EXPECT_EQ(history.place_of(at(2, 1)), position{});
}

TEST(chp_lineage, has_a_common_point_with_another_history) {
  const auto base = of({{1, 11, at(1, 5)}, {3, 33, at(3, 7)}});
  EXPECT_EQ(common_point(base, base), at(3, 7));
  EXPECT_EQ(common_point(base, of({{1, 11, at(1, 5)}, {3, 33, at(3, 4)}, {4, 44, at(4, 1)}})),
            at(3, 4));
  EXPECT_EQ(common_point(base, of({{1, 11, at(1, 3)}})), at(1, 3));
  EXPECT_EQ(common_point(base, of({{1, 11, at(1, 5)}, {3, 34, at(3, 9)}})), at(1, 5))
      << "two reigns of one epoch";
  EXPECT_EQ(common_point(of({{1, 11, at(1, 2)}, {2, 22, at(2, 9)}}), base), at(1, 2));
  EXPECT_EQ(common_point(base, of({{1, 12, at(1, 5)}})), 0U);
  EXPECT_EQ(common_point(base, {}), 0U);
}

TEST(chp_lineage, keeps_a_bounded_number_of_reigns_and_finds_the_newest_common_one) {
  lineage a;
  for (std::uint64_t epoch = 1; epoch <= lineage::max_reigns + 5; ++epoch) {
    a.begin_reign(epoch, epoch, at(epoch, 0));
  }
  EXPECT_EQ(a.rows().size(), lineage::max_reigns);
  EXPECT_FALSE(a.contains({5, 5, at(5, 0)}));
  auto b = a;
  b.begin_reign(lineage::max_reigns + 9, 1, at(lineage::max_reigns + 9, 0));
  EXPECT_EQ(common_point(a, b), at(lineage::max_reigns + 5, 0));
}

TEST(chp_lineage, survives_the_wire_and_refuses_invalid_rows) {
  const auto history = of({{1, 11, at(1, 5)}, {3, ~std::uint64_t{0}, at(3, 2)}});
  std::string bytes;
  history.append_to(bytes);
  ASSERT_EQ(bytes.size(), 48U);
  EXPECT_EQ(lineage::parse(bytes).value(), history);
  EXPECT_EQ(lineage::parse("").value(), lineage{});
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_EQ(lineage::parse(std::string_view{bytes}.substr(0, size)).has_error(), size != 24)
        << size;
  }
  const auto bad = [](const std::vector<reign>& rows) {
    lineage l;
    for (const auto& each : rows) {
      l.begin_reign(each.epoch, each.tag, each.last);
    }
    std::string text;
    l.append_to(text);
    return lineage::parse(text).has_error();
  };
  EXPECT_FALSE(bad({{0, 7, 3}})) << "a history without epochs";
  EXPECT_TRUE(bad({{1, 1, at(2, 0)}})) << "a number of another epoch";
  EXPECT_TRUE(bad({{2, 1, at(2, 0)}, {1, 1, at(1, 0)}})) << "falling epochs";
  EXPECT_TRUE(bad({{2, 1, at(2, 0)}, {2, 2, at(2, 1)}})) << "one epoch twice";
  EXPECT_TRUE(bad({{max_epoch + 1, 1, at(max_epoch + 1, 0)}}));
}

}  // namespace
}  // namespace chp
