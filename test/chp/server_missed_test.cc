// A server that is active again publishes what its subscribers have missed, if some may have stayed.

#include "test/chp/server_fixture.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace chp {
namespace {

class server_missed : public testing::Test {
protected:
  // Without a backup nothing is published, so the subscribers miss all of it.
  static server_options options() {
    server_options o;
    o.degraded = degraded_policy::block;
    return o;
  }
  server_missed() {
    s.activate(1);
    s.set("/a", "1", id(1), "low=1\n");
    s.set("", "refused", id(2), "low=1\n");
    s.set("/b", "1", id(3), "low=1\n");
    EXPECT_TRUE(s.publications().empty());
    s.server.deactivate(s.now, s.actions);
    s.finish();
  }
  static update_id id(std::uint64_t counter) {
    return update_id::of_session(test_session + (1U << 16), counter);
  }
  static std::string announced(std::uint64_t number) {
    return "chp-ack=" + session_name(test_session + (number << 16));
  }

  server_setting s{options(), server_state::kind::paired};
};

TEST_F(server_missed, is_published_for_a_client_that_is_not_zincs) {
  s.subscribe(announced(2) + ",chp-log");
  s.subscribe();
  s.activate(2);
  const auto all = s.publications();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].front(), "/a");
  EXPECT_EQ(all[1].front(), "/b");
}

TEST_F(server_missed, is_not_published_for_zincs_clients_which_have_connected_again) {
  s.subscribe(announced(2) + ",chp-log");
  s.subscribe(announced(3));
  s.activate(2);
  EXPECT_TRUE(s.publications().empty());
  // Nor for a client that comes now, with a snapshot of this reign.
  s.subscribe();
  s.finish();
  EXPECT_TRUE(s.publications().empty());
}

TEST_F(server_missed, brings_nothing_else_to_a_client_of_the_earlier_version) {
  const auto earlier = s.subscribe(announced(2));
  s.feeds[earlier];
  s.subscribe();
  s.activate(2);
  std::vector<std::string> keys;
  for (const auto& m : s.feeds.at(earlier)) {
    keys.push_back(m.front());
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"HUGZ", "/a", "/b"}))
      << "no erasure in the place of the refusal";
}

}  // namespace
}  // namespace chp
