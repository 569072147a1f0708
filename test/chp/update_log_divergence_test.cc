// The logs of two servers whose histories differ.

#include "test/chp/update_log_fixture.h"
#include "zmtp/storage/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace chp {
namespace {

using namespace test;

// Both were active.
struct divergence {
  divergence() {
    a.log.become_active(1, time_zero, a.out);
    connect(a, b);
    a.set("common", "v");
    talk(a, b);
    a.log.on_peer_lost(a.out);
    b.log.on_peer_lost(b.out);
    a.set("mine", "v");
    (void)a.turn();
    b.log.become_active(2, time_zero, b.out);
    b.set("theirs", "v");
    (void)b.turn();
    a.log.become_passive(time_zero, a.out);
    EXPECT_TRUE(a.turn().disconnect_clients);
  }
  // Delivers HELLO and FOLLOW.
  log_actions meet() {
    a.log.on_peer_connected(a.out);
    b.log.on_peer_message(a.turn().to_peer.at(0), time_zero, b.out);
    for (const auto& m : b.turn().to_peer) {
      a.log.on_peer_message(m, time_zero, a.out);
    }
    return a.turn();
  }
  server a{paired(), 1};
  server b{paired(), 2};
};

TEST(chp_update_log, writes_what_the_other_history_lacks_before_it_copies_that) {
  divergence d;
  const auto out = d.meet();
  ASSERT_TRUE(out.lost);
  EXPECT_EQ(out.lost->common, make_sequence(1, 1));
  EXPECT_FALSE(out.lost->incomplete);
  std::string lines;
  while (d.a.log.read_lost(*out.lost, lines, 10) == lost_read::more) {
  }
  EXPECT_EQ(lines.substr(0, lines.find(",\"value\"")),
            "{\"number\":17592186044418,\"key\":\"mine\"");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1);
  for (int i = 0; i < 20; ++i) {
    d.b.log.on_peer_writable(d.b.out);
    for (const auto& m : d.b.turn().to_peer) {
      d.a.log.on_peer_message(m, time_zero, d.a.out);
    }
    (void)d.a.turn();
  }
  EXPECT_EQ(d.a.map().count("mine"), 1U) << "the file is not on the disk yet";
  d.a.log.on_lost_written(*out.lost, {}, d.a.out);
  talk(d.b, d.a);
  EXPECT_EQ(d.a.map(), d.b.map());
  EXPECT_TRUE(d.b.log.in_sync());
}

// After the dialogue was lost, or this server became active, nothing is cut.
TEST(chp_update_log, abandons_a_file_whose_dialogue_was_lost) {
  for (const bool becomes_active : {false, true}) {
    divergence d;
    const auto out = d.meet();
    ASSERT_TRUE(out.lost);
    if (becomes_active) {
      d.a.log.become_active(3, time_zero, d.a.out);
    } else {
      d.a.log.on_peer_lost(d.a.out);
    }
    std::string lines;
    EXPECT_EQ(d.a.log.read_lost(*out.lost, lines, 1'000), lost_read::abandoned);
    EXPECT_EQ(lines, "");
    if (!becomes_active) {
      const auto again = d.meet();
      ASSERT_TRUE(again.lost);
      EXPECT_EQ(d.a.log.read_lost(*out.lost, lines, 1'000), lost_read::abandoned);
      d.a.log.on_lost_written(*out.lost, {}, d.a.out);
      talk(d.b, d.a);
      EXPECT_EQ(d.a.map().count("mine"), 1U) << "the second file is not on the disk";
      EXPECT_EQ(d.a.log.read_lost(*again.lost, lines, 1'000), lost_read::end);
      EXPECT_NE(lines, "");
    }
  }
}

// Where the log does not reach back, the map has what is left. Other events come in between.
TEST(chp_update_log, reads_a_part_of_the_map_for_the_file_at_a_time) {
  auto options = paired();
  options.state.history.log = {.entries = 100, .segment = 1'024};
  server a{options, 1};
  server b{options, 2};
  a.log.become_active(1, time_zero, a.out);
  connect(a, b);
  constexpr std::size_t keys = 3'500;
  for (std::size_t i = 0; i < keys; ++i) {
    a.set("common" + std::to_string(i), "v");
    talk(a, b);
  }
  a.log.on_peer_lost(a.out);
  b.log.on_peer_lost(b.out);
  for (int i = 0; i < 200; ++i) {
    a.set("mine" + std::to_string(i), "v");
    (void)a.turn();
  }
  b.log.become_active(2, time_zero, b.out);
  (void)b.turn();
  a.log.become_passive(time_zero, a.out);
  (void)a.turn();
  a.log.on_peer_connected(a.out);
  b.log.on_peer_message(a.turn().to_peer.at(0), time_zero, b.out);
  a.log.on_peer_message(b.turn().to_peer.at(0), time_zero, a.out);
  const auto out = a.turn();
  ASSERT_TRUE(out.lost);
  EXPECT_TRUE(out.lost->incomplete);
  std::string lines;
  std::size_t reads = 1;
  while (a.log.read_lost(*out.lost, lines, 1'000'000) == lost_read::more) {
    ++reads;
  }
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 200);
  EXPECT_GT(reads, keys / 1'000);
}

TEST(chp_update_log, keeps_its_history_if_the_file_cannot_be_written) {
  divergence d;
  const auto out = d.meet();
  ASSERT_TRUE(out.lost);
  d.a.log.on_lost_written(*out.lost, zmtp::storage_errc::store_full, d.a.out);
  EXPECT_TRUE(d.a.turn().close_peer);
  EXPECT_EQ(d.a.map().count("mine"), 1U);
  EXPECT_FALSE(d.a.log.following());
}

TEST(chp_update_log, stops_where_the_other_history_lacks_what_both_had) {
  for (const bool discard : {false, true}) {
    server a{paired(), 1, discard};
    server b{paired(), 2};
    b.log.become_active(1, time_zero, b.out);
    connect(b, a);
    b.set("k", "v");
    talk(b, a);
    ASSERT_EQ(a.log.state().both(), make_sequence(1, 1));
    server empty{paired(), 3};
    empty.log.become_active(5, time_zero, empty.out);
    a.log.on_peer_connected(a.out);
    empty.log.on_peer_message(a.turn().to_peer.at(0), time_zero, empty.out);
    talk(empty, a);
    EXPECT_EQ(a.log.stopped(), !discard);
    EXPECT_EQ(a.map().empty(), discard);
  }
}

TEST(chp_update_log, does_not_answer_a_hello_with_a_later_reign) {
  server a{paired(), 1};
  server b{paired(), 2};
  a.log.become_active(1, time_zero, a.out);
  b.log.become_active(2, time_zero, b.out);
  b.log.become_passive(time_zero, b.out);
  (void)b.turn();
  b.log.on_peer_connected(b.out);
  a.log.on_peer_message(b.turn().to_peer.at(0), time_zero, a.out);
  EXPECT_TRUE(a.turn().to_peer.empty());
}

// A server that has lost its data and its epoch file takes an epoch again, and its peer has the reign
// in which it had it before.
TEST(chp_update_log, answers_a_hello_with_the_same_epoch_and_another_tag) {
  for (const bool passive_has_higher_tag : {false, true}) {
    server first{paired(), 1};
    server second{paired(), 2};
    first.log.become_active(1, time_zero, first.out);
    first.set("mine", "1");
    (void)first.turn();
    second.log.become_active(1, time_zero, second.out);
    second.set("yours", "2");
    (void)second.turn();
    const bool is_higher = first.log.last_reign().tag > second.log.last_reign().tag;
    auto& passive = is_higher == passive_has_higher_tag ? first : second;
    auto& active = &passive == &first ? second : first;
    passive.log.become_passive(time_zero, passive.out);
    (void)passive.turn();
    connect(active, passive);
    EXPECT_TRUE(passive.log.following());
    EXPECT_EQ(passive.map(), active.map());
    EXPECT_EQ(active.map().size(), 1U);
  }
}

}  // namespace
}  // namespace chp
