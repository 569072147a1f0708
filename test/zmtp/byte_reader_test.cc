#include "test/support/bytes.h"
#include "zmtp/frame.h"

#include <gtest/gtest.h>

namespace zmtp {
namespace {

using test::bytes;

TEST(byte_reader, numbers_are_in_network_order) {
  const auto text = bytes("80 01 02 ff fe fd fc 01 02 03 04 05 06 07 08");
  byte_reader reader{text};
  EXPECT_EQ(reader.number(1), 0x80U);
  EXPECT_EQ(reader.number(2), 0x0102U);
  EXPECT_EQ(reader.number(4), 0xfffefdfcU);
  EXPECT_EQ(reader.number(8), 0x0102030405060708U);
  EXPECT_TRUE(reader.empty());
}

TEST(byte_reader, an_incomplete_field_is_not_read_and_takes_nothing) {
  const auto text = bytes("03 'ab'");
  byte_reader reader{text};
  EXPECT_FALSE(reader.sized(1));
  EXPECT_FALSE(reader.sized(4));
  EXPECT_FALSE(reader.number(4));
  EXPECT_FALSE(reader.take(4));
  EXPECT_FALSE(reader.take(~std::uint64_t{0}));
  EXPECT_EQ(reader.rest(), text);
}

TEST(byte_reader, sized_fields_end_where_their_length_says) {
  const auto text = bytes("02 'ab' 00 00 00 01 'c' 00 'd'");
  byte_reader reader{text};
  EXPECT_EQ(reader.sized(1), "ab");
  EXPECT_EQ(reader.sized(4), "c");
  EXPECT_EQ(reader.sized(1), "");
  EXPECT_EQ(reader.take(0), "");
  EXPECT_EQ(reader.rest(), "d");
}

TEST(byte_reader, a_length_near_the_top_of_its_type_is_cut_short) {
  const auto text = bytes("ff*8 'a'");
  byte_reader reader{text};
  EXPECT_FALSE(reader.sized(8));
  EXPECT_FALSE(reader.sized(4));
  EXPECT_FALSE(reader.sized(1));
  EXPECT_EQ(reader.rest(), text);
}

}  // namespace
}  // namespace zmtp
