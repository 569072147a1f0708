// A server of the map with a store (reliability 3.2, G7). Acknowledged updates are on the disk, and stored
// updates survive a crash.

#include "chp/properties.h"
#include "test/chp/kept_setting.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace chp {
namespace {

TEST(server_kept, publishes_immediately_and_acknowledges_when_the_update_is_on_disk) {
  kept_setting s;
  s.activate();
  const auto peer = s.subscribe(client());
  s.set("a", "1", id(1));
  s.set("b", "2", id(2));
  s.pass(10ms);
  EXPECT_EQ(s.publications().size(), 2U);
  EXPECT_TRUE(s.notified[peer].empty());
  EXPECT_EQ(s.server.status().committed, 0U);
  EXPECT_GT(s.server.status().unwritten_bytes, 0U);
  s.store_one();
  EXPECT_EQ(s.acked(peer), 1U);
  s.set("a", "1", id(1));
  s.set("b", "2", id(2));
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 1U) << "one that comes again, too";
  s.store_all();
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 2U);
  EXPECT_EQ(s.server.status().committed, 2U);
  EXPECT_EQ(s.server.status().unwritten_bytes, 0U);
}

TEST(server_kept, without_a_store_nothing_is_written) {
  server_setting s;
  s.activate();
  s.set("a", "1", id(1));
  s.pass(10s);
  EXPECT_TRUE(s.given.empty());
  EXPECT_EQ(s.server.status().kept, store_status::nothing);
}

TEST(server_kept, stored_updates_survive_a_crash_and_are_not_applied_twice) {
  kept_setting before;
  before.activate();
  before.set("a", "1", id(1));
  before.set("a", "2", id(2));
  before.set("b", "3", id(3));
  before.set("b", "", id(4));
  before.store_all();
  before.set("c", "lost", id(5));
  kept_setting s{before.on_disk()};
  s.activate();
  EXPECT_EQ(s.content(), (key_values{{"a", "2"}}));
  EXPECT_EQ(s.server.number(), 4U);
  const auto peer = s.subscribe(client());
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 4U) << "it receives the committed counter";
  s.set("a", "1", id(1));
  s.set("b", "3", id(3));
  EXPECT_EQ(s.server.status().counters.repeated, 2U);
  EXPECT_TRUE(s.publications().empty());
  // The client resends the update, because it was not acknowledged.
  s.set("c", "lost", id(5));
  ASSERT_EQ(s.published.size(), 1U);
  EXPECT_EQ(number_of(s.published.back()), 5U);
  s.store_all();
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 5U);
}

TEST(server_kept, a_new_epoch_is_above_the_stored_one) {
  kept_setting before;
  before.activate(3);
  before.set("a", "1");
  before.store_all();
  kept_setting same{before.on_disk()};
  same.activate(3);
  same.set("b", "1");
  EXPECT_EQ(same.server.number(), make_sequence(3, 2)) << "it was not persisted, and goes on";
  kept_setting next{before.on_disk()};
  next.activate(4);
  EXPECT_FALSE(next.server.has_room()) << "the epoch is not on the disk";
  next.store_all();
  EXPECT_TRUE(next.server.has_room());
  next.set("b", "1");
  EXPECT_EQ(next.server.number(), make_sequence(4, 1));
  next.store_all();
  EXPECT_EQ(next.server.status().durable, make_sequence(4, 1));
}

TEST(server_kept, a_restored_key_has_its_remaining_time_to_live) {
  kept_setting before;
  before.activate();
  before.set("a", "1", {}, "ttl=10\n");
  before.pass(4s);
  before.set("b", "1", {}, "ttl=10\n");
  before.set("gone", "1", {}, "ttl=2\n");
  before.pass(3s);
  before.store_all();
  EXPECT_EQ(before.stored(), (key_values{{"a", "1"}, {"b", "1"}}));
  kept_setting s{before.on_disk()};
  s.activate();
  s.pass(9'990ms);
  EXPECT_EQ(s.content().size(), 2U) << "never early";
  s.pass(10ms);
  EXPECT_TRUE(s.content().empty());
  s.store_all();
  EXPECT_TRUE(s.stored().empty());
}

TEST(server_kept, reports_a_full_disk_and_retries_with_the_whole_map) {
  kept_setting s;
  s.activate();
  const auto peer = s.subscribe(client());
  s.set("a", "1", id(1));
  s.set("b", "2", id(2));
  s.set("c", "3", id(3));
  s.store_one();
  s.result(storage_errc::store_full);
  EXPECT_TRUE(s.saw(server_event::store_full));
  EXPECT_EQ(s.server.status().kept, store_status::full);
  // Writes in flight fail after the first failure.
  s.result(storage_errc::store_full);
  s.pass(900ms);
  EXPECT_TRUE(s.given.empty());
  s.set("d", "4", id(4));
  s.set("a", "", id(5));
  EXPECT_EQ(s.server.status().unwritten_bytes, 0U) << "nothing is kept for the disk meanwhile";
  EXPECT_EQ(s.acked(peer), 1U);
  s.pass(100ms);
  ASSERT_EQ(s.given.size(), 1U);
  ASSERT_EQ(s.given.front().front().what, map_operation::clear);
  s.set("e", "5", id(6));
  EXPECT_EQ(s.given.size(), 2U) << "behind it";
  s.result(storage_errc::store_full);
  s.result(storage_errc::store_full);
  EXPECT_EQ(std::count(s.events.begin(), s.events.end(), server_event::store_full), 1);
  s.pass(1'990ms);
  EXPECT_TRUE(s.given.empty()) << "the pause grows";
  EXPECT_EQ(s.acked(peer), 1U);
  s.pass(10ms);
  s.set("f", "6", id(7));
  s.store_all();
  s.pass(10ms);
  EXPECT_TRUE(s.saw(server_event::stored));
  EXPECT_EQ(s.server.status().kept, store_status::all);
  EXPECT_EQ(s.acked(peer), 7U);
  EXPECT_EQ(s.stored(), s.content());
  s.set("g", "7", id(8));
  s.store_all();
  kept_setting after{s.on_disk()};
  EXPECT_EQ(after.content(), s.content());
}

TEST(server_kept, updates_that_waited_for_a_full_disk_are_committed_incrementally) {
  constexpr std::uint64_t updates = 25'000;
  kept_setting s;
  s.activate();
  const auto peer = s.subscribe(client());
  s.store_all();
  s.set("key", "1", id(1));
  s.result(storage_errc::store_full);
  for (std::uint64_t counter = 2; counter <= updates; ++counter) {
    s.set("key", "x", id(counter));
  }
  s.pass(2s);
  EXPECT_EQ(s.acked(peer), 0U);
  ASSERT_EQ(s.given.size(), 1U) << "the whole map";
  s.store_one();
  EXPECT_EQ(s.server.status().kept, store_status::all);
  EXPECT_GT(s.acked(peer), 0U);
  EXPECT_LT(s.acked(peer), updates) << "in this turn";
  EXPECT_GT(s.server.status().waiting, 0U);
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), updates);
  EXPECT_EQ(s.server.status().waiting, 0U);
}

TEST(server_kept, acknowledges_nothing_after_a_disk_failure) {
  kept_setting s;
  s.activate();
  const auto peer = s.subscribe(client());
  s.set("a", "1", id(1));
  s.store_all();
  s.set("b", "2", id(2));
  s.set("c", "3", id(3));
  s.result(storage_errc::store_failed);
  EXPECT_TRUE(s.saw(server_event::store_failed));
  s.result({});
  s.pass(1h);
  s.set("d", "4", id(4));
  s.pass(1h);
  EXPECT_EQ(s.acked(peer), 1U);
  EXPECT_TRUE(s.given.empty());
  EXPECT_EQ(s.server.status().kept, store_status::failed);
  EXPECT_EQ(s.server.status().durable, 1U);
  EXPECT_EQ(s.content().size(), 4U) << "it serves on";
}

TEST(server_kept, reads_no_updates_while_too_many_bytes_wait_for_the_disk) {
  server_options options;
  options.unwritten_bytes = 1'000;
  kept_setting s{std::make_shared<kept_setting::disk>(), options};
  s.activate();
  EXPECT_TRUE(s.server.has_room());
  s.set("a", std::string(2'000, 'x'));
  EXPECT_FALSE(s.server.has_room());
  s.set("b", "what is there already is taken");
  EXPECT_EQ(s.content().size(), 2U);
  s.store_all();
  EXPECT_TRUE(s.server.has_room());
  // Updates whose acknowledgement waits for the disk count, too.
  s.set("c", "1");
  s.result(storage_errc::store_failed);
  for (std::uint64_t n = 1; n <= 40; ++n) {
    s.set("c", "1", id(n));
  }
  EXPECT_FALSE(s.server.has_room());
}

TEST(server_kept, reports_a_refusal_when_it_is_on_disk_and_keeps_it) {
  kept_setting before{std::make_shared<kept_setting::disk>(), with_short_values()};
  before.activate();
  before.store_all();
  const auto peer = before.subscribe(client());
  before.set("a", "1", id(1));
  before.set("r", too_long, id(2));
  before.set("r", too_long, id(2));
  before.set("c", "3", id(3));
  before.pass(10ms);
  EXPECT_EQ(before.acked(peer), 0U);
  before.store_one();
  before.pass(10ms);
  EXPECT_EQ(before.acked(peer), 1U) << "the refusal is not on the disk";
  before.store_one();
  before.pass(10ms);
  ASSERT_EQ(before.acked(peer), 2U);
  ASSERT_EQ(before.last_ack(peer)->refused.size(), 1U);
  // An update without an acknowledgement has no effect after the crash.
  kept_setting s{before.on_disk()};
  s.activate();
  s.store_all();
  const auto again = s.subscribe(client());
  s.set("r", too_long, id(2));
  s.set("c", "3", id(3));
  s.store_all();
  s.pass(10ms);
  EXPECT_EQ(s.content(), (key_values{{"a", "1"}, {"c", "3"}}))
      << "it is not made, though it could be";
  ASSERT_EQ(s.acked(again), 3U);
  const auto refused = s.last_ack(again)->refused;
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].updates, (counter_range{2, 2}));
  EXPECT_EQ(refused[0].why, before.last_ack(peer)->refused[0].why);
}

TEST(server_kept, a_map_written_after_a_full_disk_contains_the_refusal) {
  kept_setting s{std::make_shared<kept_setting::disk>(), with_short_values()};
  s.activate();
  s.store_all();
  const auto peer = s.subscribe(client());
  s.set("a", "1", id(1));
  s.result(storage_errc::store_full);
  s.set("r", too_long, id(2));
  s.pass(900ms);
  EXPECT_EQ(s.acked(peer), 0U);
  s.pass(100ms);
  s.store_all();
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 2U);
  EXPECT_EQ(s.last_ack(peer)->refused.size(), 1U);
  kept_setting after{s.on_disk()};
  after.activate();
  after.set("r", too_long, id(2));
  EXPECT_EQ(after.content(), (key_values{{"a", "1"}}));
}

// The client's later one of the key came first, by another way.
TEST(server_kept, acknowledges_a_superseded_update_when_its_successor_is_on_disk) {
  kept_setting s;
  s.activate();
  s.store_all();
  const auto peer = s.subscribe(client());
  s.set("a", "later", id(2));
  s.set("a", "earlier", id(1));
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 0U);
  s.store_all();
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 2U);
  kept_setting after{s.on_disk()};
  after.activate();
  after.set("a", "earlier", id(1));
  EXPECT_EQ(after.content(), (key_values{{"a", "later"}}));
}

TEST(server_kept, remembers_the_start_of_its_history_after_a_crash) {
  const auto begun = [](kept_setting& of) {
    const auto answer = of.snapshot(of.snapshot_client(client()));
    return std::string{properties{answer.back().at(3)}.find(property_name::begun).value_or("")};
  };
  kept_setting before;
  before.activate(3);
  before.set("a", "1", id(1));
  before.store_all();
  kept_setting s{before.on_disk()};
  s.activate(4);
  EXPECT_EQ(begun(s), std::to_string(make_sequence(3, 0)));
  kept_setting nothing;
  nothing.activate(4);
  EXPECT_EQ(begun(nothing), std::to_string(make_sequence(4, 0)));
}

TEST(server_kept, refuses_a_stored_map_above_its_limits) {
  kept_setting before;
  before.activate();
  before.set("a", "1");
  before.set("b", "2");
  before.store_all();
  server_options options;
  options.map.max_keys = 1;
  EXPECT_EQ(kept_setting(before.on_disk(), options).restored, errc::too_many_keys);
  const auto of_pair = server_state::kind::paired;
  EXPECT_EQ(kept_setting(before.on_disk(), options, of_pair).restored, error_code{})
      << "which its peer may have had and handed over";
  kept_setting more{before.on_disk()};
  more.activate();
  more.set("c", "3");
  more.store_all();
  EXPECT_EQ(kept_setting(more.on_disk(), options, of_pair).restored, errc::too_many_keys);
}

// The disk always has the map as it was at the number that the server reports as durable.
TEST(server_kept, the_disk_has_the_map_of_one_number) {
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random{seed};
    const auto pick = [&](unsigned count) { return random() % count; };
    auto disk = std::make_shared<kept_setting::disk>();
    std::map<sequence, key_values> history{{0, {}}};
    std::uint64_t counter = 0;
    for (int life = 0; life < 4; ++life) {
      kept_setting s{
          disk, {}, pick(2) == 0 ? server_state::kind::alone : server_state::kind::paired};
      ASSERT_EQ(s.content(), history.at(s.server.number()));
      history.erase(history.upper_bound(s.server.number()), history.end());
      s.activate();
      bool full = false;
      for (int step = 0; step < 60 && !testing::Test::HasFailure(); ++step) {
        switch (pick(6)) {
          case 0:
          case 1: s.set("k" + std::to_string(pick(8)), std::to_string(step), id(++counter)); break;
          case 2: s.set("k" + std::to_string(pick(8)), "", id(++counter)); break;
          case 3: s.set("k" + std::to_string(pick(8)), "mortal", id(++counter), "ttl=1\n"); break;
          case 4:
            full = pick(4) == 0;
            for (auto left = pick(20); left != 0; --left) {
              s.pass(100ms);
              history[s.server.number()] = s.content();
            }
            break;
          case 5:
            while (!s.given.empty() && pick(4) != 0) {
              const bool is_whole = s.given.front().front().what == map_operation::clear;
              if (full || (s.server.status().kept == store_status::full && !is_whole)) {
                s.result(storage_errc::store_full);
              } else {
                s.store_one();
              }
            }
            break;
        }
        history[s.server.number()] = s.content();
        ASSERT_LE(s.server.status().durable, s.server.number());
        if (s.server.status().durable != 0) {
          key_values stored = s.stored();
          std::erase_if(stored, [](const auto& e) { return e.second.empty(); });
          const auto then = history.find(s.server.status().durable);
          ASSERT_NE(then, history.end());
          ASSERT_EQ(stored, then->second);
        }
      }
    }
  }
}

}  // namespace
}  // namespace chp
