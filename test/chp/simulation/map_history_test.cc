// The history of a simulated pair of the map: each violation, and what is none.
#include "test/chp/simulation/map_history.h"

#include "chp/error.h"
#include "chp/log_entry.h"
#include "test/chp/simulation/disk_watch.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace chp::simulation {
namespace {

using content = map_history::content;

class history_test : public testing::Test {
protected:
  // An update that has ended with an outcome.
  void made(const std::string& key, const std::string& value, truth says = truth::both_servers,
            boost::system::error_code ec = {}) {
    const auto which = history.begin("anna", key, value);
    history.end(which, ec, says, value.empty() ? std::nullopt : std::optional<std::string>{value});
  }
  void expect(const std::vector<violation>& all) const {
    std::vector<violation> seen;
    for (const auto& each : history.findings()) {
      seen.push_back(each.what);
    }
    EXPECT_EQ(seen, all);
  }

  zmtp::simulation::run_state state{1};
  map_history history{state, {}};
};

TEST_F(history_test, keeps_what_both_servers_have) {
  made("a", "1");
  made("b", "2");
  made("b", "");
  history.on_rest({{"a", "1"}});
  expect({});
}

TEST_F(history_test, sees_a_lost_update) {
  made("a", "1");
  history.on_rest({});
  expect({violation::lost});
}

TEST_F(history_test, sees_an_older_update_that_replaces_a_newer_one) {
  made("a", "1");
  made("a", "2");
  history.on_rest({{"a", "1"}});
  expect({violation::older_wins});
}

TEST_F(history_test, sees_an_erased_key_that_comes_back) {
  made("a", "1");
  made("a", "");
  history.on_rest({{"a", "1"}});
  expect({violation::older_wins});
}

TEST_F(history_test, accepts_either_order_of_updates_at_the_same_time) {
  const auto first = history.begin("anna", "a", "1");
  const auto second = history.begin("bert", "a", "2");
  history.end(second, {}, truth::both_servers, "2");
  history.end(first, {}, truth::both_servers, "1");
  history.on_rest({{"a", "2"}});
  history.on_rest({{"a", "1"}});
  expect({});
}

TEST_F(history_test, an_update_that_no_server_had_any_more_may_be_lost) {
  made("a", "1");
  history.on_loss({{}, {{"a", "1"}, {"b", "2"}}});
  EXPECT_EQ(history.gone(), 0U);
  history.on_loss({{}, {}});
  EXPECT_EQ(history.gone(), 1U);
  history.on_rest({});
  expect({});
}

TEST_F(history_test, a_server_reads_an_update_after_its_peer_lost_it) {
  made("a", "1", truth::one_server);
  history.on_loss({{}, {}});
  history.on_more_on_both();
  history.on_loss({{}, {{"a", "1"}}});
  history.on_loss({{}, {}});
  history.on_rest({});
  expect({});
}

TEST_F(history_test, a_server_that_still_read_an_update_becomes_active_and_loses_it) {
  for (const bool both_know : {true, false}) {
    map_history one{state, {}};
    one.end(one.begin("anna", "a", "1"), {}, truth::one_server, "1");
    one.on_loss({{}, {}});
    if (both_know) {
      one.on_more_on_both();
    }
    std::vector<content> maps{{}, {{"a", "1"}}};
    one.look_with([&maps] { return maps; });
    one.on_active(1);
    maps = {{}, {}};
    one.on_loss(maps);
    one.on_rest({});
    EXPECT_EQ(one.findings().size(), both_know ? 0U : 1U);
  }
}

TEST_F(history_test, an_update_that_a_server_still_read_must_be_kept) {
  made("a", "1");
  history.on_loss({{}, {}});
  history.on_loss({{}, {{"a", "1"}}});
  history.on_rest({});
  expect({violation::lost});
}

TEST_F(history_test, a_log_with_more_than_its_map_can_bring_an_older_value) {
  made("a", "1");
  made("a", "2");
  made("a", "");
  made("b", "3");
  // The log has 1 too.
  history.on_loss({{}, {{"b", "3"}}}, false);
  history.on_rest({{"a", "1"}, {"b", "3"}});
  expect({});
  history.on_rest({{"a", "1"}});
  expect({violation::lost});
  // Later the log has no more.
  history.on_loss({{}, {{"b", "3"}}});
  history.on_rest({{"a", "1"}, {"b", "3"}});
  expect({violation::lost, violation::older_wins, violation::older_wins});
}

// The other server executes a copy that was on its way to it.
TEST_F(history_test, an_update_of_one_server_can_be_executed_later_by_the_other) {
  const auto end = [](map_history& of, const std::string& value, truth says,
                      const std::string& copy,
                      server by) { of.end(of.begin("anna", "a", value), {}, says, copy, by); };
  end(history, "1", truth::one_server, "1", 0);
  end(history, "2", truth::one_server, "1", 1);
  expect({});
  end(history, "3", truth::one_server, "1", 0);
  expect({violation::not_in_copy});
  end(history, "4", truth::both_servers, "4", 0);
  end(history, "5", truth::one_server, "4", 1);
  expect({violation::not_in_copy, violation::not_in_copy});
  map_history with_witness{state, {.witness = true}};
  end(with_witness, "6", truth::one_server, "6", 0);
  end(with_witness, "7", truth::one_server, "6", 1);
  EXPECT_EQ(with_witness.findings().size(), 1U);
}

// The first server has the log of that reign now.
TEST_F(history_test, the_other_server_executes_an_update_again_in_its_own_reign) {
  const auto end = [this](const std::string& value, const std::string& copy) {
    history.end(history.begin("anna", "a", value), {}, truth::one_server, copy, 0);
  };
  history.on_active(1);
  history.on_active(0);
  end("1", "1");
  end("2", "1");
  expect({violation::not_in_copy});
  history.on_active(0);
  end("3", "1");
  expect({violation::not_in_copy, violation::not_in_copy});
  history.on_active(1);
  history.on_active(0);
  end("4", "1");
  expect({violation::not_in_copy, violation::not_in_copy});
}

TEST_F(history_test, an_outcome_can_be_under_way_while_the_servers_lose_the_update) {
  const auto which = history.begin("anna", "a", "1");
  history.on_loss({{}, {}});
  history.end(which, {}, truth::both_servers, "1");
  EXPECT_EQ(history.gone(), 1U);
  history.on_rest({});
  expect({});
}

TEST_F(history_test, a_server_without_data_has_no_erased_keys) {
  made("a", "");
  history.on_loss({{}, {}});
  EXPECT_EQ(history.gone(), 1U);
}

TEST_F(history_test, sees_an_update_that_was_refused_or_not_sent) {
  made("a", "1", truth::unknown, errc::refused);
  made("b", "2", truth::unknown, errc::not_sent);
  history.on_rest({{"a", "1"}, {"b", "2"}});
  expect({violation::came_back, violation::came_back});
}

TEST_F(history_test, an_unconfirmed_update_may_be_made_or_not) {
  made("a", "1", truth::unknown, errc::unconfirmed);
  history.on_rest({});
  history.on_rest({{"a", "1"}});
  expect({});
}

TEST_F(history_test, sees_a_reported_loss_that_comes_back) {
  made("a", "1", truth::one_disk);
  history.on_told_lost("a", "1");
  history.on_rest({{"a", "1"}});
  expect({violation::came_back});
}

TEST_F(history_test, a_reported_loss_comes_back_with_a_lost_history) {
  made("a", "1", truth::one_disk);
  history.on_told_lost("a", "1");
  history.on_told_history_lost("anna");
  history.on_rest({{"a", "1"}});
  expect({});
}

TEST_F(history_test, a_loss_comes_back_in_a_later_reign_without_its_client) {
  history.on_active(0);
  made("a", "1", truth::one_disk);
  made("b", "2", truth::unknown, errc::refused);
  history.on_told_lost("a", "1");
  history.on_unserved("anna");
  history.on_rest({{"a", "1"}, {"b", "2"}});
  expect({violation::came_back, violation::came_back});
  history.on_active(1);
  history.on_unserved("bert");
  history.on_rest({{"a", "1"}, {"b", "2"}});
  expect({violation::came_back, violation::came_back, violation::came_back, violation::came_back});
  history.on_unserved("anna");
  history.on_rest({{"a", "1"}, {"b", "2"}});
  expect({violation::came_back, violation::came_back, violation::came_back, violation::came_back});
}

TEST_F(history_test, a_refused_update_comes_back_with_a_lost_history) {
  made("a", "1", truth::unknown, errc::refused);
  made("b", "2", truth::unknown, errc::not_sent);
  history.on_told_history_lost("anna");
  history.on_rest({{"a", "1"}});
  expect({});
  history.on_rest({{"b", "2"}});
  expect({violation::came_back});
}

TEST_F(history_test, sees_a_value_of_no_client) {
  history.on_rest({{"a", "1"}});
  expect({violation::unknown_value});
}

TEST_F(history_test, sees_an_outcome_that_the_copy_does_not_show) {
  made("a", "1");
  const auto which = history.begin("anna", "a", "2");
  history.end(which, {}, truth::both_servers, "1");
  expect({violation::not_in_copy});
}

// A server of the Guide executes updates again, but no other update has the key of `/once/`.
TEST(guide_history, an_older_value_may_come_back_but_a_key_must_be_there) {
  zmtp::simulation::run_state state{1};
  map_history history{state, {.beside_guide = true}};
  const auto end = [&](const std::string& key, truth says, const std::string& copy) {
    history.end(history.begin("anna", key, "first " + key), {}, says, "first " + key);
    history.end(history.begin("anna", key, "next " + key), {}, says, copy);
  };
  end("/shared/0", truth::unknown, "first /shared/0");
  EXPECT_TRUE(history.findings().empty());
  end("/shared/1", truth::one_server, "first /shared/1");
  EXPECT_EQ(history.findings().size(), 1U) << "our server executes each of them once";
  history.end(history.begin("anna", "/once/1", "1"), {}, truth::unknown, std::nullopt);
  EXPECT_EQ(history.findings().size(), 2U);
}

TEST_F(history_test, sees_one_server_under_block) {
  map_history block{state, {.block = true}};
  const auto which = block.begin("anna", "a", "1");
  block.end(which, {}, truth::one_server, "1");
  ASSERT_EQ(block.findings().size(), 1U);
  EXPECT_EQ(block.findings().front().what, violation::one_in_block);
}

TEST_F(history_test, sees_a_loss_that_was_not_told) {
  made("a", "1", truth::one_disk);
  history.on_lost_line(R"({"number":1,"key":"a","value":"1"})", {});
  history.on_rest({});
  expect({violation::unreported_loss});
}

TEST_F(history_test, sees_a_loss_that_is_not_in_a_file) {
  made("a", "1", truth::one_disk);
  history.on_told_lost("a", "1");
  history.on_rest({});
  expect({violation::not_in_file});
}

TEST_F(history_test, a_loss_that_is_told_and_written_is_none) {
  made("a", "1", truth::one_disk);
  made("b", "", truth::one_disk);
  history.on_told_lost("a", "1");
  history.on_told_lost("b", "");
  history.on_lost_line(R"({"number":1,"key":"a","value":"1"})", {});
  history.on_lost_line(R"({"number":2,"key":"b","erased":true})", {});
  history.on_rest({});
  expect({});
}

TEST_F(history_test, sees_a_cut_of_both) {
  made("a", "1");
  history.on_lost_line(R"({"number":1,"key":"a","value":"1"})", {{"a", "1"}});
  expect({});
  history.on_lost_line(R"({"number":1,"key":"a","value":"1"})", {});
  expect({violation::cut_of_both});
}

TEST_F(history_test, sees_a_server_that_stops_without_a_cause) {
  made("a", "1");
  history.on_stopped("primary");
  expect({violation::stopped});
  history.on_loss({{}, {}});
  history.on_stopped("primary");
  expect({violation::stopped});
}

TEST_F(history_test, an_incomplete_file_need_not_have_what_can_be_replaced) {
  made("a", "1", truth::one_disk);
  made("/once/2", "2", truth::one_disk);
  history.on_lost_line(R"({"incomplete":true})", {});
  made("b", "3", truth::one_disk);
  for (const auto* const each : {"1", "2", "3"}) {
    history.on_told_lost({}, each);
  }
  history.on_rest({});
  expect({violation::not_in_file, violation::not_in_file});
}

TEST_F(history_test, sees_an_outcome_of_both_that_one_disk_never_had) {
  map_history pair{state, {.stores = {true, true}}};
  const auto which = pair.begin("anna", "/once/1", "1");
  pair.on_disk(0, "1");
  pair.end(which, {}, truth::both_disks, "1");
  ASSERT_EQ(pair.findings().size(), 1U);
  EXPECT_EQ(pair.findings().front().what, violation::not_on_both);
  pair.on_disk(1, "1");
  pair.end(which, {}, truth::both_disks, "1");
  EXPECT_EQ(pair.findings().size(), 1U);
}

TEST_F(history_test, sees_an_outcome_of_both_disks_where_one_server_has_no_store) {
  map_history pair{state, {.stores = {true, false}}};
  const auto which = pair.begin("anna", "/once/1", "1");
  pair.on_disk(0, "1");
  pair.end(which, {}, truth::both_servers, "1");
  EXPECT_TRUE(pair.findings().empty());
  pair.end(which, {}, truth::both_disks, "1");
  ASSERT_EQ(pair.findings().size(), 1U);
  EXPECT_EQ(pair.findings().front().what, violation::not_on_both);
}

TEST_F(history_test, sees_a_loss_of_what_a_client_has_seen) {
  static_cast<void>(history.begin("anna", "/once/1", "1"));
  history.on_seen("/once/1");
  history.on_rest({{"/once/1", "1"}});
  expect({});
  history.on_rest({});
  expect({violation::seen_lost});
}

TEST_F(history_test, sees_an_update_that_a_disk_has_twice) {
  disk_watch watch{history, 0, "primary"};
  state_write first;
  append_record(first.entries, {.number = 1, .key = "/once/a", .value = "1"});
  append_record(first.entries, {.number = 2, .key = "b", .value = "2"});
  first.more = true;
  watch.on_write(first);
  watch.on_crash();
  first.more = false;
  first.entries.clear();
  append_record(first.entries, {.number = 3, .key = "/once/a", .value = "1"});
  append_record(first.entries, {.number = 4, .key = "b", .value = "2"});
  append_record(first.entries, {.number = 5, .key = "b", .value = "3"});
  append_record(first.map, {.number = 3, .key = "/once/a", .value = "1"});
  watch.on_write(first);
  expect({});
  state_write second;
  append_record(second.entries, {.number = 6, .key = "/once/a", .value = "1"});
  second.replaces = true;
  watch.on_write(second);
  expect({});
  second.replaces = false;
  second.entries.clear();
  append_record(second.entries, {.number = 7, .key = "b", .value = "4"});
  append_record(second.entries, {.number = 8, .key = "b", .value = "5~1"});
  append_record(second.entries, {.number = 9, .key = "b", .value = "6"});
  append_record(second.entries, {.number = 10, .key = "b", .value = "5~1"});
  watch.on_write(second);
  expect({});
  second.entries.clear();
  append_record(second.entries, {.number = 11, .key = "/once/a", .value = "1"});
  append_record(second.entries, {.number = 12, .key = "b", .value = "4"});
  watch.on_write(second);
  expect({violation::made_twice, violation::made_twice});
}

}  // namespace
}  // namespace chp::simulation
