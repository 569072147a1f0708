// A disk of a simulation keeps and loses writes.
#include "test/chp/simulation/simulated_log_store.h"

#include "test/chp/log_file_fixture.h"

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace chp::simulation {
namespace {

using boost::system::error_code;
using std::chrono::milliseconds;
using zmtp::storage_errc;
using zmtp::simulation::death;

// A process with a store.
class disk_user {
public:
  explicit disk_user(std::uint64_t seed = 1) : world{seed} { start(); }

  void start() {
    process.start([this](const boost::asio::any_io_executor& executor) {
      store = std::make_shared<simulated_log_store>(executor, disk);
      return store;
    });
    EXPECT_TRUE(world.run_until([this] { return store != nullptr; }, milliseconds{1}));
  }
  void kill() {
    store.reset();
    process.kill(death::power);
  }
  void write(const std::vector<state_write>& all) {
    boost::asio::post(process.executor(), [this, all] {
      for (auto each : all) {
        store->write(std::move(each), [this](error_code ec) { results.push_back(ec); });
      }
    });
  }
  [[nodiscard]] bool wait_for(std::size_t count) {
    return world.run_until([this, count] { return results.size() == count; }, milliseconds{1'000});
  }
  [[nodiscard]] error_code result_of(const state_write& one) {
    results.clear();
    write({one});
    EXPECT_TRUE(wait_for(1));
    return results.empty() ? error_code{} : results.back();
  }
  // The content that a restart finds.
  [[nodiscard]] std::string text() {
    std::optional<std::string> found;
    boost::asio::post(process.executor(), [this, &found] {
      store->load(test::small_history(), test::log_file_start,
                  [&found](error_code ec, loaded_state all) {
                    EXPECT_FALSE(ec) << ec.message();
                    found = test::text_of(*all.past, all.numbers);
                  });
    });
    EXPECT_TRUE(world.run_until([&found] { return found.has_value(); }, milliseconds{1}));
    return found.value_or("nothing");
  }

  zmtp::simulation::world world;
  simulated_disk disk{world};
  zmtp::simulation::process& process = world.add("host");
  std::shared_ptr<simulated_log_store> store;
  std::vector<error_code> results;
};

TEST(simulated_log_store, keeps_what_it_has_confirmed) {
  const test::replica_script script;
  disk_user user;
  user.write(script.writes);
  ASSERT_TRUE(user.wait_for(script.writes.size()));
  EXPECT_TRUE(std::none_of(user.results.begin(), user.results.end(), [](auto ec) { return ec; }));
  user.kill();
  user.start();
  EXPECT_EQ(user.text(), test::text_after(script.writes, script.writes.size()));
}

TEST(simulated_log_store, confirms_a_write_when_it_is_on_the_disk) {
  const test::replica_script script;
  disk_user user;
  user.disk.slow_down(milliseconds{500});
  user.write(script.writes);
  user.world.run_for(milliseconds{1});
  EXPECT_TRUE(user.results.empty());
  EXPECT_TRUE(user.disk.content().empty());
  EXPECT_EQ(user.disk.waiting(), script.writes.size());
  EXPECT_TRUE(user.wait_for(script.writes.size()));
}

TEST(simulated_log_store, keeps_a_prefix_of_whole_transactions_at_a_crash) {
  const test::replica_script script;
  std::set<std::string> possible;
  for (const auto end : script.ends()) {
    possible.insert(test::text_after(script.writes, end));
  }
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    disk_user user{seed};
    user.disk.slow_down(milliseconds{500});
    user.write(script.writes);
    user.world.run_for(milliseconds{1});
    user.kill();
    user.start();
    seen.insert(user.text());
  }
  EXPECT_EQ(seen, possible);
}

TEST(simulated_log_store, rejects_writes_while_it_is_full_until_a_whole_map_fits) {
  const test::replica_script script;
  disk_user user;
  user.disk.fail_with(storage_errc::store_full);
  EXPECT_EQ(user.result_of(script.writes[0]), storage_errc::store_full);
  user.disk.fail_with({});
  EXPECT_EQ(user.result_of(script.writes[1]), storage_errc::store_full);
  auto whole = script.writes[0];
  whole.replaces = true;
  EXPECT_FALSE(user.result_of(whole));
  EXPECT_FALSE(user.disk.content().empty());
}

TEST(simulated_log_store, works_after_a_failure_when_it_is_opened_again) {
  const test::replica_script script;
  disk_user user;
  user.disk.fail_with(storage_errc::store_failed);
  auto whole = script.writes[0];
  whole.replaces = true;
  EXPECT_EQ(user.result_of(whole), storage_errc::store_failed);
  user.disk.fail_with({});
  EXPECT_EQ(user.result_of(whole), storage_errc::store_failed);
  user.kill();
  user.start();
  EXPECT_FALSE(user.result_of(whole));
}

TEST(simulated_log_store, has_nothing_after_it_was_wiped) {
  const test::replica_script script;
  disk_user user;
  user.write(script.writes);
  ASSERT_TRUE(user.wait_for(script.writes.size()));
  user.kill();
  user.disk.wipe();
  user.start();
  EXPECT_EQ(user.text(), test::text_after(script.writes, 0));
}

TEST(simulated_log_store, a_planted_fault_confirms_what_a_crash_loses) {
  const test::replica_script script;
  bool lost = false;
  for (std::uint64_t seed = 1; seed <= 20 && !lost; ++seed) {
    disk_user user{seed};
    user.disk.plant({.confirms_early = true});
    user.disk.slow_down(milliseconds{500});
    user.write(script.writes);
    ASSERT_TRUE(user.wait_for(script.writes.size()));
    user.kill();
    user.start();
    lost = user.text() != test::text_after(script.writes, script.writes.size());
  }
  EXPECT_TRUE(lost);
}

TEST(stored_state, has_the_map_after_all_entries_of_its_log) {
  const test::replica_script script;
  test::stored_state stored;
  for (const auto& each : script.writes) {
    stored.write(each);
  }
  const auto all = stored.latest();
  EXPECT_EQ(all.at("n1"), std::string(6'000, 'b'));
  EXPECT_FALSE(all.contains("k1"));
}

}  // namespace
}  // namespace chp::simulation
