// The truth of the answers of a pair.

#include "test/chp/update_log_fixture.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace chp {
namespace {

using namespace test;

// Sets a key, and returns the truth of its answer.
truth truth_of_set(server& active, server& passive, std::uint64_t counter) {
  active.set("k", std::to_string(counter), id(counter));
  auto found = truth::unknown;
  for (int i = 0; i < 10; ++i) {
    const auto out = active.turn();
    found = out.answers.empty() ? found : out.answers[0].says;
    for (const auto& m : out.to_peer) {
      passive.log.on_peer_message(m, time_zero, passive.out);
    }
    for (const auto& m : passive.turn().to_peer) {
      active.log.on_peer_message(m, time_zero, active.out);
    }
    active.write();
    passive.write();
  }
  return found;
}

truth repeated_truth(server& active, std::uint64_t counter) {
  active.set("k", "", id(counter));
  return active.turn().answers.at(0).says;
}

TEST(chp_update_log, says_both_disks_only_if_both_servers_have_a_store) {
  for (const bool active_has_store : {true, false}) {
    for (const bool passive_has_store : {true, false}) {
      auto o = paired();
      o.state.has_store = active_has_store;
      server a{o, 1};
      o.state.has_store = passive_has_store;
      server b{o, 2};
      a.log.become_active(1, time_zero, a.out);
      connect(a, b);
      const auto expected =
          active_has_store && passive_has_store ? truth::both_disks : truth::both_servers;
      EXPECT_EQ(truth_of_set(a, b, 1), expected) << active_has_store << passive_has_store;
      b.log.become_active(2, time_zero, b.out);
      (void)b.turn();
      b.write();
      EXPECT_EQ(repeated_truth(b, 1), expected) << active_has_store << passive_has_store;
    }
  }
}

TEST(chp_update_log, says_both_disks_of_what_a_backup_with_a_store_has_confirmed) {
  auto o = paired();
  o.state.has_store = true;
  server a{o, 1};
  a.log.become_active(1, time_zero, a.out);
  {
    server in_memory{paired(), 2};
    connect(a, in_memory);
    EXPECT_EQ(truth_of_set(a, in_memory, 1), truth::both_servers);
    a.log.on_peer_lost(a.out);
  }
  server b{o, 3};
  b.log.on_peer_connected(b.out);
  a.log.on_peer_message(b.turn().to_peer.at(0), time_zero, a.out);
  (void)a.turn();
  EXPECT_EQ(repeated_truth(a, 1), truth::both_servers) << "the new backup has nothing yet";
  a.log.on_peer_lost(a.out);
  connect(a, b);
  EXPECT_EQ(repeated_truth(a, 1), truth::both_disks);
  EXPECT_EQ(truth_of_set(a, b, 2), truth::both_disks);
  a.log.on_peer_lost(a.out);
  server other{paired(), 4};
  connect(a, other);
  EXPECT_EQ(repeated_truth(a, 2), truth::both_disks);
  EXPECT_EQ(truth_of_set(a, other, 3), truth::both_servers);
}

}  // namespace
}  // namespace chp
