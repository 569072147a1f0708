// A server of the map with a store (reliability 3.2, G7): what is acknowledged is on the disk, and what is on
// the disk is there after a crash.

#include "chp/acknowledgement.h"
#include "chp/memory_map_store.h"
#include "chp/pair_record.h"
#include "chp/properties.h"
#include "test/chp/server_fixture.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

namespace chp {
namespace {

using boost::system::error_code;
using zmtp::storage_errc;
using key_values = std::map<std::string, std::string>;

update_id id(std::uint64_t counter) { return update_id::of_session(test_session, counter); }
std::string client() { return "chp-ack=" + session_name(test_session); }

// With a disk that writes when it is told to.
class kept_setting : public server_setting {
public:
  using disk = memory_map_store::contents;

  explicit kept_setting(std::shared_ptr<disk> from = std::make_shared<disk>(),
                        const server_options& options = {},
                        server_state::kind as = server_state::kind::alone)
      : server_setting{options, as}, disk_{std::move(from)} {
    restored = server.restore(disk_->all(), now);
  }

  // The next of what was given to the store is on the disk.
  void store_one() {
    for (const auto& change : given.front()) {
      disk_->apply(change);
    }
    result({});
  }
  void store_all() {
    while (!given.empty()) {
      store_one();
    }
  }
  // It is not.
  void result(error_code ec) {
    given.pop_front();
    server.on_written(ec, now, actions);
    finish();
  }
  [[nodiscard]] const std::shared_ptr<disk>& on_disk() const noexcept { return disk_; }
  [[nodiscard]] key_values stored() const {
    key_values all;
    for (const auto& e : disk_->all().entries) {
      all.emplace(e.key, e.value);
    }
    return all;
  }
  std::uint64_t acked(zmtp::peer_id peer) {
    const auto ack = last_ack(peer);
    return ack ? ack->counter : 0;
  }

  error_code restored;

private:
  std::shared_ptr<disk> disk_;
};

TEST(server_kept, what_is_published_at_once_is_acknowledged_when_it_is_on_the_disk) {
  kept_setting s;
  s.activate();
  const auto peer = s.subscribe(client());
  s.set("a", "1", id(1));
  s.set("b", "2", id(2));
  s.pass(10ms);
  EXPECT_EQ(s.publications().size(), 2U);
  EXPECT_TRUE(s.told[peer].empty());
  EXPECT_EQ(s.server.status().committed, 0U);
  EXPECT_GT(s.server.status().unwritten_octets, 0U);
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
  EXPECT_EQ(s.server.status().unwritten_octets, 0U);
}

TEST(server_kept, without_a_store_nothing_is_written) {
  server_setting s;
  s.activate();
  s.set("a", "1", id(1));
  s.pass(10s);
  EXPECT_TRUE(s.given.empty());
  EXPECT_EQ(s.server.status().kept, keeping::nothing);
}

TEST(server_kept, what_is_on_the_disk_is_there_after_a_crash_and_is_not_applied_twice) {
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
  EXPECT_EQ(s.acked(peer), 4U) << "it is told what is committed";
  s.set("a", "1", id(1));
  s.set("b", "3", id(3));
  EXPECT_EQ(s.server.status().counters.repeated, 2U);
  EXPECT_TRUE(s.publications().empty());
  // What had not been acknowledged is sent again.
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

TEST(server_kept, a_time_to_live_is_what_was_left_when_it_was_written) {
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

TEST(server_kept, a_full_disk_is_told_and_tried_again_with_the_whole_map) {
  kept_setting s;
  s.activate();
  const auto peer = s.subscribe(client());
  s.set("a", "1", id(1));
  s.set("b", "2", id(2));
  s.set("c", "3", id(3));
  s.store_one();
  s.result(storage_errc::store_full);
  EXPECT_TRUE(s.saw(server_event::store_full));
  EXPECT_EQ(s.server.status().kept, keeping::full);
  // What was on its way is refused behind it.
  s.result(storage_errc::store_full);
  s.pass(900ms);
  EXPECT_TRUE(s.given.empty());
  s.set("d", "4", id(4));
  s.set("a", "", id(5));
  EXPECT_EQ(s.server.status().unwritten_octets, 0U) << "nothing is kept for the disk meanwhile";
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
  EXPECT_EQ(s.server.status().kept, keeping::all);
  EXPECT_EQ(s.acked(peer), 7U);
  EXPECT_EQ(s.stored(), s.content());
  s.set("g", "7", id(8));
  s.store_all();
  kept_setting after{s.on_disk()};
  EXPECT_EQ(after.content(), s.content());
}

TEST(server_kept, what_has_waited_for_a_full_disk_is_committed_bit_by_bit) {
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
  EXPECT_EQ(s.server.status().kept, keeping::all);
  EXPECT_GT(s.acked(peer), 0U);
  EXPECT_LT(s.acked(peer), updates) << "in this turn";
  EXPECT_GT(s.server.status().waiting, 0U);
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), updates);
  EXPECT_EQ(s.server.status().waiting, 0U);
}

TEST(server_kept, a_disk_that_fails_is_not_trusted_again_and_nothing_is_acknowledged) {
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
  EXPECT_EQ(s.server.status().kept, keeping::failed);
  EXPECT_EQ(s.server.status().durable, 1U);
  EXPECT_EQ(s.content().size(), 4U) << "it serves on";
}

TEST(server_kept, no_updates_are_read_while_too_much_waits_for_the_disk) {
  server_options options;
  options.unwritten_octets = 1'000;
  kept_setting s{std::make_shared<kept_setting::disk>(), options};
  s.activate();
  EXPECT_TRUE(s.server.has_room());
  s.set("a", std::string(2'000, 'x'));
  EXPECT_FALSE(s.server.has_room());
  s.set("b", "what is there already is taken");
  EXPECT_EQ(s.content().size(), 2U);
  s.store_all();
  EXPECT_TRUE(s.server.has_room());
  // What waits to be acknowledged, while the disk takes nothing, counts, too.
  s.set("c", "1");
  s.result(storage_errc::store_failed);
  for (std::uint64_t n = 1; n <= 40; ++n) {
    s.set("c", "1", id(n));
  }
  EXPECT_FALSE(s.server.has_room());
}

// A value that is too long.
const std::string too_long(2'000, 'v');

server_options with_short_values() {
  server_options options;
  options.limit.max_value_size = 1'000;
  return options;
}

TEST(server_kept, a_refusal_is_told_when_it_is_on_the_disk_and_holds_after_a_crash) {
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
  // What was not told of is as if it had not come.
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

TEST(server_kept, a_refusal_is_in_the_whole_map_that_a_full_disk_takes_later) {
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
TEST(server_kept, what_a_later_one_took_the_place_of_is_told_when_that_is_on_the_disk) {
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

TEST(server_kept, where_its_history_began_is_known_after_a_crash) {
  const auto begun = [](kept_setting& of) {
    const auto answer = of.snapshot(of.asker(client()));
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

TEST(server_kept, more_than_the_options_let_it_have_is_refused) {
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

// Whatever happens, the disk has the map as it was at the number that is said to be durable.
TEST(server_kept, the_disk_has_the_map_as_it_was_at_some_number) {
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
              if (full || (s.server.status().kept == keeping::full && !is_whole)) {
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

// Of a pair.

struct paired_setting : kept_setting {
  explicit paired_setting(std::shared_ptr<disk> from = std::make_shared<disk>(),
                          const server_options& options = {})
      : kept_setting{std::move(from), options, server_state::kind::paired} {}

  // The other one follows.
  void back_up() {
    backup = asker("chp-ack,chp-backup");
    snapshot(backup);
    say(backup, make_position_report(server.number(), 0));
    pass(1ms);
  }
  // Passive, it is connected to the other one, which says that it is active.
  void follow() {
    server.deactivate(now, actions);
    server.on_feed_attached();
    server.on_source_attached(metadata_of("chp-ack"), now, actions);
    server.on_publication(make_heartbeat(), now, actions);
    finish();
    asked.clear();
  }
  void hear(const zmtp::message& m) {
    server.on_source_message(m, now, 0ms, actions);
    finish();
  }
  // Its snapshot, of one key; and the updates that it has applied.
  void hear_snapshot(std::string_view key, std::string_view value, sequence number,
                     std::uint64_t counter) {
    hear(make_entry(form::kvmsg, key, number, id(counter).octets(), {}, value));
    update_register applied;
    for (std::uint64_t n = 1; n <= counter; ++n) {
      applied.insert(id(n));
    }
    for (const auto& piece : applied.pieces()) {
      hear(make_register_piece(piece));
    }
    hear(make_snapshot_end(form::kvmsg, number, ""));
  }
  void hear_update(std::string_view key, std::string_view value, sequence number,
                   std::uint64_t counter) {
    chp::update u;
    u.key = key;
    u.value = value;
    server.on_publication(make_publication(form::kvmsg, u, id(counter), number), now, actions);
    finish();
  }
  // What it says of its position, last.
  std::optional<sequence> reported() {
    std::optional<sequence> last;
    for (const auto& m : std::exchange(asked, {})) {
      if (m.front() == "CHP-POSITION") {
        last = number_of(frames_of(m));
      }
    }
    return last;
  }

  zmtp::peer_id backup;
};

TEST(server_kept_pair, an_update_is_committed_when_both_disks_have_it) {
  paired_setting s;
  s.activate(1);
  const auto peer = s.subscribe(client());
  s.back_up();
  s.store_all();
  ASSERT_TRUE(s.server.status().backup_in_sync);
  s.set("a", "1", id(1));
  s.say(s.backup, make_position_report(s.server.number(), 0));
  s.pass(10ms);
  EXPECT_TRUE(s.told[peer].empty()) << "its own has not";
  s.store_all();
  EXPECT_EQ(s.acked(peer), 1U);
  EXPECT_FALSE(s.last_ack(peer)->degraded);
  s.set("b", "2", id(2));
  s.store_all();
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 1U) << "the other's has not";
  s.say(s.backup, make_position_report(s.server.number(), 0));
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 2U);
}

TEST(server_kept_pair, a_backup_reports_what_is_on_its_disk) {
  paired_setting s;
  s.follow();
  s.hear_snapshot("a", "1", make_sequence(1, 1), 1);
  ASSERT_TRUE(s.server.status().following);
  s.pass(10ms);
  ASSERT_EQ(s.given.size(), 1U);
  EXPECT_EQ(s.given.front().front().what, map_operation::clear) << "whole, or not at all";
  EXPECT_EQ(s.reported(), std::nullopt);
  s.hear_update("b", "2", make_sequence(1, 2), 2);
  s.store_one();
  EXPECT_EQ(s.reported(), make_sequence(1, 1));
  s.store_one();
  EXPECT_EQ(s.reported(), make_sequence(1, 2));
  paired_setting after{s.on_disk()};
  EXPECT_EQ(after.content(), (key_values{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(after.server.number(), make_sequence(1, 2));
}

TEST(server_kept_pair, a_backup_reports_refusals_that_are_on_its_disk) {
  paired_setting s;
  s.follow();
  s.hear_snapshot("a", "1", make_sequence(1, 1), 1);
  s.pass(10ms);
  s.store_all();
  s.asked.clear();
  std::string notice;
  append_refusal_notice(notice, {7, test_session, 2, errc::too_many_keys});
  s.server.on_publication(make_heartbeat(notice), s.now, s.actions);
  s.finish();
  EXPECT_TRUE(s.asked.empty());
  s.store_all();
  ASSERT_EQ(s.asked.size(), 1U);
  EXPECT_EQ(s.asked[0], make_position_report(make_sequence(1, 1), 7));
  paired_setting after{s.on_disk()};
  after.activate(2);
  after.set("b", "refused", id(2));
  EXPECT_EQ(after.content(), (key_values{{"a", "1"}}));
}

TEST(server_kept_pair, a_refusal_is_told_when_both_disks_have_it) {
  paired_setting s{std::make_shared<kept_setting::disk>(), with_short_values()};
  s.activate(1);
  const auto peer = s.subscribe(client());
  s.back_up();
  s.store_all();
  s.set("r", too_long, id(1));
  s.say(s.backup, make_position_report(s.server.number(), 1));
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 0U) << "its own has not";
  s.store_all();
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 1U);
  s.set("r", too_long, id(2));
  s.store_all();
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 1U) << "the other's has not";
  s.say(s.backup, make_position_report(s.server.number(), 2));
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 2U);
}

TEST(server_kept_pair, erasures_that_the_backup_has_are_forgotten_bit_by_bit) {
  constexpr std::uint64_t keys = 2'500;
  paired_setting s;
  s.activate(1);
  for (std::uint64_t n = 0; n < keys; ++n) {
    s.set("k" + std::to_string(n), "v", id(2 * n + 1));
    s.set("k" + std::to_string(n), "", id(2 * n + 2));
  }
  s.store_all();
  EXPECT_EQ(s.stored().size(), keys) << "the other one may not have heard of it";
  s.backup = s.asker("chp-ack,chp-backup");
  s.snapshot(s.backup);
  s.say(s.backup, make_position_report(s.server.number(), 0));
  s.store_all();
  EXPECT_LT(s.stored().size(), keys);
  EXPECT_GT(s.stored().size(), 0U) << "in this turn";
  s.pass(10ms);
  s.store_all();
  EXPECT_EQ(s.stored(), key_values{});
}

TEST(server_kept_pair, a_snapshot_takes_the_place_of_what_was_stored_as_a_whole) {
  paired_setting before;
  before.follow();
  before.hear_snapshot("old", "1", make_sequence(1, 1), 1);
  before.pass(10ms);
  before.store_all();
  paired_setting s{before.on_disk()};
  s.follow();
  for (int n = 0; n < 10'000; ++n) {
    s.hear(make_entry(form::kvmsg, "k" + std::to_string(n), make_sequence(1, 5), {}, {}, "v"));
  }
  s.hear_snapshot("new", "2", make_sequence(1, 5), 2);
  // It is read bit by bit, and what comes meanwhile is behind it.
  s.server.on_deadline(s.now, s.actions);
  s.finish();
  s.hear_update("k1", "later", make_sequence(1, 6), 3);
  EXPECT_TRUE(s.given.empty());
  s.pass(10ms);
  ASSERT_EQ(s.given.size(), 2U);
  EXPECT_EQ(s.stored(), (key_values{{"old", "1"}}));
  s.store_one();
  EXPECT_EQ(s.stored().size(), 10'001U);
  EXPECT_EQ(s.stored()["k1"], "v");
  s.store_one();
  EXPECT_EQ(s.stored(), s.content());
}

TEST(server_kept_pair, what_it_had_followed_is_not_told_before_it_is_on_its_disk) {
  paired_setting s;
  s.follow();
  s.hear_snapshot("a", "1", make_sequence(1, 1), 1);
  s.pass(10ms);
  s.store_all();
  s.hear_update("b", "2", make_sequence(1, 2), 2);
  s.activate(2);
  const auto peer = s.subscribe(client());
  s.set("b", "2", id(2));
  s.set("c", "3", id(3));
  s.pass(1s);
  EXPECT_TRUE(s.told[peer].empty());
  s.store_all();
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 3U);
}

TEST(server_kept_pair, what_it_alone_had_is_offered_after_a_crash) {
  paired_setting before;
  before.activate(1);
  before.set("both", "1", id(1));
  before.set("gone before", "1", id(2));
  before.back_up();
  before.set("gone before", "", id(3));
  before.say(before.backup, make_position_report(before.server.number(), 0));
  before.server.on_asker_detached(before.backup, before.actions);
  before.set("alone", "2", id(4));
  before.set("both", "", id(5));
  before.store_all();
  EXPECT_EQ(before.stored(), (key_values{{"alone", "2"}, {"both", ""}}));

  paired_setting s{before.on_disk()};
  EXPECT_EQ(s.content(), (key_values{{"alone", "2"}}));
  s.follow();
  s.hear_snapshot("both", "1", make_sequence(2, 0), 3);
  EXPECT_TRUE(s.saw(server_event::diverged));
  s.pass(10ms);
  EXPECT_TRUE(s.given.empty()) << "its own outlives it until the other one has it";
  s.server.on_source_writable(s.now, s.actions);
  s.finish();
  std::map<std::string, std::string> offered;
  for (const auto& m : s.asked) {
    if (m.front() == "CHP-RESUBMIT") {
      const auto parts = frames_of(m);
      EXPECT_EQ(number_of(parts), make_sequence(1, 3));
      offered.emplace(parts.at(2), parts.at(5));
    }
  }
  EXPECT_EQ(offered, (key_values{{"alone", "2"}, {"both", ""}}));
  // Once more.
  paired_setting again{before.on_disk()};
  again.follow();
  again.hear_snapshot("both", "1", make_sequence(2, 0), 3);
  EXPECT_TRUE(again.saw(server_event::diverged));
  s.hear(make_resubmission_end(2));
  EXPECT_TRUE(s.saw(server_event::reconciled));
  s.pass(10ms);
  s.store_all();
  EXPECT_EQ(s.stored(), (key_values{{"both", "1"}}));
  EXPECT_FALSE(unpack_pair_record(s.on_disk()->all().memo)->accepted);
}

TEST(server_kept_pair, an_offer_has_been_looked_at_when_what_was_accepted_is_on_the_disk) {
  paired_setting s;
  s.activate(2);
  s.store_all();
  const auto loser = s.asker("chp-ack,chp-backup");
  s.say(loser, make_resubmission(make_sequence(1, 1), "a", id(1), {}, "1"));
  s.say(loser, make_resubmission_end(1));
  EXPECT_TRUE(s.replies[loser].empty());
  s.store_all();
  ASSERT_EQ(s.replies[loser].size(), 1U);
  EXPECT_EQ(s.replies[loser][0][0], "CHP-RESUBMITTED");
}

// One that goes alone after a crash knows which keys it had erased that the other one may offer.
TEST(server_kept_pair, what_was_erased_before_a_crash_is_not_taken_from_the_other_one) {
  paired_setting before;
  before.activate(1);
  before.set("a", "1", id(1));
  before.back_up();
  const auto base = before.server.number();
  before.server.on_asker_detached(before.backup, before.actions);
  before.set("a", "", id(2));
  before.store_all();
  paired_setting s{before.on_disk()};
  s.activate(3);
  const auto loser = s.asker("chp-ack,chp-backup");
  const auto other = update_id::of_session(test_session + 0x10000, 1);
  s.say(loser, make_resubmission(base, "a", other, {}, "older than the erasure"));
  EXPECT_TRUE(s.content().empty());
  s.say(loser, make_resubmission(base, "b", update_id::of_random(1, 2), {}, "was never there"));
  EXPECT_EQ(s.content(), (key_values{{"b", "was never there"}}));
}

TEST(server_kept_pair, an_erasure_before_which_something_is_missing_is_known_after_a_crash) {
  for (const bool passive : {false, true}) {
    paired_setting before;
    if (passive) {
      before.follow();
      before.hear_snapshot("a", "1", make_sequence(1, 1), 1);
      before.pass(10ms);
      before.hear_update("a", "", make_sequence(1, 2), 3);
    } else {
      before.activate(1);
      before.set("a", "1", id(1));
      before.back_up();
      before.set("a", "", id(3));
      before.say(before.backup, make_position_report(before.server.number(), 0));
    }
    before.store_all();
    EXPECT_EQ(before.stored(), (key_values{{"a", ""}}));

    paired_setting s{before.on_disk()};
    s.activate(2);
    s.set("a", "late", id(2));
    EXPECT_TRUE(s.content().empty());
    // Nothing is missing any more.
    s.set("b", "", id(4));
    s.back_up();
    s.store_all();
    EXPECT_TRUE(s.stored().empty());
  }
}

TEST(pair_record, is_packed_and_unpacked) {
  const pair_record one{.base = make_sequence(5, 7),
                        .own_epoch = 3,
                        .common = 1,
                        .own = make_sequence(3, 0),
                        .begun = make_sequence(2, 0),
                        .accepted = true};
  const auto memo = pack(one);
  const auto found = unpack_pair_record(memo);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->base, one.base);
  EXPECT_EQ(found->own_epoch, 3U);
  EXPECT_EQ(found->common, 1U);
  EXPECT_EQ(found->own, one.own);
  EXPECT_EQ(found->begun, one.begun);
  EXPECT_TRUE(found->accepted);
  EXPECT_FALSE(unpack_pair_record(memo.substr(1)));
  EXPECT_FALSE(unpack_pair_record(memo.substr(0, memo.size() - 1) + '\2'));
  EXPECT_FALSE(unpack_pair_record(""));
}

}  // namespace
}  // namespace chp
