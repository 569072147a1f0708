#include "zmtp/metadata.h"

#include <gtest/gtest.h>

#include <string>

namespace zmtp {
namespace {

metadata announced(const std::string& list) {
  metadata m;
  m.add("X-Zinc", list);
  return m;
}

TEST(extensions, are_one_property_with_a_list) {
  metadata own;
  own.add("Socket-Type", "DEALER");
  announce_extensions(own, {"capacity=8", "mdp-errors"});
  ASSERT_EQ(own.properties().size(), 2U);
  EXPECT_EQ(own.properties()[1], (metadata::property{"X-Zinc", "capacity=8,mdp-errors"}));
}

TEST(extensions, without_any_there_is_no_property) {
  metadata own;
  announce_extensions(own, {});
  EXPECT_TRUE(own.properties().empty());
}

TEST(extensions, announced_extensions_are_found) {
  metadata peer;
  announce_extensions(peer, {"capacity=8", "mdp-errors", "empty="});
  EXPECT_EQ(find_extension(peer, "capacity"), "8");
  EXPECT_EQ(find_extension(peer, "mdp-errors"), "");
  EXPECT_EQ(find_extension(peer, "empty"), "");
  EXPECT_EQ(find_extension(peer, "capacit"), std::nullopt);
  EXPECT_EQ(find_extension(peer, "capacity=8"), std::nullopt);
  EXPECT_EQ(find_extension(peer, "8"), std::nullopt);
  EXPECT_EQ(find_extension(metadata{}, "capacity"), std::nullopt);
}

TEST(extensions, the_property_name_ignores_case_and_the_extensions_do_not) {
  metadata peer;
  peer.add("x-zinc", "capacity=8");
  EXPECT_EQ(find_extension(peer, "capacity"), "8");
  EXPECT_EQ(find_extension(peer, "Capacity"), std::nullopt);
}

TEST(extensions, the_first_of_two_counts) {
  EXPECT_EQ(find_extension(announced("a=1,a=2"), "a"), "1");
}

TEST(extensions, a_malformed_list_is_read_up_to_the_error) {
  EXPECT_EQ(find_extension(announced(""), "a"), std::nullopt);
  EXPECT_EQ(find_extension(announced(","), "a"), std::nullopt);
  EXPECT_EQ(find_extension(announced(",,a=1,,"), "a"), "1");
  EXPECT_EQ(find_extension(announced("=1,a"), "a"), "");
  EXPECT_EQ(find_extension(announced("a==1,"), "a"), "=1");
  EXPECT_EQ(find_extension(announced(std::string("b\0=2,a=\0", 8)), "a"), std::string(1, '\0'));
  EXPECT_EQ(find_extension(announced(" a=1"), "a"), std::nullopt);
}

}  // namespace
}  // namespace zmtp
