// Snapshots of the map: sent in pieces as the peer reads, consistent during updates, one for each request
// (12/CHP, protocols C1-3, C1-4, C1-14, C1-15, reliability 3.2, G5).

#include "test/chp/server_fixture.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace chp {
namespace {

class server_snapshots : public testing::Test {
protected:
  static server_options in_pieces_of(std::size_t bytes) {
    server_options options;
    options.snapshot_piece = bytes;
    return options;
  }
  static frames entry(const std::string& key, sequence number, const std::string& value) {
    return {key, number_frame(number), "", "", value};
  }
  static frames end(sequence number, const std::string& subtree) {
    return {"KTHXBAI", number_frame(number), "", "", subtree};
  }
};

TEST_F(server_snapshots, contain_the_subtree_and_an_end_with_the_last_number) {
  server_setting s;  // CHP-9, CHP-10, CHP-11, CHP-13, CHP-15, CHP-16
  s.activate();
  s.set("/a/1", "x");
  s.set("/ab", "y");
  s.set("/a/2", "z");
  s.set("other", "o");
  const auto peer = s.snapshot_client();
  EXPECT_EQ(s.snapshot(peer, "/a/"),
            (std::vector<frames>{entry("/a/1", 4, "x"), entry("/a/2", 4, "z"), end(4, "/a/")}));
  EXPECT_EQ(s.snapshot(peer, "").size(), 5U);
  EXPECT_EQ(s.snapshot(peer, "/none/"), (std::vector<frames>{end(4, "/none/")}));
  EXPECT_EQ(s.snapshot(peer, "ot"), (std::vector<frames>{entry("other", 4, "o"), end(4, "ot")}))
      << "any other prefix selects the keys that begin with it";
  EXPECT_EQ(s.server.status().counters.snapshots, 4U);
}

TEST_F(server_snapshots, consist_of_an_end_if_the_map_is_empty) {
  server_setting s;
  s.activate(2);
  EXPECT_EQ(s.snapshot(s.snapshot_client()), (std::vector<frames>{end(make_sequence(2, 0), "")}));
}

TEST_F(server_snapshots, are_sent_in_pieces_and_stay_consistent_during_updates) {
  server_setting s{in_pieces_of(100)};
  s.activate();
  std::vector<frames> expected;
  for (int n = 100; n < 200; ++n) {
    s.set("k" + std::to_string(n), "old");
    expected.push_back(entry("k" + std::to_string(n), 100, "old"));
  }
  expected.push_back(end(100, ""));
  const auto slow = s.snapshot_client();
  s.say(slow, make_snapshot_request(""));
  s.read(slow, 1);
  EXPECT_LT(s.replies[slow].size(), 10U);
  for (int n = 100; n < 250; ++n) {
    s.set("k" + std::to_string(n), n % 3 == 0 ? "" : "new");
  }
  s.read(slow);
  EXPECT_EQ(s.replies[slow], expected);
  // And the next is of the next moment.
  EXPECT_EQ(s.snapshot(slow).size(), 100U + 1U);
}

TEST_F(server_snapshots, answer_each_request_of_each_peer_in_order) {  // CHP-12
  server_setting s{in_pieces_of(1)};
  s.activate();
  s.set("/a/1", "x");
  s.set("/b/1", "y");
  const auto one = s.snapshot_client();
  const auto other = s.snapshot_client();
  s.say(one, make_snapshot_request("/a/"));
  s.say(one, make_snapshot_request("/b/"));
  s.say(other, make_snapshot_request("/b/"));
  s.read(one, 1);
  s.set("/b/2", "later");
  s.read(other);
  s.read(one);
  EXPECT_EQ(s.replies[one],
            (std::vector<frames>{entry("/a/1", 2, "x"), end(2, "/a/"), entry("/b/1", 3, "y"),
                                 entry("/b/2", 3, "later"), end(3, "/b/")}));
  EXPECT_EQ(s.replies[other].size(), 3U);
}

TEST_F(server_snapshots, ignore_excess_requests_until_the_peer_reads) {
  auto options = in_pieces_of(1);
  options.snapshots_of_a_peer = 3;
  server_setting s{options};
  s.activate();
  const auto peer = s.snapshot_client();
  for (int n = 0; n < 10; ++n) {
    s.say(peer, make_snapshot_request(""));
  }
  EXPECT_EQ(s.server.status().counters.ignored_requests, 7U);
  s.read(peer);
  EXPECT_EQ(s.replies[peer].size(), 3U);
  EXPECT_EQ(s.snapshot(peer).size(), 1U);
}

TEST_F(server_snapshots, end_when_the_peer_disconnects_and_leave_no_state) {
  server_setting s{in_pieces_of(1)};
  s.activate();
  for (int n = 0; n < 100; ++n) {
    s.set("k" + std::to_string(n), "old");
  }
  const auto peer = s.snapshot_client();
  s.say(peer, make_snapshot_request(""));
  s.read(peer, 2);
  for (int n = 0; n < 100; ++n) {
    s.set("k" + std::to_string(n), "new");
  }
  EXPECT_GT(s.server.map().past().size(), 50U);
  s.server.on_snapshot_client_detached(peer);
  s.pass(0ms);
  EXPECT_EQ(s.server.map().past().size(), 0U);
  s.read(peer);
  EXPECT_EQ(s.server.status().snapshots, 0U);
}

TEST_F(server_snapshots, tell_zinc_clients_the_number_of_updates_of_the_subtree) {  // G3
  server_setting s;
  s.activate();
  s.set("/a/1", "x");
  s.set("/a/1", "y");
  s.set("/b/1", "z");
  const auto stock = s.snapshot_client();
  const auto ours = s.snapshot_client("chp-ack=" + session_name(test_session));
  EXPECT_EQ(s.snapshot(stock, "/a/").back()[3], "");
  EXPECT_EQ(s.snapshot(ours, "/a/").back()[3], "d=/a/:2\n");
  EXPECT_EQ(s.snapshot(ours, "/new/").back()[3], "d=/new/:0\n");
  EXPECT_EQ(s.snapshot(ours, "").back()[3], "") << "the numbers tell";
}

TEST_F(server_snapshots, do_not_count_directories_above_the_limit) {
  server_options options;
  options.directories = 2;
  server_setting s{options};
  s.activate();
  s.set("/a/1", "x");
  s.set("/b/1", "x");
  EXPECT_EQ(s.publications().back()[3], "d=/:2\n");
  const auto ours = s.snapshot_client("chp-ack=" + session_name(test_session));
  EXPECT_EQ(s.snapshot(ours, "/a/").back()[3], "d=/a/:1\n");
  EXPECT_EQ(s.snapshot(ours, "/b/").back()[3], "");
}

TEST_F(server_snapshots,
       malformed_requests_are_dropped_and_others_answered) {  // protocols C1-15
  server_setting s;
  s.activate();
  const auto peer = s.snapshot_client();
  s.say(peer, {"ICANHAZ?", "", "more"});
  s.say(peer, {"icanhaz", ""});
  s.say(peer, {""});
  EXPECT_EQ(s.refused(errc::wrong_frame_count), 1U);
  EXPECT_EQ(s.refused(errc::unknown_command), 2U);
  EXPECT_TRUE(s.replies.empty());
  EXPECT_EQ(s.snapshot(peer).size(), 1U);
  s.say({99, 9}, make_snapshot_request(""));
  EXPECT_EQ(s.server.status().counters.ignored_requests, 1U) << "of an unknown peer";
}

TEST_F(server_snapshots, end_when_the_server_becomes_passive) {
  server_setting s{in_pieces_of(1), server_state::kind::paired};
  s.activate();
  s.set("a", "x");
  s.set("b", "x");
  const auto waiting = s.snapshot_client();
  const auto content = s.snapshot_client();
  s.snapshot(content);
  s.say(waiting, make_snapshot_request(""));
  s.read(waiting, 1);
  s.server.deactivate(s.now, s.actions);
  s.finish();
  EXPECT_EQ(s.closed, std::set<zmtp::peer_id>{waiting}) << "which goes elsewhere";
  s.read(waiting);
  EXPECT_EQ(s.replies[waiting].size(), 1U);
}

// Clients repeat a request until the server answers, and all requests from a network outage arrive at once.
TEST_F(server_snapshots, a_zinc_client_gets_one_for_repeated_requests) {
  for (const auto& announced : {"chp-ack=" + session_name(test_session),
                                "chp-ack=" + session_name(test_session) + ",chp-log"}) {
    auto options = in_pieces_of(1);
    options.snapshots_of_a_peer = 2;
    server_setting s{options, server_state::kind::paired};
    s.activate(1);
    s.set("/a/1", "x");
    s.set("/b/1", "y");
    const auto peer = s.snapshot_client(announced);
    for (int n = 0; n < 100; ++n) {
      s.say(peer, make_snapshot_request(""));
    }
    s.read(peer, 1);
    s.say(peer, make_snapshot_request(""));
    s.read(peer);
    EXPECT_EQ(s.server.status().counters.snapshots, 1U) << announced;
    EXPECT_EQ(s.server.status().counters.ignored_requests, 0U) << announced;
    EXPECT_EQ(s.replies[peer].back().front(), "KTHXBAI") << announced;
    // A request after the end of the snapshot is a new request.
    s.say(peer, make_snapshot_request(""));
    s.read(peer);
    EXPECT_EQ(s.server.status().counters.snapshots, 2U) << announced;
  }
}

TEST_F(server_snapshots, a_zinc_client_gets_one_per_requested_subtree) {
  server_setting s{in_pieces_of(1)};
  s.activate();
  s.set("/a/1", "x");
  s.set("/b/1", "y");
  const auto ours = s.snapshot_client("chp-ack=" + session_name(test_session));
  for (const auto* const subtree : {"/a/", "/b/", "/a/", "/b/"}) {
    s.say(ours, make_snapshot_request(subtree));
  }
  s.read(ours);
  std::vector<std::string> keys;
  for (const auto& each : s.replies[ours]) {
    keys.push_back(each.front());
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"/a/1", "KTHXBAI", "/b/1", "KTHXBAI"}));
}

}  // namespace
}  // namespace chp
