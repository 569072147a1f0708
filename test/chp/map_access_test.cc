#include "chp/map_access.h"

#include "test/chp/map_rights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace chp {
namespace {

using test::read;
using test::write;

constexpr zmtp::peer_id one{0, 7};
constexpr zmtp::peer_id two{1, 7};

using lines = std::vector<std::string>;

zmtp::access_rules some_rules() {
  return zmtp::access_rules{{{"alice", read, "/a/*"},
                             {"alice", read, "/shared/*"},
                             {"alice", write, "/a/*"},
                             {"backup", read, "*"},
                             {"backup", write, "*"},
                             {"reader", read, "*"}}};
}

class map_access_rules : public testing::Test {
public:
  // Each change as `+topic` or `-topic`, in order of topics.
  lines changes() {
    lines all;
    for (const auto& each : out) {
      all.push_back((each.begins ? '+' : '-') + each.topic);
    }
    out.clear();
    std::sort(all.begin(), all.end());
    return all;
  }

  map_access access{some_rules()};
  std::vector<map_access::subscription> out;
  std::vector<zmtp::peer_id> lost;
};

TEST_F(map_access_rules, a_subscription_is_cut_to_what_may_be_read) {
  struct {
    std::string_view user;
    std::string_view topic;
    lines sent;
  } const table[] = {
      {"alice", "/a/", {"+/a/"}},
      {"alice", "/a/b", {"+/a/b"}},
      {"alice", "", {"+/a/", "+/shared/", "+HUGZ"}},
      {"alice", "/", {"+/a/", "+/shared/"}},
      {"alice", "/b/", {}},
      {"alice", "HUGZ", {"+HUGZ"}},
      {"alice", "H", {"+HUGZ"}},
      {"reader", "", {"+"}},
      {"", "", {"+HUGZ"}},
      {"mallory", "/a/", {}},
  };
  std::uint32_t slot = 10;
  for (const auto& each : table) {
    const zmtp::peer_id peer{slot++, 1};
    EXPECT_TRUE(access.attach_subscriber(peer, each.user, false, std::nullopt));
    access.subscribe(peer, each.topic, out);
    EXPECT_EQ(changes(), each.sent) << each.user << ' ' << each.topic;
  }
  EXPECT_EQ(access.counters().subscriptions, 4U);
}

TEST_F(map_access_rules, a_client_that_detects_gaps_gets_all_of_a_subtree_or_nothing) {
  EXPECT_TRUE(access.attach_subscriber(one, "alice", true, 5));
  access.subscribe(one, "", out);
  access.subscribe(one, "/", out);
  EXPECT_EQ(changes(), lines{"+HUGZ"});
  access.subscribe(one, "/a/", out);
  EXPECT_EQ(changes(), lines{"+/a/"});
  EXPECT_EQ(access.counters().subscriptions, 2U);
}

TEST_F(map_access_rules, topics_that_overlap_end_with_the_last_one) {
  EXPECT_TRUE(access.attach_subscriber(one, "alice", false, std::nullopt));
  access.subscribe(one, "", out);
  access.subscribe(one, "/a/", out);
  access.subscribe(one, "/a/", out);
  EXPECT_EQ(changes(), (lines{"+/a/", "+/shared/", "+HUGZ"}));
  access.cancel(one, "", out);
  EXPECT_EQ(changes(), (lines{"-/shared/", "-HUGZ"}));
  access.cancel(one, "", out);
  access.cancel(one, "/never/", out);
  access.cancel(two, "/a/", out);
  EXPECT_EQ(changes(), lines{});
  access.cancel(one, "/a/", out);
  EXPECT_EQ(changes(), lines{"-/a/"});
}

TEST_F(map_access_rules, new_rules_change_existing_subscriptions) {
  EXPECT_TRUE(access.attach_subscriber(one, "alice", false, std::nullopt));
  EXPECT_TRUE(access.attach_subscriber(two, "reader", false, std::nullopt));
  access.subscribe(one, "", out);
  access.subscribe(two, "/x/", out);
  out.clear();
  access.change(
      zmtp::access_rules{
          {{"alice", read, "/a/*"}, {"alice", read, "/new/*"}, {"reader", read, "*"}}},
      out, lost);
  EXPECT_EQ(changes(), (lines{"+/new/", "-/shared/"}));
  access.cancel(one, "", out);
  EXPECT_EQ(changes(), (lines{"-/a/", "-/new/", "-HUGZ"}));
}

TEST_F(map_access_rules, a_client_that_detects_gaps_loses_all_of_its_subtree) {
  EXPECT_TRUE(access.attach_subscriber(one, "alice", true, 5));
  EXPECT_TRUE(access.attach_subscriber(two, "alice", true, 6));
  access.subscribe(one, "/a/b/", out);
  access.subscribe(one, "HUGZ", out);
  access.subscribe(two, "/shared/", out);
  access.change(zmtp::access_rules{{{"alice", read, "/a/*"}, {"alice", read, "/new/*"}}}, out,
                lost);
  EXPECT_EQ(lost, std::vector{two});
  access.change(zmtp::access_rules{{{"alice", read, "/a/b/c/*"}}}, out, lost);
  EXPECT_EQ(lost, (std::vector{two, one})) << "a part is not enough";
}

TEST_F(map_access_rules, updates_need_the_right_to_write) {
  EXPECT_TRUE(access.may_write("alice", "/a/x"));
  EXPECT_FALSE(access.may_write("alice", "/shared/x"));
  EXPECT_FALSE(access.may_write("", "/a/x"));
  EXPECT_FALSE(access.may_write("reader", "/a/x"));
  EXPECT_TRUE(access.may_write("backup", "anything"));
  // Every subscriber of heartbeats would get it.
  EXPECT_FALSE(access.may_write("backup", "HUGZ and more"));
  EXPECT_EQ(access.counters().updates, 4U);
}

TEST_F(map_access_rules, a_copy_of_the_log_needs_all_rights) {
  EXPECT_TRUE(access.may_copy("backup"));
  EXPECT_FALSE(access.may_copy("reader"));
  EXPECT_FALSE(access.may_copy("alice"));
  EXPECT_EQ(access.counters().backups, 2U);
}

TEST_F(map_access_rules, a_snapshot_needs_the_right_to_read) {
  EXPECT_TRUE(access.may_read("alice", false, ""));
  EXPECT_FALSE(access.may_read("alice", true, ""));
  EXPECT_TRUE(access.may_read("alice", true, "/a/b/"));
  EXPECT_FALSE(access.may_read("alice", false, "/b/"));
  EXPECT_EQ(access.counters().snapshots, 2U);
}

TEST_F(map_access_rules, a_session_belongs_to_the_principal_that_subscribed_with_it_first) {
  EXPECT_TRUE(access.attach_subscriber(one, "alice", true, 5));
  EXPECT_FALSE(access.attach_subscriber(two, "mallory", true, 5));
  EXPECT_TRUE(access.owns("alice", 5));
  EXPECT_FALSE(access.owns("mallory", 5));
  EXPECT_TRUE(access.may_use("alice", 5));
  EXPECT_FALSE(access.may_use("mallory", 5));
  EXPECT_TRUE(access.may_use("mallory", 6));
  EXPECT_EQ(access.counters().sessions, 2U);
  access.detach_subscriber(two);
  EXPECT_TRUE(access.owns("alice", 5));
  EXPECT_TRUE(access.attach_subscriber(two, "alice", true, 5));
  access.detach_subscriber(one);
  EXPECT_TRUE(access.owns("alice", 5));
  access.detach_subscriber(two);
  EXPECT_FALSE(access.owns("alice", 5));
  EXPECT_TRUE(access.may_use("mallory", 5));
}

TEST_F(map_access_rules, each_principal_and_right_is_reported_once) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(access.may_write("mallory", "/a/x"));
    EXPECT_FALSE(access.may_read("mallory", true, "/a/"));
  }
  const auto first = access.take_refusals();
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].user_id, "mallory");
  EXPECT_STREQ(to_string(first[0].wanted), "write");
  EXPECT_EQ(first[0].name, "/a/x");
  EXPECT_STREQ(to_string(first[1].wanted), "read");
  EXPECT_TRUE(access.take_refusals().empty());
}

TEST_F(map_access_rules, the_use_of_a_session_of_another_principal_is_reported_once) {
  EXPECT_TRUE(access.attach_subscriber(one, "alice", true, 0xab5));
  EXPECT_FALSE(access.may_write("mallory", "/a/x"));
  EXPECT_EQ(access.take_refusals().size(), 1U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(access.may_use("mallory", 0xab5));
    EXPECT_FALSE(access.attach_subscriber(two, "mallory", true, 0xab5));
  }
  EXPECT_TRUE(access.may_use("alice", 0xab5));
  const auto reported = access.take_refusals();
  ASSERT_EQ(reported.size(), 1U);
  EXPECT_EQ(reported[0].user_id, "mallory");
  EXPECT_STREQ(to_string(reported[0].wanted), "use_session");
  EXPECT_EQ(reported[0].name, "ab5");
  EXPECT_FALSE(access.may_use("bob", 0xab5));
  EXPECT_EQ(access.take_refusals().size(), 1U) << "another principal";
}

}  // namespace
}  // namespace chp
