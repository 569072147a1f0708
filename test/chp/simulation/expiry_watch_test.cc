// Times to live in the simulation of the map: each violation, and what is none.
#include "test/chp/simulation/expiry_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace chp::simulation {
namespace {

using namespace std::chrono_literals;

class expiry_test : public testing::Test {
protected:
  // A client sets the key for 2 s.
  void set(const std::string& key) {
    const auto which = history.begin("anna", "/once/ttl/" + key, key, 2s);
    history.end(which, {}, truth::both_servers, key);
    map.insert("/once/ttl/" + key);
  }
  void pass(std::chrono::milliseconds time) { state.events.advance(time); }
  void look(expiry_watch& on, bool on_both = true) {
    on.look([this](std::string_view key) { return map.contains(std::string{key}); }, on_both,
            state.events.now());
  }
  // The server ends all keys.
  void expire(expiry_watch& on, bool on_both = true) {
    look(on, on_both);
    map.clear();
    look(on, on_both);
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
  expiry_watch primary{history, "primary"};
  expiry_watch backup{history, "backup"};
  std::set<std::string> map;
};

TEST_F(expiry_test, a_key_may_expire_when_its_time_is_over) {
  primary.on_active(state.events.now());
  set("a");
  look(primary);
  pass(2s);
  expire(primary);
  EXPECT_EQ(history.expired(), 1U);
  history.on_rest({});
  expect({});
}

TEST_F(expiry_test, sees_an_early_expiry) {
  primary.on_active(state.events.now());
  set("a");
  pass(1'990ms);
  expire(primary);
  expect({violation::expired_early});
}

TEST_F(expiry_test, counts_by_the_clock_of_the_server) {
  primary.set_clock(zmtp::simulation::clock_rate{110});
  primary.on_active(state.events.now());
  set("a");
  pass(1'820ms);
  expire(primary);
  expect({});
  set("b");
  pass(1'815ms);
  expire(primary);
  expect({violation::expired_early});
}

TEST_F(expiry_test, counts_the_full_time_again_in_each_reign) {
  primary.on_active(state.events.now());
  set("a");
  look(primary);
  pass(1s);
  primary.on_end();
  backup.on_active(state.events.now());
  pass(1s);
  backup.on_active(state.events.now());  // in another epoch
  expire(backup);
  expect({violation::expired_early});
}

TEST_F(expiry_test, ignores_a_key_that_expired_in_an_earlier_reign) {
  primary.on_active(state.events.now());
  set("a");
  map.clear();
  look(primary);
  expect({});
  EXPECT_EQ(history.expired(), 0U);
}

TEST_F(expiry_test, sees_an_expired_key_that_returns) {
  primary.on_active(state.events.now());
  set("a");
  pass(2s);
  expire(primary);
  primary.on_end();
  map.insert("/once/ttl/a");
  look(primary);
  expect({});
  backup.on_active(state.events.now());
  look(backup);
  look(backup);
  expect({violation::expired_returns});
}

TEST_F(expiry_test, an_expiry_of_one_server_may_be_lost) {
  primary.on_active(state.events.now());
  set("a");
  pass(2s);
  expire(primary, false);
  map.insert("/once/ttl/a");
  look(primary);
  expect({});
}

TEST_F(expiry_test, an_expiry_that_no_server_has_any_more_may_be_lost) {
  primary.on_active(state.events.now());
  set("a");
  pass(2s);
  expire(primary);
  history.on_loss({{}, {{"b", "a part of the log"}}});
  map.insert("/once/ttl/a");
  look(primary);
  expect({});
}

TEST_F(expiry_test, sees_a_key_that_does_not_expire) {
  set("a");
  history.on_rest({{"/once/ttl/a", "a"}});
  expect({violation::unexpired});
}

TEST_F(expiry_test, sees_an_expiry_of_an_older_value_that_ends_a_newer_one) {
  history.end(history.begin("anna", "k", "1", 2s), {}, truth::both_servers, "1");
  history.end(history.begin("anna", "k", "2"), {}, truth::both_servers, "2");
  pass(2s);
  history.on_rest({});
  expect({violation::lost});
}

TEST_F(expiry_test, an_update_may_end_before_a_value_that_expires) {
  const auto first = history.begin("anna", "k", "1");
  const auto second = history.begin("bert", "k", "2", 2s);
  history.end(second, {}, truth::both_servers, "2");
  history.end(first, {}, truth::both_servers, "2");
  pass(1s);
  history.on_rest({});
  expect({violation::lost, violation::lost});
  pass(1s);
  history.on_rest({});
  expect({violation::lost, violation::lost});
}

}  // namespace
}  // namespace chp::simulation
