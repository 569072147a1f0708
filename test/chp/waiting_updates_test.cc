#include "chp/waiting_updates.h"

#include <gtest/gtest.h>

#include <string>

namespace chp {
namespace {

log_entry of(const std::string& id, std::string_view value = "v") {
  return {.id = update_id::of_frame(id), .key = "k", .value = value};
}
std::string taken(waiting_updates& from) {
  std::string values;
  from.take([&](const log_entry& e) { values += e.value; });
  return values;
}

TEST(chp_waiting_updates, are_taken_in_the_order_of_arrival_unless_removed) {
  waiting_updates all{1, 10'000};
  EXPECT_EQ(all.add(of("a", "1")), 0U);
  EXPECT_EQ(all.add(of("b", "2")), 0U);
  EXPECT_EQ(all.add(of("c", "3")), 0U);
  EXPECT_EQ(all.add(of("a", "4")), 0U) << "a copy of the first";
  all.remove(update_id::of_frame("b"));
  all.remove(update_id::of_frame("x"));
  EXPECT_EQ(all.size(), 2U);
  EXPECT_EQ(taken(all), "13");
  EXPECT_EQ(all.size(), 0U);
  EXPECT_EQ(all.bytes(), 0U);
  EXPECT_EQ(taken(all), "");
}

TEST(chp_waiting_updates, drop_the_oldest_above_the_limit) {
  waiting_updates one{1, 10'000};
  EXPECT_EQ(one.add(of("a", "1")), 0U);
  const auto size = one.bytes();
  waiting_updates all{1, 2 * size};
  EXPECT_EQ(all.add(of("a", "1")) + all.add(of("b", "2")), 0U);
  EXPECT_EQ(all.add(of("c", "3")), 1U);
  EXPECT_EQ(all.bytes(), 2 * size);
  EXPECT_EQ(taken(all), "23");
}

}  // namespace
}  // namespace chp
