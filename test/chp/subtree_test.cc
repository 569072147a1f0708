#include "chp/subtree.h"

#include "chp/properties.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace chp {
namespace {

std::vector<std::string> directories(std::string_view key) {
  std::vector<std::string> all;
  for_each_directory(key, [&](std::string_view each) { all.emplace_back(each); });
  return all;
}

TEST(chp_subtree, begins_and_ends_with_a_slash) {  // CHP-10
  for (const auto good : {"", "/", "/a/", "/a/b/"}) {
    EXPECT_TRUE(is_subtree(good)) << good;
  }
  for (const auto bad : {"a", "/a", "a/", "//", "/a//b/"}) {
    EXPECT_FALSE(is_subtree(bad)) << bad;
  }
}

TEST(chp_subtree, directories_of_a_key) {
  using all = std::vector<std::string>;
  EXPECT_EQ(directories("/a/b/c"), (all{"/", "/a/", "/a/b/"}));
  EXPECT_EQ(directories("/a"), (all{"/"}));
  EXPECT_EQ(directories("/a/"), (all{"/", "/a/"}));
  EXPECT_EQ(directories("/"), (all{"/"}));
  EXPECT_EQ(directories("a/b"), all{});
  EXPECT_EQ(directories(""), all{});
}

TEST(chp_subtree, counts_are_a_property) {
  std::string properties = "ttl=5\n";
  append_directory_counts(properties, {});
  EXPECT_EQ(properties, "ttl=5\n");
  const std::vector<directory_count> counts{
      {"/", 12}, {"/a/", 3}, {"/a/b/", 18'446'744'073'709'551'615U}};
  append_directory_counts(properties, counts);
  EXPECT_EQ(properties, "ttl=5\nd=/:12,/a/:3,/a/b/:18446744073709551615\n");
  for (const auto& each : counts) {
    EXPECT_EQ(find_directory_count(properties, each.directory), each.count);
  }
  EXPECT_EQ(find_directory_count(properties, "/b/"), std::nullopt);
  EXPECT_EQ(find_directory_count(properties, ""), std::nullopt);
  EXPECT_EQ(find_directory_count("ttl=5\n", "/"), std::nullopt);
}

TEST(chp_subtree, counts_of_names_that_would_divide_them) {
  for (int byte = 1; byte < 256; ++byte) {
    const auto name = std::string{"/x"} + static_cast<char>(byte) + "/";
    std::string frame;
    append_directory_counts(frame, std::vector<directory_count>{{"/", 1}, {name, 2}, {"/y/", 3}});
    const properties all{frame};
    EXPECT_EQ(++all.begin(), all.end()) << byte << ": one property";
    // Python's peers drop a line with more than one '='.
    EXPECT_EQ(std::count(frame.begin(), frame.end(), '='), 1) << byte;
    EXPECT_EQ(find_directory_count(frame, name), 2U) << byte;
    EXPECT_EQ(find_directory_count(frame, "/y/"), 3U) << byte;
  }
}

TEST(chp_subtree, ignores_malformed_counts) {
  for (const auto bad : {"d=", "d=/", "d=/:", "d=/:x", "d=/:1x", "d=:1", "d=,,,", "d", "d=/a:1"}) {
    EXPECT_EQ(find_directory_count(bad, "/"), std::nullopt) << bad;
  }
  EXPECT_EQ(find_directory_count("d=,/:1,", "/"), 1U);
}

}  // namespace
}  // namespace chp
