#include "chp/acknowledgement.h"

#include "chp/update_id.h"

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

TEST(chp_acknowledgement, is_rejected_if_it_is_inconsistent) {
  EXPECT_FALSE(find_acknowledgement(""));
  EXPECT_FALSE(find_acknowledgement("ack=\n"));
  EXPECT_FALSE(find_acknowledgement("ack=x\n"));
  for (const auto gaps : {"x", "0-1", "4-3", "3", "3-", "-3", "3-4,4-5", "3-4,5-6", "5-6,3-4",
                          "9-9", "3-10", "3-4-5"}) {
    EXPECT_FALSE(find_acknowledgement("ack=9\ngaps=" + std::string{gaps} + '\n')) << gaps;
  }
  EXPECT_TRUE(find_acknowledgement("ack=9\ngaps=3-4,6-8\n"));
}

TEST(chp_acknowledgement, limits_the_number_of_gaps) {
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

TEST(chp_acknowledgement, names_refused_updates_and_their_reasons) {
  const std::vector<refusal> refused{{{2, 2}, errc::value_too_long}, {{5, 9}, errc::too_many_keys}};
  std::string frame;
  append_acknowledgement(frame, 9, {}, false, refused, 1);
  EXPECT_EQ(frame, "ack=9\nrefused=2-2-value_too_long,5-9-too_many_keys\nunsure=1\n");
  const auto read = find_acknowledgement(frame);
  ASSERT_TRUE(read);
  EXPECT_EQ(std::vector<refusal>(read->refused.begin(), read->refused.end()), refused);
  EXPECT_EQ(read->unsure, 1U);
  const auto newer = find_acknowledgement("ack=1\nrefused=1-1-a_reason_of_later\n");
  ASSERT_TRUE(newer);
  EXPECT_EQ(newer->refused.front().why, errc::refused);
  for (const auto* const wrong : {"x", "1-1", "0-1-too_many_keys", "3-2-too_many_keys",
                                  "8-10-too_many_keys", "5-6-x,6-7-x"}) {
    // A malformed acknowledgement does not count as a commit.
    EXPECT_EQ(find_acknowledgement("ack=9\nrefused=" + std::string{wrong} + '\n').has_value(),
              std::string_view{wrong} == "1-1")
        << wrong;
  }
}

TEST(chp_acknowledgement, reasons_have_names_and_numbers) {
  for (const auto why :
       {errc::too_many_keys, errc::too_many_bytes, errc::value_too_long, errc::key_empty,
        errc::key_too_long, errc::key_with_zero, errc::key_reserved, errc::properties_too_long,
        errc::wrong_sequence_size, errc::refused}) {
    EXPECT_EQ(refusal_of(refusal_name(why)), why);
    EXPECT_EQ(refusal_of(refusal_code(why)), why);
  }
  EXPECT_EQ(refusal_name(errc::not_sent), "refused");
  EXPECT_EQ(refusal_of(std::uint8_t{200}), errc::refused);
}

}  // namespace
}  // namespace chp
