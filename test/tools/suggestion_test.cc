// The word that a mistyped one is nearest to.
#include "tools/zinc/suggestion.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zinc {
namespace {

TEST(typing_distance, counts_what_is_typed_wrongly) {
  EXPECT_EQ(typing_distance("", ""), 0U);
  EXPECT_EQ(typing_distance("broker", "broker"), 0U);
  EXPECT_EQ(typing_distance("broker", ""), 6U);
  EXPECT_EQ(typing_distance("", "broker"), 6U);
  EXPECT_EQ(typing_distance("broke", "broker"), 1U);    // left out
  EXPECT_EQ(typing_distance("brokker", "broker"), 1U);  // added
  EXPECT_EQ(typing_distance("broler", "broker"), 1U);   // replaced
  EXPECT_EQ(typing_distance("borker", "broker"), 1U);   // swapped
  EXPECT_EQ(typing_distance("worker", "broker"), 2U);
}

TEST(nearest, is_the_least_distant_word) {
  const std::vector<std::string> known{"broker", "worker", "request", "titanic"};
  EXPECT_EQ(nearest("brokr", known), "broker");
  EXPECT_EQ(nearest("woker", known), "worker");
  EXPECT_EQ(nearest("rquest", known), "request");
  EXPECT_EQ(nearest("broker", known), "broker");
}

TEST(nearest, is_the_first_of_several) {
  const std::vector<std::string> known{"--bind", "--kind"};
  EXPECT_EQ(nearest("--wind", known), "--bind");
}

TEST(nearest, is_none_if_all_are_too_far) {
  const std::vector<std::string> known{"broker", "worker"};
  EXPECT_FALSE(nearest("serve", known));
  EXPECT_FALSE(nearest("", known));
  EXPECT_FALSE(nearest("broker", {}));
}

}  // namespace
}  // namespace zinc
