#include "chp/update_id.h"

#include "chp/sequence.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace chp {
namespace {

std::string text_of(const update_id& id) {
  const auto text = id.text();
  return {text.data(), text.size()};
}

TEST(chp_sequence, is_an_epoch_and_a_position) {
  constexpr auto s = make_sequence(3, 7);
  EXPECT_EQ(s, 3 * 0x1000'0000'0000 + 7U);
  EXPECT_EQ(epoch_of(s), 3U);
  EXPECT_EQ(position_of(s), 7U);
  EXPECT_TRUE(has_epoch(s));
  EXPECT_FALSE(has_epoch(0));
  EXPECT_FALSE(has_epoch(max_position));
  EXPECT_TRUE(has_epoch(max_position + 1));
  EXPECT_GT(make_sequence(4, 0), make_sequence(3, max_position));
  EXPECT_EQ(make_sequence(max_epoch, max_position), max_sequence);
  EXPECT_EQ(max_sequence, 0x7fff'ffff'ffff'ffffU) << "peers read it as a signed number";
}

TEST(chp_update_id, an_id_with_a_session_is_a_uuid_of_version_8) {  // CHP-30
  const auto session = update_id::make_session(0x0123'4567'89ab'cdef);
  const auto id = update_id::of_session(session, 1);
  EXPECT_EQ(text_of(id), "01234567-89ab-8def-8000-000000000001");
  EXPECT_TRUE(id.has_session());
  EXPECT_EQ(id.session(), session);
  EXPECT_EQ(id.counter(), 1U);
  EXPECT_EQ(update_id::make_session(session), session);
  const auto last = update_id::of_session(session, update_id::max_counter);
  EXPECT_EQ(last.counter(), update_id::max_counter);
  EXPECT_EQ(text_of(last), "01234567-89ab-8def-bfff-ffffffffffff");
  EXPECT_EQ(update_id::of_frame(id.bytes()), id);
  EXPECT_EQ(id.bytes().size(), 16U);
}

TEST(chp_update_id, a_random_id_has_no_session) {
  const auto id = update_id::of_random(~std::uint64_t{0}, ~std::uint64_t{0});
  EXPECT_EQ(text_of(id), "ffffffff-ffff-4fff-bfff-ffffffffffff");
  EXPECT_FALSE(id.has_session());
  EXPECT_FALSE(update_id::of_random(0, 0).empty());
}

TEST(chp_update_id, a_missing_id_is_empty) {
  EXPECT_TRUE(update_id{}.empty());
  EXPECT_TRUE(update_id::of_frame("").empty());
  EXPECT_FALSE(update_id::of_frame("x").empty());
  EXPECT_FALSE(update_id::of_frame("").has_session());
}

TEST(chp_update_id, an_id_of_another_length_maps_to_a_stable_id_without_session) {  // protocols C5
  std::set<update_id> ids;
  for (std::size_t size = 1; size <= 64; ++size) {
    if (size != update_id::size) {
      const std::string bytes(size, '\0');
      const auto id = update_id::of_frame(bytes);
      EXPECT_FALSE(id.has_session()) << size;
      EXPECT_EQ(id, update_id::of_frame(bytes));
      ids.insert(id);
    }
  }
  EXPECT_EQ(ids.size(), 63U);
  // Two servers of different machines must come to the same.
  EXPECT_EQ(text_of(update_id::of_frame("0123456789abcdef0123456789abcdef")),
            "bc65ea34-1946-f7aa-9146-8a242197e6c0");
}

TEST(chp_update_id, a_counter_of_zero_has_no_session) {
  EXPECT_FALSE(update_id::of_session(update_id::make_session(1), 0).has_session());
}

}  // namespace
}  // namespace chp
