#include "chp/acknowledgement.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace chp {
namespace {

TEST(chp_acknowledgement, is_read_as_it_was_written) {
  for (const auto& gaps : {std::vector<counter_range>{}, {{1, 1}}, {{3, 4}, {7, 98}}}) {
    for (const bool degraded : {false, true}) {
      std::string frame;
      append_acknowledgement(frame, 100, gaps, degraded);
      const auto read = find_acknowledgement(frame);
      ASSERT_TRUE(read) << frame;
      EXPECT_EQ(read->counter, 100U);
      EXPECT_EQ(std::vector<counter_range>(read->gaps.begin(), read->gaps.end()), gaps);
      EXPECT_EQ(read->degraded, degraded);
    }
  }
  std::string frame;
  append_acknowledgement(frame, 9, std::vector<counter_range>{{3, 4}, {7, 7}}, true);
  EXPECT_EQ(frame, "ack=9\ngaps=3-4,7-7\ndegraded=1\n");
}

TEST(chp_acknowledgement, is_refused_where_it_makes_no_sense) {
  EXPECT_FALSE(find_acknowledgement(""));
  EXPECT_FALSE(find_acknowledgement("ack=\n"));
  EXPECT_FALSE(find_acknowledgement("ack=x\n"));
  for (const auto gaps : {"x", "0-1", "4-3", "3", "3-", "-3", "3-4,4-5", "3-4,5-6", "5-6,3-4",
                          "9-9", "3-10", "3-4-5"}) {
    EXPECT_FALSE(find_acknowledgement("ack=9\ngaps=" + std::string{gaps} + '\n')) << gaps;
  }
  EXPECT_TRUE(find_acknowledgement("ack=9\ngaps=3-4,6-8\n"));
}

TEST(chp_acknowledgement, has_so_many_gaps_at_most) {
  std::vector<counter_range> gaps;
  for (std::uint64_t i = 0; i < max_gaps; ++i) {
    gaps.push_back({2 * i + 1, 2 * i + 1});
  }
  std::string most;
  append_acknowledgement(most, 1'000, gaps, false);
  EXPECT_TRUE(find_acknowledgement(most));
  gaps.push_back({900, 900});
  std::string more;
  append_acknowledgement(more, 1'000, gaps, false);
  EXPECT_FALSE(find_acknowledgement(more));
}

}  // namespace
}  // namespace chp
