#include "chp/answers.h"

#include "chp/update_id.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace chp {
namespace {

TEST(chp_answers, are_read_as_they_are_written) {
  const std::vector<answer_range> all{
      {{1, 1}, 7, truth::one_server, {}},
      {{2, 40}, max_sequence, truth::both_disks, {}},
      {{41, update_id::max_counter}, 0, truth::one_disk, errc::too_many_keys},
      {{3, 3}, 9, truth::both_servers, errc::refused}};
  std::string properties = "degraded=1\n";
  append_answers(properties, all);
  EXPECT_EQ(properties.substr(11, 34), "answers=1-1-7-one_server,2-40-9223");
  EXPECT_TRUE(properties.ends_with(",3-3-9-both_servers-refused\n"));
  EXPECT_EQ(find_answers(properties), all);
}

TEST(chp_answers, a_reason_of_a_later_version_counts_as_refused) {
  const auto found = find_answers("answers=4-4-2-one_disk-too_late\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at(0).why, errc::refused);
}

TEST(chp_answers, malformed_ones_count_as_none) {
  EXPECT_FALSE(find_answers(""));
  EXPECT_FALSE(find_answers("ack=3\n"));
  for (const std::string bad :
       {"1", "1-1", "1-1-7", "1-1-7-", "1-1-7-three_servers", "0-1-7-one_server",
        "2-1-7-one_server", "x-1-7-one_server", "1-1-7-one_server,,",
        "1-1-9223372036854775808-one_server", "1-1-7-one_server,2"}) {
    EXPECT_FALSE(find_answers("answers=" + bad + "\n")) << bad;
  }
}

TEST(chp_answers, reasons_of_refusals_have_names_and_numbers) {
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

// As clients of the version before read it.
TEST(chp_acknowledgement, has_a_line_for_each_part_that_is_not_empty) {
  const auto line = [](const acknowledgement& of) {
    std::string frame;
    append_acknowledgement(frame, of);
    return frame;
  };
  EXPECT_EQ(line({.counter = 9}), "ack=9\n");
  EXPECT_EQ(line({.counter = 9, .degraded = true}), "ack=9\ndegraded=1\n");
  const std::vector<refusal> refused{{{2, 2}, errc::value_too_long}, {{5, 9}, errc::too_many_keys}};
  EXPECT_EQ(line({.counter = 9, .refused = refused, .unsure = 1}),
            "ack=9\nrefused=2-2-value_too_long,5-9-too_many_keys\nunsure=1\n");
}

TEST(chp_truth, is_converted_by_the_name_of_the_enumerator) {
  for (const auto each : {truth::unknown, truth::one_server, truth::one_disk, truth::both_servers,
                          truth::both_disks}) {
    EXPECT_EQ(parse_truth(to_string(each)), each);
  }
  EXPECT_EQ(to_string(truth::both_disks), "both_disks");
  EXPECT_FALSE(parse_truth("both"));
  EXPECT_FALSE(parse_truth(""));
  EXPECT_FALSE(is_on_both(truth::unknown));
  EXPECT_FALSE(is_on_both(truth::one_disk));
  EXPECT_TRUE(is_on_both(truth::both_servers));
}

}  // namespace
}  // namespace chp
