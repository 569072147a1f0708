// Random runs of a pair of a Zinc server and a server of the Guide, each from its seed.
// For the command-line arguments, see test/simulation/seeds.h.
#include "test/chp/simulation/guide_pair.h"

#include "test/chp/simulation/guide_server_process.h"
#include "test/chp/simulation/message_edits.h"
#include "test/simulation/seeds.h"
#include "test/support/scratch_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace chp::simulation {
namespace {

using namespace std::chrono_literals;

guide_pair_result run(std::uint64_t seed) {
  return run_guide_pair(seed, {.print = zmtp::simulation::printer_asked_for()});
}

TEST(guide_pairs, keep_the_promises) {
  zmtp::simulation::expect_no_findings("//test/chp/simulation:guide_pair_test", run);
}

TEST(guide_pairs, same_seed_same_trace) { zmtp::simulation::expect_same_traces(run); }

// Our server is the primary. One client reaches it alone, and another one both servers.
struct guide_backup : testing::Test {
  guide_backup() {
    server_process::options how;
    how.server.server.heartbeat = how.server.pair.pair.heartbeat = 100ms;
    how.server.pair.pair.expiry = 200ms;
    ours = std::make_unique<server_process>(w, history, 0, folder.path(), how);
    for (const auto& servers : {std::vector<server>{0}, std::vector<server>{0, 1}}) {
      clients.push_back(std::make_unique<client_process>(
          w, history, "client" + std::to_string(clients.size()),
          client_process::options{.servers = servers,
                                  .client = {.heartbeat = 100ms, .server_ttl = 500ms},
                                  .requires_both = 0,
                                  .sees_twice = true}));
    }
    ours->start();
    theirs.start();
    for (const auto& each : clients) {
      each->start();
    }
    EXPECT_TRUE(until([&] { return ours->is_active() && theirs.has_copied(); }));
    EXPECT_TRUE(until([&] { return clients[0]->is_following() && clients[1]->is_following(); }));
    w.run_for(1s);
  }
  [[nodiscard]] bool until(const std::function<bool()>& done) { return w.run_until(done, 1min); }

  zmtp::simulation::world w{1};
  map_history history{w.net().here(), {.beside_guide = true}};
  zmtp::test::scratch_folder folder = zmtp::test::scratch_folder::in_memory();
  std::unique_ptr<server_process> ours;
  guide_server_process theirs{w, 1, {.heartbeat = 100ms, .expiry = 200ms}};
  std::vector<std::unique_ptr<client_process>> clients;
};

TEST_F(guide_backup, a_reign_of_the_guide_is_a_lost_history_to_other_clients) {
  ours->kill(zmtp::simulation::death::process);
  ASSERT_TRUE(until([&] { return theirs.is_active(); }));
  w.run_for(1s);
  ours->start();
  ASSERT_TRUE(until([&] { return ours->is_following(); }));
  EXPECT_EQ(ours->published(), theirs.published());
  theirs.kill(zmtp::simulation::death::process);
  ASSERT_TRUE(until([&] { return ours->is_active() && clients[0]->is_following(); }));
  EXPECT_EQ(clients[0]->lost_histories(), 1U);
  EXPECT_TRUE(history.findings().empty());
}

TEST_F(guide_backup, no_history_is_lost_when_the_backup_is_killed) {
  theirs.kill(zmtp::simulation::death::process);
  w.run_for(1s);
  theirs.start();
  ASSERT_TRUE(until([&] { return theirs.has_copied(); }));
  for (const auto& each : clients) {
    EXPECT_TRUE(each->is_following());
    EXPECT_EQ(each->lost_histories(), 0U);
  }
  EXPECT_TRUE(history.findings().empty());
}

bool shows(violation what, const guide_pair_options& options) {
  return zmtp::simulation::noticed(
      what, [&](std::uint64_t seed) { return run_guide_pair(seed, options); });
}

TEST(planted_faults, an_outcome_that_claims_the_server_of_the_guide_is_noticed) {
  EXPECT_TRUE(
      shows(violation::claims_guide, {.spoil_client = [](auto& how) { how.claims_both = true; }}));
}

TEST(planted_faults, an_acknowledgement_under_block_is_noticed) {
  EXPECT_TRUE(shows(violation::one_in_block, {.spoil = [](auto& how) {
                      how.server.server.degraded = degraded_policy::ack;
                    }}));
}

TEST(planted_faults, a_client_that_is_not_told_degraded_is_noticed) {
  EXPECT_TRUE(shows(violation::untold_degraded,
                    {.spoil_client = [](auto& how) { how.edit = hides_degraded(); }}));
}

TEST(planted_faults, a_passive_server_that_does_not_follow_is_noticed) {
  EXPECT_TRUE(shows(violation::unequal, {.cuts_at_rest = true}));
}

TEST(planted_faults, a_client_that_follows_a_part_of_the_map_is_noticed) {
  EXPECT_TRUE(shows(violation::unequal,
                    {.spoil_client = [](auto& how) { how.client.subtree = "/once/"; }}));
}

}  // namespace
}  // namespace chp::simulation

int main(int count, char** arguments) { return zmtp::simulation::run_tests(count, arguments); }
