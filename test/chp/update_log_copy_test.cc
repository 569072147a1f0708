// The copy of a history to a backup that is too far behind.

#include "test/chp/update_log_fixture.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace chp {
namespace {

using namespace test;

// A backup that the log of the active server does not reach back to. It has sent HELLO.
struct late_backup {
  late_backup() {
    a.log.become_active(1, time_zero, a.out);
    for (std::uint64_t i = 1; i <= 3'000; ++i) {
      a.set("key" + std::to_string(i % 700), std::to_string(i), id(i));
      if (i % 50 == 0) {
        (void)a.turn();
      }
    }
    EXPECT_GT(a.log.state().past().log().start(), 0U) << "the log does not reach back";
    b.log.on_peer_connected(b.out);
    a.log.on_peer_message(b.turn().to_peer.at(0), time_zero, a.out);
  }
  static update_log_options options() {
    auto o = paired();
    o.state.history.log = {.bytes = 10'000, .entries = 1'000'000, .segment = 500};
    return o;
  }
  server a{options(), 1};
  server b{options(), 2};
};

// The dialogue can take more all the time, so a suspended server must not ask when.
TEST(chp_update_log, suspended_sends_no_copy_until_it_is_active_again) {
  late_backup pair;
  auto& [a, b] = pair;
  const auto begun = a.turn();
  ASSERT_TRUE(begun.stream_copy);
  for (const auto& m : begun.to_peer) {
    b.log.on_peer_message(m, time_zero, b.out);
  }
  a.log.suspend();
  a.log.on_peer_writable(a.out);
  const auto out = a.turn();
  EXPECT_TRUE(out.to_peer.empty());
  EXPECT_FALSE(out.stream_copy);
  EXPECT_FALSE(b.log.following());
  a.log.become_active(1, time_zero, a.out);
  talk(a, b);
  EXPECT_TRUE(a.log.in_sync());
  EXPECT_EQ(a.map(), b.map());
}

TEST(chp_update_log, copies_a_large_map_in_pieces_while_it_changes) {
  late_backup pair;
  auto& [a, b] = pair;
  std::uint64_t next = 3'001;
  for (int piece = 0; piece < 400 && !b.log.following(); ++piece) {
    if (a.log.has_room()) {
      a.set("key" + std::to_string(next % 700), std::to_string(next), id(next));
      ++next;
    }
    EXPECT_LT(talk(a, b, 1), 5U);
  }
  talk(a, b);
  EXPECT_GT(next, 3'010U);
  EXPECT_TRUE(a.log.in_sync());
  EXPECT_EQ(a.map(), b.map());
  EXPECT_EQ(a.log.state().past().reigns(), b.log.state().past().reigns());
  const auto decided = b.log.state().past().clients().decide(id(next - 1), 1, 0);
  EXPECT_EQ(decided.what, sessions::verdict::known);
  EXPECT_EQ(decided.known, a.log.state().past().clients().decide(id(next - 1), 1, 0).known);
}

TEST(chp_update_log, completes_a_copy_while_clients_send_more_than_the_log_keeps) {
  auto o = paired();
  o.state.history.log = {.bytes = 10'000, .entries = 1'000'000, .segment = 500};
  server a{o, 1};
  server b{o, 2};
  a.log.become_active(1, time_zero, a.out);
  std::uint64_t sent = 0;
  const auto send_as_much_as_it_reads = [&] {
    while (a.log.has_room()) {
      ++sent;
      a.set("key" + std::to_string(sent % 700), std::string(50, 'x'), id(sent));
    }
  };
  for (int i = 0; i < 20; ++i) {
    send_as_much_as_it_reads();
    (void)a.turn();
  }
  EXPECT_GT(a.log.state().past().log().start(), 0U) << "the log does not reach back";
  b.log.on_peer_connected(b.out);
  a.log.on_peer_message(b.turn().to_peer.at(0), time_zero, a.out);
  const auto before = sent;
  for (int i = 0; i < 1'000 && sent < before + 1'000; ++i) {
    send_as_much_as_it_reads();
    (void)talk(a, b, 1);
  }
  EXPECT_EQ(sent / 1'000, (before + 1'000) / 1'000) << "50,000 bytes";
  EXPECT_TRUE(b.log.following());
  talk(a, b);
  EXPECT_TRUE(a.log.in_sync());
  EXPECT_EQ(a.map(), b.map());
}

}  // namespace
}  // namespace chp
