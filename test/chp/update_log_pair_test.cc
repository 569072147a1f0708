// The logs of both servers of a pair, which talk to each other.

#include "test/chp/update_log_fixture.h"
#include "zmtp/storage/error.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <variant>
#include <vector>

namespace chp {
namespace {

using namespace test;

TEST(chp_update_log, a_pair_commits_what_both_have) {
  server a{paired(), 1};
  server b{paired(), 2};
  a.log.become_active(1, time_zero, a.out);
  a.set("before", "v", id(1));
  EXPECT_EQ(a.turn().answers.at(0).says, truth::one_server);
  b.log.on_peer_connected(b.out);
  for (const auto& m : b.turn().to_peer) {
    a.log.on_peer_message(m, time_zero, a.out);
  }
  talk(a, b);
  EXPECT_TRUE(a.log.in_sync());
  EXPECT_TRUE(b.log.following());
  a.set("k", "v", id(2));
  const auto out = a.turn();
  EXPECT_TRUE(out.answers.empty());
  EXPECT_TRUE(out.publish.empty());
  ASSERT_EQ(out.to_peer.size(), 1U);
  b.log.on_peer_message(out.to_peer[0], time_zero, b.out);
  const auto said = b.turn();
  ASSERT_EQ(said.to_peer.size(), 1U);
  a.log.on_peer_message(said.to_peer[0], time_zero, a.out);
  const auto after = a.turn();
  ASSERT_EQ(after.answers.size(), 1U);
  EXPECT_EQ(after.answers[0].says, truth::both_servers);
  EXPECT_EQ(after.publish.size(), 1U);
  EXPECT_FALSE(a.log.degraded());
}

TEST(chp_update_log, tells_again_when_an_update_of_one_server_is_on_both) {
  server a{paired(), 1};
  server b{paired(), 2};
  a.log.become_active(1, time_zero, a.out);
  a.set("k", "v", id(1));
  (void)a.turn();
  b.log.on_peer_connected(b.out);
  std::vector<answer> answers;
  auto hello_message = b.turn().to_peer.at(0);
  a.log.on_peer_message(hello_message, time_zero, a.out);
  for (int i = 0; i < 20; ++i) {
    auto out = a.turn();
    answers.insert(answers.end(), out.answers.begin(), out.answers.end());
    for (const auto& m : out.to_peer) {
      b.log.on_peer_message(m, time_zero, b.out);
    }
    for (const auto& m : b.turn().to_peer) {
      a.log.on_peer_message(m, time_zero, a.out);
    }
    a.log.on_peer_writable(a.out);
  }
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].counter, 1U);
  EXPECT_EQ(answers[0].says, truth::both_servers);
}

TEST(chp_update_log, sends_at_most_a_window_beyond_the_last_confirmation) {
  auto o = paired();
  o.window = 1'000;
  server a{o, 1};
  server b{o, 2};
  a.log.become_active(1, time_zero, a.out);
  connect(a, b);
  for (std::uint64_t i = 1; i <= 100; ++i) {
    a.set("k", std::string(100, 'x'), id(i));
  }
  const auto first = a.turn().to_peer;
  std::size_t bytes = 0;
  for (const auto& m : first) {
    bytes += m.payload_size();
  }
  EXPECT_LT(bytes, 2'000U);
  EXPECT_TRUE(a.turn().to_peer.empty());
  for (const auto& m : first) {
    b.log.on_peer_message(m, time_zero, b.out);
  }
  talk(a, b);
  EXPECT_EQ(a.log.state().end(), b.log.state().end());
  EXPECT_EQ(a.log.state().commit(), a.log.state().end());
}

TEST(chp_update_log, after_a_short_absence_sends_entries_and_no_copy) {
  server a{paired(), 1};
  server b{paired(), 2};
  a.log.become_active(1, time_zero, a.out);
  connect(a, b);
  b.log.on_peer_lost(b.out);
  a.log.on_peer_lost(a.out);
  a.set("k", "v");
  (void)a.turn();
  b.log.on_peer_connected(b.out);
  a.log.on_peer_message(b.turn().to_peer.at(0), time_zero, a.out);
  const auto out = a.turn();
  EXPECT_FALSE(out.stream_copy);
  EXPECT_FALSE(std::get<follow>(parse_pair_message(out.to_peer.at(0)).value()).is_copy);
  for (const auto& m : out.to_peer) {
    b.log.on_peer_message(m, time_zero, b.out);
  }
  talk(a, b);
  EXPECT_EQ(b.map(), a.map());
}

// The peer may have none of them, and would need a copy of the map.
TEST(chp_update_log, keeps_inherited_entries_in_its_log_until_they_are_committed) {
  auto options = paired();
  options.policy = degraded_policy::block;
  options.state.history.log = {.bytes = 4'000, .entries = 8, .segment = 1};
  server a{options, 1};
  server b{options, 2};
  a.log.become_active(1, time_zero, a.out);
  connect(a, b);
  a.set("both", "v");
  talk(a, b);
  a.log.on_peer_lost(a.out);
  b.log.on_peer_lost(b.out);
  for (int n = 0; n != 7; ++n) {
    a.set(std::to_string(n), "v");
  }
  (void)a.turn();
  a.log.become_passive(time_zero, a.out);
  (void)a.turn();
  a.log.become_active(2, time_zero, a.out);
  (void)a.turn();
  ASSERT_EQ(a.log.state().commit(), b.log.state().end());
  EXPECT_LE(a.log.state().past().log().start(), a.log.state().commit());
  b.log.on_peer_connected(b.out);
  a.log.on_peer_message(b.turn().to_peer.at(0), time_zero, a.out);
  EXPECT_FALSE(std::get<follow>(parse_pair_message(a.turn().to_peer.at(0)).value()).is_copy);
}

TEST(chp_update_log, closes_the_connection_of_an_unresponsive_server) {
  server a{paired(), 1};
  server b{paired(), 2};
  a.log.become_active(1, time_zero, a.out);
  connect(a, b);
  a.set("k", "v");
  talk(a, b);
  ASSERT_TRUE(a.log.in_sync());
  // Both must begin again with HELLO, whichever of the two has not heard the other.
  a.log.on_peer_unresponsive(a.out);
  EXPECT_FALSE(a.log.in_sync());
  EXPECT_TRUE(a.turn().close_peer);
  b.log.on_peer_unresponsive(b.out);
  EXPECT_TRUE(b.turn().close_peer);
}

class handing_over : public testing::TestWithParam<zmtp::storage_errc> {};

TEST_P(handing_over, goes_to_a_backup_in_sync) {
  auto o = paired();
  o.state.has_store = true;
  server a{o, 1};
  server b{o, 2};
  a.log.become_active(1, time_zero, a.out);
  connect(a, b);
  ASSERT_TRUE(a.log.in_sync());
  a.set("k", "v", id(1));
  auto out = a.turn();
  a.write(GetParam());
  EXPECT_FALSE(a.log.has_room());
  EXPECT_FALSE(a.turn().step_down) << "the backup has not confirmed the end";
  for (const auto& m : out.to_peer) {
    b.log.on_peer_message(m, time_zero, b.out);
  }
  (void)b.turn();
  b.write();
  for (const auto& m : b.turn().to_peer) {
    a.log.on_peer_message(m, time_zero, a.out);
  }
  out = a.turn();
  EXPECT_TRUE(out.step_down);
  EXPECT_TRUE(out.answers.empty()) << "its own disk does not have it";
  a.log.become_passive(time_zero, a.out);
  EXPECT_TRUE(a.turn().disconnect_clients);
  EXPECT_TRUE(a.log.declines());
  b.log.become_active(2, time_zero, b.out);
  a.log.on_peer_state({.is_active = true}, b.log.state().end());
  EXPECT_FALSE(a.log.declines());
  a.log.on_peer_connected(a.out);
  const auto passive = a.turn();
  EXPECT_TRUE(passive.to_peer.empty()) << "it can confirm nothing, so it does not follow";
  EXPECT_TRUE(passive.close_peer);
  EXPECT_EQ(b.map().at("k"), "v");
}

INSTANTIATE_TEST_SUITE_P(chp_update_log, handing_over,
                         testing::Values(zmtp::storage_errc::store_failed,
                                         zmtp::storage_errc::store_full));

TEST(chp_update_log, suspended_accepts_and_commits_nothing) {
  server a{paired(), 1};
  server b{paired(), 2};
  a.log.become_active(1, time_zero, a.out);
  connect(a, b);
  a.set("k", "v", id(1));
  a.log.suspend();
  a.set("k", "w", id(2));
  talk(a, b);
  EXPECT_EQ(a.log.state().commit(), make_sequence(1, 0));
  a.log.become_active(1, time_zero, a.out);
  talk(a, b);
  EXPECT_EQ(a.log.state().commit(), make_sequence(1, 1));
  EXPECT_EQ(a.map().at("k"), "v");
}

TEST(chp_update_log, renews_its_epoch_without_losing_its_backup) {
  server a{paired(), 1};
  server b{paired(), 2};
  a.log.become_active(1, time_zero, a.out);
  connect(a, b);
  a.log.become_active(2, time_zero, a.out);
  a.set("k", "v");
  talk(a, b);
  EXPECT_TRUE(a.log.in_sync());
  EXPECT_EQ(b.log.state().end(), make_sequence(2, 1));
  EXPECT_EQ(b.map().at("k"), "v");
}

TEST(chp_update_log, a_passive_server_executes_a_part_in_each_turn) {
  constexpr auto entries = 2 * published_at_once + 500;
  server a{paired(), 1};
  server b{paired(), 2};
  a.log.become_active(1, time_zero, a.out);
  for (std::size_t n = 1; n != entries; ++n) {  // the first entry is the reign
    a.set(std::to_string(n), "v");
  }
  for (int i = 0; i != 3; ++i) {
    EXPECT_EQ(a.log.next_deadline() == time_zero, i != 0);
    (void)a.turn();
  }
  b.log.on_peer_connected(b.out);
  a.log.on_peer_message(b.turn().to_peer.at(0), time_zero, a.out);
  for (const auto& m : a.turn().to_peer) {
    b.log.on_peer_message(m, time_zero, b.out);
  }
  std::size_t executed = 0;
  for (const std::size_t count : {published_at_once, published_at_once, std::size_t{500}}) {
    (void)b.turn();
    executed += count;
    EXPECT_EQ(b.map().size(), executed - 1);
    EXPECT_EQ(b.log.next_deadline() == time_zero, executed != entries) << "no message need come";
  }
  EXPECT_EQ(b.map(), a.map());
}

TEST(chp_update_log, makes_the_missing_updates_that_it_kept_while_passive) {
  server a{paired(), 1};
  server b{paired(), 2};
  a.log.become_active(1, time_zero, a.out);
  connect(a, b);
  const auto first = update_id::of_frame("first");
  b.set("a", "1", first);
  b.set("b", "1", update_id::of_frame("second"));
  b.set("c", "1");
  b.set("d", "1", id(1));
  EXPECT_EQ(b.log.waiting(), 2U) << "not those without an id, nor those of our clients";
  a.set("a", "1", first);
  talk(a, b);
  EXPECT_EQ(b.log.waiting(), 1U);
  b.log.become_active(2, time_zero, b.out);
  (void)b.turn();
  EXPECT_EQ(b.map(), (std::map<std::string, std::string>{{"a", "1"}, {"b", "1"}}));
}

TEST(chp_update_log, ignores_messages_of_an_earlier_greeting) {
  server a{paired(), 1};
  server b{paired(), 2};
  a.log.become_active(1, time_zero, a.out);
  connect(a, b);
  const auto end = a.log.state().end();
  a.set("k", "v", id(1));
  (void)a.turn();
  a.log.on_peer_message(make_message(confirmation{12345, end + 1}), time_zero, a.out);
  EXPECT_TRUE(a.turn().answers.empty());
  std::string record;
  append_record(record, {.number = end + 1, .key = "x", .value = "v"});
  b.log.on_peer_message(make_message(entries{12345, end + 1, record}), time_zero, b.out);
  EXPECT_EQ(b.log.state().end(), end);
}

// Each byte of each message, changed: no message is a precondition.
TEST(chp_update_log, survives_any_message_of_its_peer) {
  std::mt19937 random{1};
  std::uint64_t refused = 0;
  for (int round = 0; round < 300; ++round) {
    server a{paired(), 1};
    server b{paired(), 2};
    a.log.become_active(1, time_zero, a.out);
    for (std::uint64_t i = 1; i < 20; ++i) {
      a.set("key" + std::to_string(i % 5), "v", id(i), i % 3 == 0 ? "ttl=5\n" : "");
      a.set("key", "v", update_id::of_frame(std::to_string(i)));
    }
    (void)a.turn();
    b.log.on_peer_connected(b.out);
    for (int i = 0; i < 40; ++i) {
      const auto deliver = [&](server& from, server& to) {
        for (const auto& m : from.turn().to_peer) {
          auto frames = std::vector<std::string>{m.begin(), m.end()};
          if (random() % 4 == 0) {
            auto& changed = frames[random() % frames.size()];
            if (!changed.empty()) {
              changed[random() % changed.size()] = static_cast<char>(random());
            }
          }
          zmtp::message edited;
          for (const auto& each : frames) {
            edited.push_back(each);
          }
          to.log.on_peer_message(edited, time_zero, to.out);
        }
      };
      a.log.on_peer_writable(a.out);
      deliver(a, b);
      if (!b.log.following() && random() % 8 == 0 && !b.log.stopped()) {
        b.log.on_peer_connected(b.out);
      }
      deliver(b, a);
    }
    for (const auto each : b.log.counters().refused) {
      refused += each;
    }
  }
  EXPECT_GT(refused, 200U);
}

}  // namespace
}  // namespace chp
