#include "zmtp/access_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace zmtp {
namespace {

using parts = std::vector<std::string>;

constexpr std::uint8_t read = 1;
constexpr std::uint8_t write = 2;

const access_rules some{{{"alice", read, "/a/*"},
                         {"alice", write, "/a/own"},
                         {"bob", read, "*"},
                         {"anonymous", read, "/public/*"},
                         {"*", read, "/help"}}};

TEST(access_rules, without_rules_everything_is_allowed) {
  const access_rules none;
  EXPECT_TRUE(none.permits_all());
  for (const auto* user : {"", "alice", "*"}) {
    EXPECT_TRUE(none.allows(user, read, "/a"));
    EXPECT_TRUE(none.allows_all(user, write, ""));
    EXPECT_EQ(none.allowed_parts(user, write, "/x"), (parts{"/x"}));
  }
}

TEST(access_rules, an_empty_list_of_grants_allows_nothing) {
  const access_rules empty{std::vector<access_grant>{}};
  EXPECT_FALSE(empty.permits_all());
  EXPECT_FALSE(empty.allows("alice", read, "/a"));
  EXPECT_FALSE(empty.allows_all("alice", read, ""));
  EXPECT_EQ(empty.allowed_parts("alice", read, ""), parts{});
}

TEST(access_rules, a_verb_is_allowed_only_as_granted) {
  struct {
    std::string_view user;
    std::uint8_t verb;
    std::string_view name;
    bool allowed;
  } const table[] = {
      {"alice", read, "/a/", true},
      {"alice", read, "/a/x", true},
      {"alice", read, "/a", false},
      {"alice", read, "/ab", false},
      {"alice", write, "/a/own", true},
      {"alice", write, "/a/own/x", false},
      {"alice", write, "/a/", false},
      {"alice", read, "/public/x", false},
      {"alice", read, "/help", true},
      {"Alice", read, "/a/x", false},
      {"alic", read, "/a/x", false},
      {"bob", read, "", true},
      {"bob", read, "/anything", true},
      {"bob", write, "/anything", false},
      {"", read, "/public/x", true},
      {"", read, "/a/x", false},
      {"", read, "/help", true},
      // A user id with the name of a special principal has no more than that principal.
      {"anonymous", read, "/public/x", true},
      {"anonymous", read, "/a/x", false},
      {"*", read, "/help", true},
      {"*", read, "/a/x", false},
      {"mallory", read, "/help", true},
      {"mallory", read, "/help/x", false},
      {"mallory", read, "/public/x", false},
  };
  for (const auto& each : table) {
    EXPECT_EQ(some.allows(each.user, each.verb, each.name), each.allowed)
        << each.user << ' ' << int{each.verb} << ' ' << each.name;
  }
}

TEST(access_rules, all_names_of_a_prefix_need_a_grant_of_a_prefix) {
  EXPECT_TRUE(some.allows_all("alice", read, "/a/"));
  EXPECT_TRUE(some.allows_all("alice", read, "/a/b"));
  EXPECT_FALSE(some.allows_all("alice", read, "/a"));
  EXPECT_FALSE(some.allows_all("alice", read, ""));
  EXPECT_FALSE(some.allows_all("alice", write, "/a/own"));
  EXPECT_FALSE(some.allows_all("alice", read, "/help"));
  EXPECT_TRUE(some.allows_all("bob", read, ""));
}

TEST(access_rules, the_allowed_parts_of_a_prefix_are_inside_it) {
  const access_rules many{{{"a", read, "/x/1/*"},
                           {"a", read, "/x/*"},
                           {"a", read, "/y/*"},
                           {"a", read, "/y/*"},
                           {"*", read, "/x-all/*"},
                           {"b", read, "/b/*"}}};
  EXPECT_EQ(many.allowed_parts("a", read, ""), (parts{"/x-all/", "/x/", "/y/"}));
  EXPECT_EQ(many.allowed_parts("a", read, "/x"), (parts{"/x-all/", "/x/"}));
  EXPECT_EQ(many.allowed_parts("a", read, "/x/"), (parts{"/x/"}));
  EXPECT_EQ(many.allowed_parts("a", read, "/x/1/2"), (parts{"/x/1/2"}));
  EXPECT_EQ(many.allowed_parts("a", read, "/b/"), parts{});
  EXPECT_EQ(many.allowed_parts("b", read, ""), (parts{"/b/", "/x-all/"}));
  EXPECT_EQ(many.allowed_parts("a", write, ""), parts{});
}

TEST(access_guard, reports_each_principal_and_verb_once) {
  using verdict = access_guard::verdict;
  access_guard guard{some};
  EXPECT_EQ(guard.check("alice", read, "/a/x"), verdict::allowed);
  EXPECT_EQ(guard.check("alice", read, "/b"), verdict::refused_first);
  EXPECT_EQ(guard.check("alice", read, "/c"), verdict::refused);
  EXPECT_EQ(guard.check("alice", write, "/c"), verdict::refused_first);
  EXPECT_EQ(guard.check("mallory", read, "/c"), verdict::refused_first);
  EXPECT_EQ(guard.check("", read, "/c"), verdict::refused_first);
  EXPECT_EQ(guard.check("", read, "/c"), verdict::refused);

  guard.change(access_rules{std::vector<access_grant>{}});
  EXPECT_EQ(guard.check("alice", read, "/a/x"), verdict::refused_first);
  guard.change({});
  EXPECT_EQ(guard.check("alice", read, "/a/x"), verdict::allowed);
}

TEST(access_guard, the_memory_of_refusals_is_bounded) {
  using verdict = access_guard::verdict;
  access_guard guard{some};
  for (std::size_t i = 0; i < access_guard::max_reported; ++i) {
    EXPECT_EQ(guard.check("user" + std::to_string(i), write, "/"), verdict::refused_first);
  }
  EXPECT_EQ(guard.check("another", write, "/"), verdict::refused);
}

}  // namespace
}  // namespace zmtp
