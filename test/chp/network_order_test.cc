#include "chp/network_order.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace chp {
namespace {

using namespace std::string_view_literals;

TEST(chp_network_order, appends_and_loads_numbers_with_the_highest_byte_first) {
  std::string bytes;
  append_u64(bytes, 0x0102'0304'0506'0708);
  append_u32(bytes, 0xfffe'fdfc);
  EXPECT_EQ(bytes, "\x01\x02\x03\x04\x05\x06\x07\x08\xff\xfe\xfd\xfc"sv);
  EXPECT_EQ(load_u64(bytes), 0x0102'0304'0506'0708U);
  EXPECT_EQ(load_u32(bytes, 8), 0xfffe'fdfcU);
  EXPECT_EQ(network_number(7).bytes(), "\0\0\0\0\0\0\0\x07"sv);
  EXPECT_EQ(network_number(7, 4).bytes(), "\0\0\0\x07"sv);
}

}  // namespace
}  // namespace chp
