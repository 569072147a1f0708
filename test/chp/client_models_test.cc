// A client at servers that are as the Guide's models 1 to 5 (protocols B16, B17): frames without ids, snapshots
// that are whole or not to be had, no HUGZ.

#include "test/chp/client_script.h"

namespace chp::test {
namespace {

using namespace std::chrono_literals;

class client_models : public client_script {
protected:
  client_models() { options.wire_format = form::kvsimple_8; }

  // Without HUGZ nothing shows that the subscription holds.
  void follow_simple(sequence at = 0) {
    subscriber(false);
    snapshot();
    end(at);
    EXPECT_TRUE(state->status().following);
    forget();
  }
};

TEST_F(client_models, a_whole_map_is_asked_for_without_a_name) {  // models 2 and 3
  options.snapshots = snapshot_kind::whole;
  options.subtree = "/a/";
  begin();
  forget();
  subscriber(false);
  snapshot();
  EXPECT_EQ(done(), texts{"ask"});
  entry("/a/1", "one", 1);
  entry("/b/1", "two", 2);
  end(2);
  EXPECT_EQ(done(), (texts{"close snapshot 0", "/a/1=one", "ready", "following 0"}));
  EXPECT_EQ(state->status().keys, 1U) << "keys outside of the subtree arrive, too";
}

TEST_F(client_models, follows_a_publisher_without_snapshots_once_it_is_connected) {  // model 1
  options.snapshots = snapshot_kind::none;
  begin();
  subscriber(false);
  EXPECT_EQ(done(), (texts{"open 0", "ready", "following 0"}));
  publish("17", "a", 5'000);
  publish("18", "b", 5'001);
  publish("17", "old", 5'000);
  EXPECT_EQ(done(), (texts{"17=a", "18=b"}));
  publish("19", "c", 5'003);
  EXPECT_EQ(done(), (texts{"19=c", "gap 0"})) << "which nothing can fill";
  EXPECT_EQ(state->status().counters.gaps, 1U);
  // The server restarts. Its earlier publications stay in the map.
  state->on_lost(now, out);
  pass(1s);
  forget();
  subscriber(false);
  publish("17", "again", 1);
  EXPECT_EQ(done(), (texts{"17=again", "following 0"}));
  EXPECT_EQ(value("18"), "b");
}

TEST_F(client_models, silence_does_not_end_a_connection_without_heartbeats) {
  begin();
  follow_simple();
  pass(10min);
  EXPECT_TRUE(state->status().following);
  EXPECT_EQ(done(), texts{});
}

TEST_F(client_models, sequences_of_four_bytes_are_read) {
  options.wire_format = form::kvsimple_4;
  begin();
  follow_simple(7);
  publish("17", "a", 8);
  EXPECT_EQ(value("17"), "a");
  EXPECT_EQ(state->status().number, 8U);
}

TEST_F(client_models, an_empty_value_does_not_erase) {
  begin();
  subscriber(false);
  snapshot();
  entry("1", "", 1);
  end(1);
  forget();
  EXPECT_NE(state->map().find("1"), nullptr);
  publish("2", "", 2);
  ASSERT_EQ(out.changes.size(), 1U);
  EXPECT_FALSE(out.changes.front().erased());
  EXPECT_NE(state->map().find("2"), nullptr);
}

TEST_F(client_models, an_update_is_committed_when_its_key_comes_with_its_value) {
  begin();
  follow_simple();
  collector();
  const auto first = set("1", "a");
  const auto second = set("1", "b");
  const auto third = set("1", "a");
  EXPECT_EQ(done(), (texts{"publish 0 1=a", "publish 0 1=b", "publish 0 1=a"}));
  publish("1", "c", 1);
  publish("2", "a", 2);
  EXPECT_EQ(done(), (texts{"1=c", "2=a"}));
  publish("1", "a", 3);
  EXPECT_EQ(done(), (texts{"1=a", "committed " + std::to_string(first)}));
  publish("1", "b", 4);
  EXPECT_EQ(done(), (texts{"1=b", "committed " + std::to_string(second)}));
  publish("1", "a", 5);
  EXPECT_EQ(done(), (texts{"1=a", "committed " + std::to_string(third)}));
  publish("1", "a", 6);
  EXPECT_EQ(done(), texts{"1=a"});
}

TEST_F(client_models, an_update_that_is_not_published_in_time_is_unconfirmed) {
  begin();
  follow_simple();
  const auto unsent = set("1", "a", {}, 1s);
  pass(1s);
  EXPECT_EQ(done(), texts{"not sent " + std::to_string(unsent)});
  collector();
  const auto sent = set("1", "b", {}, 1s);
  forget();
  pass(1s);
  EXPECT_EQ(done(), texts{"unconfirmed " + std::to_string(sent)});
  publish("1", "b", 1);
  EXPECT_EQ(state->status().sent, 0U);
}

TEST_F(client_models, resends_an_update_after_the_connection_is_lost) {
  begin();
  follow_simple();
  collector();
  set("1", "a");
  forget();
  state->on_collector_detached(0);
  collector();
  EXPECT_EQ(done(), texts{"publish 0 1=a"});
}

TEST_F(client_models, kvsimple_has_empty_values_and_neither_deletions_nor_times_to_live) {
  begin();
  follow_simple();
  collector();
  EXPECT_EQ(state->add_update("1", "a", {.ttl = 5s}, now, out).error(), errc::not_in_kvsimple);
  EXPECT_EQ(state->add_update("1", std::nullopt, {}, now, out).error(), errc::not_in_kvsimple);
  set("1", "");
  EXPECT_EQ(done(), texts{"publish 0 1="});
  options.wire_format = form::kvmsg;
}

TEST_F(client_models, a_server_with_ids_and_without_hugz_is_followed) {  // model 5
  options.wire_format = form::kvmsg;
  options.server_ttl.reset();
  begin();
  follow_simple();
  collector();
  set("/a", "1", 5s);
  EXPECT_EQ(done(), texts{"publish 0 /a=1 #1 ttl=5"});
  pass(1min);
  publish("/a", "1", 1, "ttl=5\n", own(1));
  EXPECT_EQ(done(), (texts{"/a=1", "committed 1"}));
}

}  // namespace
}  // namespace chp::test
