#include "test/support/bytes.h"
#include "zmtp/routing/router_state.h"

#include <gtest/gtest.h>

#include <set>

namespace zmtp {
namespace {

using test::bytes;

constexpr peer_id first{0, 1};
constexpr peer_id second{1, 1};

TEST(identity_table, finds_the_peer_with_a_routing_id) {
  identity_table table;
  EXPECT_EQ(table.find("A"), std::nullopt);
  table.insert("A", first);
  table.insert(std::string(255, 'b'), second);
  EXPECT_EQ(table.find("A"), first);
  EXPECT_EQ(table.find(std::string(255, 'b')), second);
  EXPECT_EQ(table.find(std::string(254, 'b')), std::nullopt);
  EXPECT_EQ(table.find(""), std::nullopt);
}

TEST(identity_table, routing_ids_are_bytes_and_not_text) {
  identity_table table;
  table.insert(bytes("41 00 42"), first);
  table.insert(bytes("41 00 43"), second);
  EXPECT_EQ(table.find(bytes("41 00 42")), first);
  EXPECT_EQ(table.find(bytes("41 00 43")), second);
  EXPECT_EQ(table.find("A"), std::nullopt);
}

TEST(identity_table, removes_an_id_only_for_its_owner) {
  identity_table table;
  table.insert("A", first);
  table.insert("A", second);
  EXPECT_EQ(table.find("A"), second);
  table.erase("A", first);
  EXPECT_EQ(table.find("A"), second);
  table.erase("A", {second.slot, second.generation + 1});
  EXPECT_EQ(table.find("A"), second);
  table.erase("A", second);
  EXPECT_EQ(table.find("A"), std::nullopt);
  table.erase("A", second);
}

TEST(identity_table, generates_ids_from_a_zero_and_a_counter_with_random_start) {
  identity_table table;
  EXPECT_EQ(table.make_up(0x01020304), bytes("00 01 02 03 04"));
  EXPECT_EQ(table.make_up(0xffffffff), bytes("00 01 02 03 05"));
  EXPECT_EQ(table.make_up(0), bytes("00 01 02 03 06"));
}

TEST(identity_table, the_counter_wraps) {
  identity_table table;
  EXPECT_EQ(table.make_up(0xffffffff), bytes("00 ff ff ff ff"));
  EXPECT_EQ(table.make_up(7), bytes("00 00 00 00 00"));
}

TEST(identity_table, never_generates_an_id_in_use) {
  identity_table table;
  table.insert(bytes("00 00 00 00 05"), first);
  table.insert(bytes("00 00 00 00 06"), second);
  EXPECT_EQ(table.make_up(5), bytes("00 00 00 00 07"));
  std::set<std::string> seen;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const auto id = table.make_up(0);
    EXPECT_TRUE(seen.insert(id).second);
    table.insert(id, {i, 2});
  }
}

}  // namespace
}  // namespace zmtp
