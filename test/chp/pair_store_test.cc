// A pair of servers of the map with stores, on real sockets. Committed updates survive a kill of both servers
// (reliability 3.2, G7), a full disk stops no failover, and a witness decides who commits alone.

#include "test/chp/file_witness.h"
#include "test/chp/store_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <utility>

namespace chp {
namespace {

class pair_store : public server_store {
protected:
  using disk = std::shared_ptr<test::stored_state>;

  [[nodiscard]] std::shared_ptr<log_store> on(const disk& content) {
    return std::make_shared<test::memory_log_store>(executor(), content);
  }
  void make_kept(node& n, const replicated_server_options& options,
                 std::shared_ptr<log_store> from) {
    n.events.clear();
    auto loaded = load(std::move(from));
    n.server.emplace(
        executor(), options, std::move(loaded),
        replicated_server_handlers{.on_event = [&n](server_event e) { n.events.push_back(e); }});
    const bool again = n.at.snapshots.tcp() != nullptr && n.at.snapshots.tcp()->port != 0;
    n.at = n.server->bind(again ? n.at.snapshots.to_string() : "tcp://127.0.0.1:*");
    n.state = n.server->bind_state(n.state.empty() ? "tcp://127.0.0.1:*" : n.state).to_string();
  }
  void start_kept() { start_kept(on(primary_disk_), on(backup_disk_)); }
  void start_kept(std::shared_ptr<log_store> of_primary, std::shared_ptr<log_store> of_backup,
                  const std::string& epoch_file_of_backup = {}) {
    make_kept(primary, options_of(bstar::role::primary), std::move(of_primary));
    auto options = options_of(bstar::role::backup);
    options.pair.epoch_file = epoch_file_of_backup;
    make_kept(backup, options, std::move(of_backup));
    pair_test::connect(primary, backup);
    pair_test::connect(backup, primary);
  }
  [[nodiscard]] bool in_sync() const {
    const auto is = [](const node& n) { return n.server->status().server.backup_in_sync; };
    return is(primary) || is(backup);
  }
  void kill_both() {
    primary.server.reset();
    backup.server.reset();
  }

  // Both servers have a witness in one file.
  void start_primary_with_witness() {
    auto options = options_of(bstar::role::primary);
    options.witness = witness_of_primary_ = in_file();
    make_kept(primary, options, on(primary_disk_));
    pair_test::connect(primary, backup);
  }
  void make_backup_with_witness() {
    auto options = options_of(bstar::role::backup);
    options.witness = in_file();
    make_kept(backup, options, on(backup_disk_));
  }
  void start_with_witness() {
    make_backup_with_witness();
    start_primary_with_witness();
    pair_test::connect(backup, primary);
    run_until([this] { return primary.server->status().server.backup_in_sync; });
    server_store::connect({primary.at, backup.at});
  }
  [[nodiscard]] std::shared_ptr<test::file_witness> in_file() {
    return std::make_shared<test::file_witness>(executor(), folder_.path("record"));
  }

  std::shared_ptr<test::file_witness> witness_of_primary_;
  disk primary_disk_ = std::make_shared<test::stored_state>();
  disk backup_disk_ = std::make_shared<test::stored_state>();
};

TEST_F(pair_store, committed_updates_survive_a_kill_of_both_servers) {
  start_kept();
  run_until([this] { return in_sync(); });
  server_store::connect({primary.at, backup.at});
  content expected;
  for (int life = 0; life < 3; ++life) {
    for (int n = 0; n < 50; ++n) {
      const auto key = "/k/" + std::to_string(n);
      set(key, std::to_string(life));
      expected[key] = std::to_string(life);
    }
    commit_all();
    EXPECT_EQ(primary_disk_->numbers.end, backup_disk_->numbers.end);
    kill_both();
    start_kept();
    run_until([this] { return in_sync() && client_->status().following; });
    EXPECT_EQ(copy(), expected);
    EXPECT_EQ(primary.all(), expected);
  }
  EXPECT_EQ(std::count(received_.begin(), received_.end(), client_event::kind::history_lost), 0);
}

// BS-17
TEST_F(pair_store, an_empty_store_after_service_means_a_lost_map) {
  auto lasting = options_of(bstar::role::primary);
  lasting.pair.epoch_file = folder_.path("epoch");
  make_kept(primary, lasting, on(primary_disk_));
  make_kept(backup, options_of(bstar::role::backup), on(backup_disk_));
  pair_test::connect(primary, backup);
  pair_test::connect(backup, primary);
  run_until([this] { return primary.server->status().server.backup_in_sync; });
  server_store::connect({primary.at, backup.at});
  set("a", "1");
  commit_all();
  kill_both();
  make_kept(primary, lasting, on(primary_disk_));
  EXPECT_FALSE(primary.server->status().pair.data_lost);
  EXPECT_EQ(position_of(primary.server->status().server.number), 1U);
  primary.server.reset();
  make_kept(primary, lasting, on(std::make_shared<test::stored_state>()));
  EXPECT_TRUE(primary.server->status().pair.data_lost);
}

TEST_F(pair_store, the_server_with_the_longer_history_on_disk_becomes_active) {
  start_kept();
  run_until([this] { return in_sync(); });
  server_store::connect({primary.at, backup.at});
  set("both", "1");
  commit_all();
  primary.server.reset();
  set("backup alone", "2");
  commit_all();
  EXPECT_TRUE(client_->status().degraded);
  kill_both();
  start_kept();
  run_until([this] { return in_sync(); });
  EXPECT_TRUE(backup.active());
  run_until([this] { return primary.all() == content{{"backup alone", "2"}, {"both", "1"}}; });
  set("after", "3");
  commit_all();
  EXPECT_EQ(copy().size(), 3U);
}

TEST_F(pair_store, an_active_server_with_a_full_store_hands_over_to_its_backup) {
  const auto store = std::make_shared<small_store>(executor());
  start_kept(store, on(backup_disk_));
  run_until([this] { return primary.server->status().server.backup_in_sync; });
  server_store::connect({primary.at, backup.at});
  set("before", "1");
  commit_all();
  store->set_full(true);
  set("after", "2");
  run_until([this] { return backup.active(); });
  EXPECT_TRUE(primary.saw(server_event::store_full));
  EXPECT_FALSE(primary.active());
  commit_all();
  EXPECT_EQ(copy(), (content{{"before", "1"}, {"after", "2"}}));
}

TEST_F(pair_store, a_passive_server_with_a_full_disk_takes_over) {
  const auto inode_of = [this](const std::string& name) {
    struct ::stat found {};
    EXPECT_EQ(::stat(folder_.path(name).c_str(), &found), 0) << name;
    return found.st_ino;
  };
  const auto store = std::make_shared<small_store>(executor());
  start_kept(on(primary_disk_), store, folder_.path("epoch"));
  run_until([this] { return primary.server->status().server.backup_in_sync; });
  server_store::connect({primary.at, backup.at});
  set("k", "1");
  commit_all();
  store->set_full(true);
  set("other", "2");
  commit_all();
  EXPECT_TRUE(backup.saw(server_event::store_full));
  // A full disk has no room for another file.
  const auto spare = inode_of("epoch.new");
  primary.server.reset();
  run_until([this] { return backup.active(); });
  EXPECT_EQ(inode_of("epoch"), spare);
  EXPECT_EQ(backup.all().at("k"), "1");
}

TEST_F(pair_store, a_server_commits_alone_after_the_witness_has_removed_its_backup) {
  start_with_witness();
  set("both", "1");
  commit_all();
  const auto before = primary.server->status().server.committed;
  witness_of_primary_->set_reachable(false);
  backup.server.reset();
  set("alone", "2");
  run_until([this, before] {
    return primary.saw(server_event::backup_lost) &&
           primary.server->status().server.number == before + 1;
  });
  EXPECT_EQ(primary.server->status().server.committed, before);
  witness_of_primary_->set_reachable(true);
  commit_all();
  EXPECT_EQ(copy(), (content{{"alone", "2"}, {"both", "1"}}));
}

TEST_F(pair_store, a_server_that_the_witness_has_removed_waits_for_the_other) {
  start_with_witness();
  set("both", "1");
  commit_all();
  backup.server.reset();
  set("alone", "2");
  commit_all();
  primary.server.reset();
  make_backup_with_witness();
  pair_test::connect(backup, primary);
  // Each request of the client is a vote.
  run_until([this] { return backup.server->status().pair.requests_rejected >= 5; });
  EXPECT_FALSE(backup.active());
  start_primary_with_witness();
  run_until([this] { return primary.server->status().server.backup_in_sync; });
  EXPECT_EQ(backup.all(), (content{{"alone", "2"}, {"both", "1"}}));
  set("after", "3");
  commit_all();
  EXPECT_EQ(std::count(received_.begin(), received_.end(), client_event::kind::history_lost), 0);
}

}  // namespace
}  // namespace chp
