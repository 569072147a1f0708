// A server of the map with a store, on real sockets. Committed updates survive a restart.

#include "test/chp/store_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace chp {
namespace {

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
  EXPECT_EQ(server_->status().stored, store_status::all);
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

// The store is not damaged. The limit is one of new updates.
TEST_F(server_store, starts_with_values_above_a_limit_that_was_lowered) {
  serve(file());
  connect({at_});
  set("in the map and the log", std::string(100, 'v'));
  commit_all();
  serve(file(), {.limit = {.max_value_size = 4}});
  set("a", "1");
  commit_all();
  EXPECT_EQ(copy(), (content{{"in the map and the log", std::string(100, 'v')}, {"a", "1"}}));
}

// Numbers of a later epoch would be too large for clients, and for the store.
TEST_F(server_store, does_not_start_in_an_epoch_above_the_last_one) {
  server_options options;
  options.epoch = max_epoch;
  options.epoch_reserve = max_position;  // it would like a later one
  serve(file(), options);
  connect({at_});
  set("a", "1");
  commit_all();
  EXPECT_EQ(epoch_of(server_->status().number), max_epoch);
  try {
    serve(file());
    ADD_FAILURE() << "it has started";
  } catch (const boost::system::system_error& e) {
    EXPECT_EQ(e.code(), errc::sequence_too_large);
  }
  options.epoch = max_epoch + 1;
  EXPECT_THROW(server(executor(), options), boost::system::system_error);
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
  EXPECT_EQ(server_->status().stored, store_status::full);
  EXPECT_EQ(server_->status().committed, make_sequence(1, 1));
  EXPECT_EQ(committed_, 1U);
  store->set_full(false);
  commit_all();
  EXPECT_TRUE(saw(server_event::stored));
  EXPECT_EQ(server_->status().stored, store_status::all);
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

}  // namespace
}  // namespace chp
