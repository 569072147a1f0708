// A pair of servers of the map on real sockets: failover with updates of clients that wait, restarts, and the cut
// after two servers were active (docs/chp-log.md).

#include "chp/replicated_server.h"

#include "test/chp/pair_fixture.h"
#include "test/support/scratch_folder.h"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace chp {
namespace {

using namespace std::chrono_literals;

class replicated : public pair_test {
protected:
  std::unique_ptr<raw_client> client_of(const node& n) {
    auto made = std::make_unique<raw_client>(executor(), n.at);
    run_until([&] { return made->setter.subscribers("") == 1; });
    return made;
  }
  // Asks until there is an answer: each question is a vote.
  content ask(raw_client& client) {
    content all;
    zmtp::message m;
    auto again = std::chrono::steady_clock::now();
    for (;;) {
      run_until([&] {
        if (std::chrono::steady_clock::now() >= again) {
          again += 50ms;
          (void)client.snapshot_client.try_send(make_snapshot_request(""));
        }
        return client.snapshot_client.try_receive(m);
      });
      if (HasFailure() || m.front() == "KTHXBAI") {
        return all;
      }
      all.emplace(m.front(), m.back());
    }
  }
};

TEST_F(replicated, the_backup_has_what_the_primary_accepts) {
  start();
  const auto client = client_of(primary);
  set(*client, "/a", "1");
  set(*client, "/b", "2", new_id(), "ttl=1000\n");
  run_until([&] { return backup.all().size() == 2; });
  set(*client, "/a", "");
  run_until([&] { return backup.all().size() == 1; });
  run_until([&] {
    const auto s = primary.server->status().server;
    return s.committed == s.number;
  });
  EXPECT_TRUE(has_epoch(primary.server->status().server.number));
}

TEST_F(replicated, the_backup_takes_over_with_pending_updates_of_clients) {
  start();
  const auto to_primary = client_of(primary);
  const auto to_backup = client_of(backup);
  const auto both = new_id();
  set(*to_primary, "/both", "1", both);
  set(*to_backup, "/both", "1", both);
  run_until(
      [&] { return backup.all().size() == 1 && backup.server->status().server.waiting == 0; });
  // The primary ends before the update reaches it.
  primary.server.reset();
  set(*to_backup, "/pending", "2");
  run_until([&] { return backup.server->status().server.waiting == 1; });
  const auto before = backup.server->status().server.number;
  EXPECT_EQ(ask(*to_backup), (content{{"/both", "1"}, {"/pending", "2"}}));
  EXPECT_TRUE(backup.active());
  EXPECT_GT(epoch_of(backup.server->status().server.number), epoch_of(before));
  set(*to_backup, "/more", "3");
  run_until([&] { return backup.all().size() == 3; });
}

TEST_F(replicated, a_primary_that_restarts_follows_the_backup_and_takes_over_again) {
  start();
  const auto to_primary = client_of(primary);
  set(*to_primary, "/a", "1");
  run_until([&] { return backup.all().size() == 1; });
  primary.server.reset();
  const auto to_backup = client_of(backup);
  EXPECT_EQ(ask(*to_backup).size(), 1U);
  set(*to_backup, "/b", "2");
  run_until([&] { return backup.all().size() == 2; });

  make(primary, options_of(bstar::role::primary));
  connect(primary, backup);
  run_until([&] { return backup.server->status().server.backup_in_sync; });
  EXPECT_FALSE(primary.active());
  EXPECT_EQ(primary.all(), backup.all());

  set(*to_backup, "/c", "3");
  run_until([&] { return primary.all().size() == 3; });
  backup.server.reset();
  const auto again = client_of(primary);
  EXPECT_EQ(ask(*again), (content{{"/a", "1"}, {"/b", "2"}, {"/c", "3"}}));
  EXPECT_TRUE(primary.active());
}

// BS-17
TEST_F(replicated, a_server_without_its_map_waits_for_its_peer) {
  const zmtp::test::scratch_folder folder;
  auto lasting = options_of(bstar::role::primary);
  lasting.pair.epoch_file = folder.path("epoch");
  make(primary, lasting);
  EXPECT_FALSE(primary.server->status().pair.data_lost) << "it had none";
  make(backup, options_of(bstar::role::backup));
  connect(primary, backup);
  connect(backup, primary);
  run_until([&] { return primary.server->status().server.backup_in_sync; });
  const auto before = client_of(primary);
  set(*before, "/a", "1");
  run_until([&] { return backup.all().size() == 1; });
  primary.server.reset();

  // The primary does not receive from the backup, and clients send requests to the primary all the time.
  make(primary, lasting);
  const auto client = client_of(primary);
  run_until([&] {
    (void)client->snapshot_client.try_send(make_snapshot_request(""));
    return primary.saw(bstar::event::data_lost) &&
           primary.server->status().pair.requests_rejected > 10;
  });
  EXPECT_FALSE(primary.active());
  EXPECT_TRUE(primary.server->status().pair.data_lost);

  connect(primary, backup);
  run_until([&] { return backup.server->status().server.backup_in_sync; });
  EXPECT_TRUE(backup.active());
  EXPECT_EQ(primary.all(), (content{{"/a", "1"}}));
  EXPECT_FALSE(primary.server->status().pair.data_lost);
  backup.server.reset();
  EXPECT_EQ(ask(*client), (content{{"/a", "1"}}));
  EXPECT_TRUE(primary.active());
}

TEST_F(replicated, a_server_that_was_paused_resumes_in_its_epoch) {
  start();
  const auto client = client_of(primary);
  set(*client, "/before", "1");
  run_until([&] { return backup.all().size() == 1; });
  const auto epoch = epoch_of(primary.server->status().server.number);
  // The loop is paused: the test can only wait for time to pass.
  const auto until =
      std::chrono::steady_clock::now() + *options_of(bstar::role::primary).pair.pair.expiry;
  while (std::chrono::steady_clock::now() < until) {
  }
  run_until([&] { return primary.saw(bstar::event::resumed); });
  EXPECT_TRUE(primary.saw(bstar::event::suspended));
  EXPECT_TRUE(primary.active());
  set(*client, "/after", "2");
  run_until([&] { return backup.all().size() == 2; });
  EXPECT_EQ(primary.all(), backup.all());
  EXPECT_EQ(epoch_of(primary.server->status().server.number), epoch);
  EXPECT_FALSE(backup.saw(server_event::active));
  run_until([&] { return primary.server->status().server.backup_in_sync; });
}

TEST_F(replicated, one_server_cuts_its_updates_after_a_split_brain) {
  const zmtp::test::scratch_folder folder;
  auto alone = options_of(bstar::role::backup);
  alone.pair.pair.promote_alone_after = 10ms;
  auto first = options_of(bstar::role::primary);
  first.lost_folder = folder.path("");
  make(primary, first);
  make(backup, alone);
  const auto to_primary = client_of(primary);
  const auto to_backup = client_of(backup);
  EXPECT_TRUE(ask(*to_primary).empty());
  run_until([&] { return backup.active(); });
  ASSERT_TRUE(primary.active());
  for (int n = 0; n < 1'000; ++n) {
    set(*to_primary, "/p/" + std::to_string(n), "p");
  }
  set(*to_backup, "/b", "b");
  set(*to_backup, "/p/7", "b");
  run_until([&] { return primary.all().size() == 1'000 && backup.all().size() == 2; });
  const auto lost = primary.server->map().number();

  connect(primary, backup);
  connect(backup, primary);
  run_until([&] { return backup.server->status().server.backup_in_sync; });
  EXPECT_TRUE(backup.active()) << "its epoch is the later one";
  EXPECT_FALSE(primary.active());
  EXPECT_EQ(primary.all(), (content{{"/b", "b"}, {"/p/7", "b"}}));
  EXPECT_TRUE(primary.saw(server_event::diverged));
  EXPECT_EQ(primary.server->status().server.counters.log.lost, 1'000U);
  std::ifstream file{primary.lost_file};
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    const auto update = boost::json::parse(line).as_object();
    EXPECT_EQ(update.at("key").as_string(), "/p/" + std::to_string(lines));
    EXPECT_EQ(update.at("number").to_number<sequence>(), make_sequence(epoch_of(lost), lines + 1));
  }
  EXPECT_EQ(lines, 1'000U);
}

// An empty server was promoted by hand.
TEST_F(replicated, a_server_stops_rather_than_drop_what_both_had) {
  const zmtp::test::scratch_folder folder;
  start();
  const auto to_primary = client_of(primary);
  set(*to_primary, "/both", "1");
  run_until([&] {
    const auto s = primary.server->status().server;
    return backup.all().size() == 1 && s.both == s.number;
  });
  backup.server.reset();
  auto by_hand = options_of(bstar::role::backup);
  by_hand.pair.pair.promote_alone_after = 10ms;
  by_hand.pair.epoch_file = folder.path("epoch");
  std::ofstream{by_hand.pair.epoch_file} << "1000\n";
  make(backup, by_hand);
  run_until([&] { return backup.active(); });

  connect(backup, primary);
  run_until([&] { return primary.saw(server_event::stopped); });
  EXPECT_TRUE(primary.server->status().server.stopped);
  EXPECT_FALSE(primary.active());
  EXPECT_EQ(primary.all(), (content{{"/both", "1"}})) << "nothing is dropped";
}

TEST_F(replicated, ends_its_operations_when_destroyed_or_without_context) {
  start();
  backup.server->stop();
  primary.server.reset();
  backup.server.reset();
  run_to_the_end();
  make(primary, options_of(bstar::role::primary));
  destroy_context();
  EXPECT_FALSE(primary.active());
}

TEST_F(replicated, only_kvmsg_can_be_replicated) {
  auto options = options_of(bstar::role::primary);
  options.server.wire_format = form::kvsimple_8;
  EXPECT_THROW((replicated_server{executor(), options}), boost::system::system_error);
}

}  // namespace
}  // namespace chp
