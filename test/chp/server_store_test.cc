// Servers of the map with a store, on real sockets. Committed updates survive a restart, also after a kill of
// both servers of a pair (reliability 3.2, G7).

#include "chp/client.h"
#include "chp/server.h"
#include "chp/sqlite_log_store.h"
#include "test/chp/memory_log_store.h"
#include "test/chp/pair_fixture.h"
#include "test/support/scratch_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace chp {
namespace {

using boost::system::error_code;

// In memory, and sometimes slow or without room.
class small_store final : public log_store {
public:
  explicit small_store(const boost::asio::any_io_executor& executor) : kept_{executor} {}

  void load(std::unique_ptr<history> into, history::time_point now,
            load_handler on_loaded) override {
    kept_.load(std::move(into), now, std::move(on_loaded));
  }
  void write(state_write&& change, write_handler on_written) override {
    if (slow) {
      waiting.emplace_back(std::move(change), std::move(on_written));
    } else {
      kept_.write(std::move(change), std::move(on_written));
    }
  }
  void set_full(bool full) {
    kept_.fail_with(full ? error_code{zmtp::storage_errc::store_full} : error_code{});
  }
  void go_on() {
    slow = false;
    for (auto& [change, on_written] : std::exchange(waiting, {})) {
      kept_.write(std::move(change), std::move(on_written));
    }
  }

  bool slow = false;
  std::vector<std::pair<state_write, write_handler>> waiting;

private:
  test::memory_log_store kept_;
};

class server_store : public pair_test {
protected:
  ~server_store() override {
    client_.reset();
    server_.reset();
    primary.server.reset();
    backup.server.reset();
  }

  loaded_log load(std::shared_ptr<log_store> from, const server_options& options = {}) {
    std::optional<loaded_log> loaded;
    load_log(executor(), std::move(from), options, [&](error_code ec, loaded_log all) {
      EXPECT_FALSE(ec) << ec.message();
      loaded = std::move(all);
    });
    run_until([&] { return loaded.has_value(); });
    return std::move(*loaded);
  }
  [[nodiscard]] std::shared_ptr<log_store> file() {
    return std::make_shared<sqlite_log_store>(
        executor(), log_file_options{.file = {.path = folder_.path("map")}});
  }
  // At the same ports again.
  void serve(std::shared_ptr<log_store> from, server_options options = {}) {
    server_.reset();
    options.heartbeat = 20ms;
    server_.emplace(
        executor(), options, load(std::move(from), options),
        server_handlers{.on_event = [this](server_event what) { events_.push_back(what); }});
    const auto& before = at_.snapshots;
    at_ = server_->bind(before.tcp() != nullptr && before.tcp()->port != 0 ? before.to_string()
                                                                           : "tcp://127.0.0.1:*");
  }
  void connect(const std::vector<server_endpoints>& servers) {
    client_options options;
    options.heartbeat = 50ms;
    options.retry = 5ms;
    options.longest_retry = 20ms;
    options.resend = 100ms;
    std::vector<server_address> all;
    for (const auto& at : servers) {
      all.push_back(server_address::at(at.snapshots.to_string()));
    }
    client_.emplace(executor(), all, options,
                    [this](const client_event& e) { received_.push_back(e.what); });
  }
  void set(std::string key, std::string value) {
    ++asked_;
    client_->async_set(std::move(key), std::move(value), {}, [this](error_code ec, truth) {
      EXPECT_FALSE(ec) << ec.message();
      ++committed_;
    });
  }
  void commit_all() {
    run_until([this] { return committed_ == asked_; });
  }
  [[nodiscard]] content copy() const {
    content all;
    client_->for_each(
        "", [&](std::string_view key, std::string_view value) { all.emplace(key, value); });
    return all;
  }
  [[nodiscard]] bool saw(server_event what) const {
    return std::find(events_.begin(), events_.end(), what) != events_.end();
  }

  const zmtp::test::scratch_folder folder_;
  std::optional<server> server_;
  server_endpoints at_;
  std::vector<server_event> events_;
  std::optional<chp::client> client_;
  std::vector<client_event::kind> received_;
  std::size_t asked_ = 0;
  std::size_t committed_ = 0;
};

TEST_F(server_store, committed_updates_survive_a_restart) {
  serve(file());
  connect({at_});
  content expected;
  for (int n = 0; n < 200; ++n) {
    const auto key = "/k/" + std::to_string(n % 50);
    set(key, std::to_string(n));
    expected[key] = std::to_string(n);
  }
  commit_all();
  EXPECT_EQ(server_->status().kept, store_status::all);
  EXPECT_EQ(server_->status().committed, make_sequence(1, 200));
  for (int life = 0; life < 2; ++life) {
    serve(file());
    EXPECT_EQ(server_->status().keys, expected.size());
    set("life", std::to_string(life));
    expected["life"] = std::to_string(life);
    commit_all();
    EXPECT_EQ(copy(), expected);
  }
  EXPECT_EQ(server_->status().number, make_sequence(3, 1)) << "no number comes again";
  EXPECT_EQ(std::count(received_.begin(), received_.end(), client_event::kind::history_lost), 0);
}

TEST_F(server_store, stores_the_next_epoch_before_it_uses_it) {
  server_options options;
  options.epoch_reserve = max_position;
  serve(file(), options);
  connect({at_});
  set("a", "1");
  run_until([this] { return epoch_of(server_->status().number) == 2; });
  set("b", "2");
  commit_all();
  const auto last = epoch_of(server_->status().number);
  serve(file());
  EXPECT_EQ(epoch_of(server_->status().number), last + 1);
  EXPECT_EQ(server_->status().keys, 2U);
}

TEST_F(server_store, does_not_load_a_file_in_use) {
  serve(file());
  error_code result;
  load_log(executor(), file(), {}, [&](error_code ec, const loaded_log&) { result = ec; });
  run_until([&] { return result.failed(); });
  EXPECT_EQ(result, zmtp::storage_errc::store_in_use);
}

TEST_F(server_store, keeps_a_stored_map_above_its_limits_and_takes_no_more) {
  serve(file());
  connect({at_});
  set("a", "1");
  set("b", "2");
  commit_all();
  serve(file(), {.map = {.max_keys = 1}});
  EXPECT_EQ(server_->status().keys, 2U);
  error_code refused;
  client_->async_set("c", "3", {}, [&](error_code ec, truth) { refused = ec; });
  run_until([&] { return refused.failed(); });
  EXPECT_EQ(refused, errc::too_many_keys);
  set("a", "4");
  commit_all();
}

TEST_F(server_store, commits_nothing_while_the_disk_is_full) {
  const auto store = std::make_shared<small_store>(executor());
  serve(store, {.store_retry = 10ms});
  connect({at_});
  set("before", "1");
  commit_all();
  store->set_full(true);
  set("meanwhile", "2");
  run_until([&] {
    return saw(server_event::store_full) && server_->status().number == make_sequence(1, 2);
  });
  EXPECT_EQ(server_->status().keys, 1U) << "no client sees what is not committed";
  EXPECT_EQ(server_->status().kept, store_status::full);
  EXPECT_EQ(server_->status().committed, make_sequence(1, 1));
  EXPECT_EQ(committed_, 1U);
  store->set_full(false);
  commit_all();
  EXPECT_TRUE(saw(server_event::stored));
  EXPECT_EQ(server_->status().kept, store_status::all);
}

TEST_F(server_store, no_client_sees_an_update_that_is_not_on_the_disk) {
  const auto store = std::make_shared<small_store>(executor());
  serve(store);
  store->slow = true;
  raw_client client{executor(), at_};
  join(client);
  shell_test::set(client, "a", "1");
  run_until([&] { return server_->status().number == make_sequence(1, 1); });
  for (int heartbeats = 0; heartbeats < 3; ++heartbeats) {
    zmtp::message m;
    run_until([&] { return client.subscriber.try_receive(m); });
    ASSERT_EQ(m.front(), "HUGZ");
  }
  EXPECT_TRUE(snapshot(client).empty());
  store->go_on();
  EXPECT_EQ(next(client).front(), "a");
}

TEST_F(server_store, stops_reading_updates_while_too_many_bytes_wait_for_the_disk) {
  const auto store = std::make_shared<small_store>(executor());
  serve(store, {.unwritten_bytes = 10'000});
  connect({at_});
  set("first", "1");
  commit_all();
  store->slow = true;
  for (int n = 0; n < 100; ++n) {
    set("k" + std::to_string(n), std::string(200'000, 'x'));
  }
  run_until([&] { return position_of(server_->status().number) > 1; });
  run_ready();
  const auto read = position_of(server_->status().number);
  // A client that requests the map gets it meanwhile. The server reads no other message.
  raw_client other{executor(), at_};
  EXPECT_EQ(snapshot(other).size(), 1U);
  EXPECT_EQ(position_of(server_->status().number), read);
  EXPECT_LT(read, 50U);
  store->go_on();
  commit_all();
  EXPECT_EQ(server_->status().keys, 101U);
}

TEST_F(server_store, a_server_may_be_stopped_while_it_waits_for_the_disk) {
  const auto store = std::make_shared<small_store>(executor());
  serve(store, {.unwritten_bytes = 100});
  {
    raw_client client{executor(), at_};
    join(client);
    store->slow = true;
    shell_test::set(client, "a", std::string(1'000, 'x'));
    run_until([&] { return position_of(server_->status().number) == 1; });
  }
  server_.reset();
  store->waiting.clear();
  run_to_the_end();
}

// Tests of a pair.

class pair_store : public server_store {
protected:
  using disk = std::shared_ptr<test::stored_state>;

  void make_kept(node& n, const replicated_server_options& options, const disk& on) {
    n.events.clear();
    auto loaded = load(std::make_shared<test::memory_log_store>(executor(), on));
    n.server.emplace(
        executor(), options, std::move(loaded),
        replicated_server_handlers{.on_event = [&n](server_event e) { n.events.push_back(e); }});
    const bool again = n.at.snapshots.tcp() != nullptr && n.at.snapshots.tcp()->port != 0;
    n.at = n.server->bind(again ? n.at.snapshots.to_string() : "tcp://127.0.0.1:*");
    n.state = n.server->bind_state(n.state.empty() ? "tcp://127.0.0.1:*" : n.state).to_string();
  }
  void start_kept() {
    make_kept(primary, options_of(bstar::role::primary), primary_disk_);
    make_kept(backup, options_of(bstar::role::backup), backup_disk_);
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
  make_kept(primary, lasting, primary_disk_);
  make_kept(backup, options_of(bstar::role::backup), backup_disk_);
  pair_test::connect(primary, backup);
  pair_test::connect(backup, primary);
  run_until([this] { return primary.server->status().server.backup_in_sync; });
  server_store::connect({primary.at, backup.at});
  set("a", "1");
  commit_all();
  kill_both();
  make_kept(primary, lasting, primary_disk_);
  EXPECT_FALSE(primary.server->status().pair.data_lost);
  EXPECT_EQ(position_of(primary.server->status().server.number), 1U);
  primary.server.reset();
  make_kept(primary, lasting, std::make_shared<test::stored_state>());
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

}  // namespace
}  // namespace chp
