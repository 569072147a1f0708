// Peers that request snapshots and read slowly, or not at all: a bound for the past entries that the
// server keeps for them.

#include "test/chp/server_fixture.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

namespace chp {
namespace {

// Keys of one byte with values of nine bytes. The map has room for ten.
class server_slow_peers : public testing::TestWithParam<store_limits> {
protected:
  static server_options options() {
    server_options some;
    some.snapshot_piece = 1;
    some.map = GetParam();
    some.log.entries = 5;  // a new backup needs a copy
    return some;
  }
  void set_all(char value) {
    for (char key = '0'; key <= '9'; ++key) {
      s.set(std::string(1, key), std::string(9, value));
    }
  }
  // Requests a snapshot, and reads one entry.
  zmtp::peer_id begin() {
    const auto peer = s.snapshot_client();
    s.say(peer, make_snapshot_request(""));
    s.read(peer, 1);
    return peer;
  }
  // A backup without data begins to copy the map.
  zmtp::peer_id begin_copy() {
    const auto backup = s.snapshot_client("chp-backup");
    s.say(backup, make_message(hello{.greeting = 7, .lacks_data = true}));
    s.read(backup, 1);
    return backup;
  }
  // Reads the rest. Returns the first bytes of the values in the snapshot of the peer, and `.` for
  // its end.
  std::string rest_of(zmtp::peer_id peer) {
    s.read(peer);
    std::string values;
    for (const auto& m : s.replies[peer]) {
      values += m.front() == "KTHXBAI" ? '.' : m.back().front();
    }
    return values;
  }
  [[nodiscard]] std::uint64_t ended() const { return s.server.status().counters.slow_snapshots; }
  [[nodiscard]] std::size_t past() const { return s.server.map().past().size(); }

  server_setting s{options(), server_state::kind::paired};
};

INSTANTIATE_TEST_SUITE_P(limits, server_slow_peers,
                         testing::Values(store_limits{.max_keys = 10},
                                         store_limits{.max_bytes = 100}));

TEST_P(server_slow_peers, one_may_need_a_whole_map) {
  s.activate();
  set_all('a');
  const auto peer = begin();
  set_all('b');
  set_all('c');
  EXPECT_EQ(past(), 10U);
  EXPECT_EQ(ended(), 0U);
  EXPECT_EQ(rest_of(peer), "aaaaaaaaaa.");
}

TEST_P(server_slow_peers, the_oldest_ends_above_the_limit) {
  s.activate();
  set_all('a');
  const auto oldest = begin();
  set_all('b');
  const auto second = begin();
  EXPECT_TRUE(s.closed.empty()) << "at the limit";
  s.set("0", "ccccccccc");
  EXPECT_EQ(s.closed, (std::set<zmtp::peer_id>{oldest}));
  EXPECT_EQ(ended(), 1U);
  s.pass(0ms);
  EXPECT_EQ(past(), 1U) << "of the second";
  set_all('c');
  EXPECT_EQ(ended(), 1U);
  EXPECT_EQ(rest_of(oldest), "a") << "before it ended";
  EXPECT_EQ(rest_of(second), "bbbbbbbbbb.");
}

TEST_P(server_slow_peers, those_of_one_moment_end_together) {
  s.activate();
  set_all('a');
  const auto first = begin();
  const auto second = begin();
  set_all('b');
  const auto third = begin();
  s.set("0", "ccccccccc");
  EXPECT_EQ(s.closed, (std::set<zmtp::peer_id>{first, second}));
  set_all('c');
  EXPECT_EQ(ended(), 2U);
  EXPECT_EQ(rest_of(third), "bbbbbbbbbb.");
}

// The map was made under higher limits.
TEST_P(server_slow_peers, the_only_one_does_not_end) {
  s.server.on_source_attached({}, s.now, s.actions);
  s.server.on_publication(make_heartbeat(), s.now, s.actions);
  for (char key = 'A'; key <= 'Z'; ++key) {
    const std::string name(1, key);
    s.server.on_source_message(make_entry(form::kvmsg, name, 5, {}, {}, "aaaaaaaaa"), s.now, 0ms,
                               s.actions);
  }
  s.server.on_source_message(make_snapshot_end(form::kvmsg, 5, ""), s.now, 0ms, s.actions);
  s.activate(2);
  EXPECT_EQ(s.server.map().keys(), 26U);
  const auto peer = begin();
  for (char key = 'A'; key <= 'Z'; ++key) {
    s.set(std::string(1, key), "bbbbbbbbb");
  }
  EXPECT_EQ(past(), 26U);
  EXPECT_EQ(ended(), 0U);
  EXPECT_EQ(rest_of(peer), std::string(26, 'a') + ".");
}

TEST_P(server_slow_peers, none_ends_for_an_older_copy_of_a_backup) {
  s.activate(1);
  set_all('a');
  const auto backup = begin_copy();
  set_all('b');
  const auto client = begin();
  set_all('c');
  EXPECT_EQ(past(), 20U);
  EXPECT_EQ(ended(), 0U);
  s.server.on_snapshot_client_detached(backup);
  s.pass(0ms);
  EXPECT_EQ(past(), 10U);
  EXPECT_EQ(rest_of(client), "bbbbbbbbbb.");
}

TEST_P(server_slow_peers, an_idle_server_frees_what_a_copy_needed) {
  s.activate(1);
  set_all('a');
  const auto backup = begin_copy();
  set_all('b');
  EXPECT_EQ(past(), 10U);
  s.read(backup);
  s.pass(0ms);
  EXPECT_EQ(past(), 0U);
}

}  // namespace
}  // namespace chp
