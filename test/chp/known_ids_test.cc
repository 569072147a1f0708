#include "chp/known_ids.h"

#include <gtest/gtest.h>

#include <string>

namespace chp {
namespace {

update_id frame_id(int n) { return update_id::of_frame("id " + std::to_string(n)); }

TEST(chp_known_ids, knows_the_last_ids_up_to_its_limit) {
  known_ids ids{1, 3};
  for (int n = 1; n <= 5; ++n) {
    ids.insert(frame_id(n), static_cast<sequence>(n));
  }
  EXPECT_EQ(ids.size(), 3U);
  EXPECT_FALSE(ids.contains(frame_id(2)));
  EXPECT_TRUE(ids.contains(frame_id(3)));
  EXPECT_TRUE(ids.contains(frame_id(5)));
}

TEST(chp_known_ids, a_repeated_or_empty_id_takes_no_room) {
  known_ids ids{1, 2};
  ids.insert(frame_id(1), 1);
  ids.insert(frame_id(2), 2);
  ids.insert(frame_id(2), 3);
  ids.insert(update_id{}, 4);
  EXPECT_TRUE(ids.contains(frame_id(1)));
  EXPECT_FALSE(ids.contains(update_id{}));
}

TEST(chp_known_ids, hands_out_rows_up_to_a_number_in_pieces) {
  known_ids ids{1, 3};
  for (int n = 1; n <= 5; ++n) {
    ids.insert(frame_id(n), static_cast<sequence>(10 * n));
  }
  std::string rows;
  auto at = ids.append_rows(0, 40, 1, rows);
  EXPECT_EQ(at, 3U) << "the first two are forgotten";
  at = ids.append_rows(at, 40, 100, rows);
  EXPECT_EQ(at, 4U) << "the last is above the number";
  EXPECT_EQ(rows.size(), 2 * known_ids::row_size);
  known_ids other{2, 10};
  EXPECT_EQ(other.insert_rows(rows), errc{});
  EXPECT_TRUE(other.contains(frame_id(3)));
  EXPECT_TRUE(other.contains(frame_id(4)));
  EXPECT_EQ(other.size(), 2U);
}

TEST(chp_known_ids, refuses_rows_that_are_cut_or_empty) {
  known_ids ids{1, 3};
  ids.insert(frame_id(1), 10);
  std::string rows;
  (void)ids.append_rows(0, 40, 1, rows);
  for (std::size_t size = 1; size < rows.size(); ++size) {
    EXPECT_EQ(known_ids(1, 3).insert_rows(std::string_view{rows}.substr(0, size)),
              errc::malformed_session);
  }
  EXPECT_EQ(ids.insert_rows(std::string(known_ids::row_size, '\0')), errc::malformed_session);
}

}  // namespace
}  // namespace chp
