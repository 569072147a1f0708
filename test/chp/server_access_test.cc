// server_options::access: who may read and write which keys of a server.
#include "test/chp/map_rights.h"
#include "test/chp/server_fixture.h"

#include <string>
#include <vector>

namespace chp {
namespace {

using test::read;
using test::write;

server_options restricted(std::size_t piece) {
  server_options options;
  options.snapshot_piece = piece;
  options.access = zmtp::access_rules{{{"alice", read, "/a/*"},
                                       {"alice", write, "/a/*"},
                                       {"bob", read, "/b/*"},
                                       {"bob", write, "/b/*"},
                                       {"backup", read, "*"},
                                       {"backup", write, "*"}}};
  return options;
}

class server_access : public testing::Test, public server_setting {
public:
  explicit server_access(server_state::kind as = server_state::kind::alone,
                         std::size_t piece = server_options{}.snapshot_piece)
      : server_setting{restricted(piece), as} {
    activate();
    for (const auto* key : {"/a/1", "/b/1", "/b/2"}) {
      set(key, key);
    }
  }
  zmtp::peer_id client_as(std::string_view user, const std::string& announced = {}) {
    const zmtp::peer_id id{next_++, 7};
    server.on_snapshot_client_attached(id, metadata_of(announced), user);
    return id;
  }
  std::vector<std::string> keys(zmtp::peer_id id, std::string_view subtree) {
    std::vector<std::string> all;
    for (const auto& m : snapshot(id, subtree)) {
      all.push_back(m.front());
    }
    return all;
  }
  void update_as(std::string_view user, std::string_view key, const update_id& id = {},
                 std::string_view properties = {}) {
    server.on_client_update(make_set(form::kvmsg, key, id, properties, "v"), user);
    finish();
  }
  zmtp::peer_id subscribe_as(std::string_view user, const std::string& announced,
                             std::string_view subtree) {
    const zmtp::peer_id id{next_++, 7};
    server.on_subscriber_attached(id, metadata_of(announced), user);
    server.on_subscription(id, subtree, actions);
    server.on_subscription(id, "HUGZ", actions);
    finish();
    notified.erase(id);
    return id;
  }

  void change(const std::vector<zmtp::access_grant>& grants) {
    server.change_access(zmtp::access_rules{grants}, actions);
    finish();
  }

  std::uint32_t next_ = 100;
};

using names = std::vector<std::string>;

TEST_F(server_access, a_snapshot_has_only_readable_keys) {
  const auto alice = client_as("alice");
  EXPECT_EQ(keys(alice, ""), (names{"/a/1", "KTHXBAI"}));
  EXPECT_EQ(keys(alice, "/b/"), names{"KTHXBAI"});
  const auto bob = client_as("bob");
  EXPECT_EQ(keys(bob, "/"), (names{"/b/1", "/b/2", "KTHXBAI"}));
  EXPECT_EQ(keys(client_as(""), ""), names{"KTHXBAI"});
  EXPECT_EQ(keys(client_as("mallory"), ""), names{"KTHXBAI"});
  EXPECT_EQ(server.status().counters.forbidden.snapshots, 3U);
}

TEST_F(server_access, zincs_clients_get_a_readable_subtree_or_a_refusal) {
  const auto alice = client_as("alice", "chp-ack");
  EXPECT_EQ(snapshot(alice, ""), (std::vector<frames>{{"FORBIDDEN", ""}}));
  EXPECT_EQ(snapshot(alice, "/b/"), (std::vector<frames>{{"FORBIDDEN", "/b/"}}));
  EXPECT_EQ(keys(alice, "/a/"), (names{"/a/1", "KTHXBAI"}));
  EXPECT_EQ(server.status().counters.forbidden.snapshots, 2U);
  EXPECT_EQ(server.status().counters.snapshots, 1U);
}

class server_access_in_pieces : public server_access {
public:
  server_access_in_pieces() : server_access{server_state::kind::alone, 1} {
    set("/b/3", "3");
    set("/b/4", "4");
  }
  // A snapshot of /b/, with new rules after its first entry.
  std::vector<frames> snapshot_with_change(zmtp::peer_id id,
                                           const std::vector<zmtp::access_grant>& grants) {
    say(id, make_snapshot_request("/b/"));
    read(id, 1);
    change(grants);
    read(id);
    return std::exchange(replies[id], {});
  }
  static names keys_of(const std::vector<frames>& all) {
    names keys;
    for (const auto& m : all) {
      keys.push_back(m.front());
    }
    return keys;
  }
};

TEST_F(server_access_in_pieces, a_snapshot_that_is_no_longer_allowed_is_cut_off) {
  const auto bob = client_as("bob", "chp-ack");
  const auto got = snapshot_with_change(bob, {{"bob", chp::read, "/b/1*"}});
  EXPECT_EQ(keys_of(got), (names{"/b/1", "FORBIDDEN"}));
  EXPECT_EQ(server.status().snapshots, 0U);
  EXPECT_EQ(server.status().counters.snapshots, 0U);
  // Others are not affected, and the rules of the next request count.
  change({{"bob", chp::read, "/b/*"}});
  EXPECT_EQ(keys(bob, "/b/"), (names{"/b/1", "/b/2", "/b/3", "/b/4", "KTHXBAI"}));
}

TEST_F(server_access_in_pieces, a_snapshot_that_is_still_allowed_goes_on) {
  const auto bob = client_as("bob", "chp-ack");
  const auto got = snapshot_with_change(bob, {{"bob", chp::read, "/*"}});
  EXPECT_EQ(keys_of(got), (names{"/b/1", "/b/2", "/b/3", "/b/4", "KTHXBAI"}));
}

TEST_F(server_access_in_pieces, other_clients_get_what_they_may_read_at_each_piece) {
  const auto bob = client_as("bob");
  const auto got = snapshot_with_change(bob, {{"bob", chp::read, "/b/4*"}});
  EXPECT_EQ(keys_of(got), (names{"/b/1", "/b/4", "KTHXBAI"}));
}

TEST_F(server_access, zincs_clients_are_closed_when_they_lose_their_subtree) {
  const auto alice =
      subscribe_as("alice", "chp-ack=" + session_name(test_session) + ",chp-log", "/a/");
  (void)subscribe_as("bob", "", "/b/");
  change({{"alice", chp::read, "/a/*"}});
  EXPECT_TRUE(closed.empty()) << "a client of the Guide cannot be told";
  change({{"bob", chp::read, "*"}});
  EXPECT_EQ(closed, std::set{alice});
}

TEST_F(server_access, an_update_needs_the_right_to_write) {
  update_as("alice", "/a/2");
  update_as("alice", "/b/1");
  update_as("", "/a/3");
  update_as("mallory", "/a/4");
  update_as("bob", "/b/3");
  EXPECT_EQ(
      content(),
      (std::map<std::string, std::string>{
          {"/a/1", "/a/1"}, {"/a/2", "v"}, {"/b/1", "/b/1"}, {"/b/2", "/b/2"}, {"/b/3", "v"}}));
  EXPECT_EQ(server.status().counters.forbidden.updates, 3U);
  EXPECT_EQ(refused(errc::forbidden), 3U);
}

TEST_F(server_access, a_client_that_reads_outcomes_is_told_of_a_refusal) {
  const auto session = test_session;
  const auto alice = subscribe_as("alice", "chp-ack=" + session_name(session) + ",chp-log", "/a/");
  update_as("alice", "/b/1", update_id::of_session(session, 1), "low=1\n");
  pass(10ms);
  ASSERT_FALSE(notified[alice].empty());
  const auto answers = find_answers(notified[alice].back().at(3));
  ASSERT_TRUE(answers);
  ASSERT_EQ(answers->size(), 1U);
  EXPECT_EQ(answers->front().why, errc::forbidden);
  // The next update of the session is made.
  update_as("alice", "/a/9", update_id::of_session(session, 2), "low=2\n");
  EXPECT_EQ(content().count("/a/9"), 1U);
}

TEST_F(server_access, another_principal_cannot_use_a_session) {
  const auto session = test_session;
  const auto said = "chp-ack=" + session_name(session) + ",chp-log";
  const auto alice = subscribe_as("alice", said, "/a/");
  const auto bob = subscribe_as("bob", said, "/b/");
  // Otherwise the update of the owner with this counter would be a repeat.
  update_as("bob", "/b/7", update_id::of_session(session, 1), "low=1\n");
  update_as("bob", "/a/7", update_id::of_session(session, 1), "low=1\n");
  EXPECT_EQ(content().count("/b/7"), 0U);
  update_as("alice", "/a/7", update_id::of_session(session, 1), "low=1\n");
  EXPECT_EQ(content().count("/a/7"), 1U);
  EXPECT_EQ(server.status().counters.forbidden.sessions, 3U);
  EXPECT_EQ(reported, names{"bob use_session " + session_name(session)});
  pass(10ms);
  EXPECT_FALSE(notified[alice].empty());
  for (const auto& m : notified[bob]) {
    EXPECT_FALSE(find_answers(m.at(3)));
  }
}

// A session has no owner while its client connects again. It could not go on if another principal chose the
// lowest counter that it waits for.
TEST_F(server_access, an_invalid_update_of_another_principal_does_not_reach_a_session) {
  const auto session = test_session;
  const auto said = "chp-ack=" + session_name(session) + ",chp-log";
  auto alice = subscribe_as("alice", said, "/a/");
  update_as("alice", "/a/7", update_id::of_session(session, 1), "low=1\n");
  server.on_subscriber_detached(alice);
  const auto before = server.number();
  update_as("mallory", "HUGZ", update_id::of_session(session, 1'000), "low=1000\n");
  EXPECT_EQ(server.number(), before);
  EXPECT_EQ(server.status().counters.refused[static_cast<std::size_t>(errc::key_reserved)], 1U);
  alice = subscribe_as("alice", said, "/a/");
  update_as("alice", "HUGZ", update_id::of_session(session, 2), "low=2\n");
  update_as("alice", "/a/8", update_id::of_session(session, 3), "low=3\n");
  EXPECT_EQ(content().count("/a/8"), 1U) << "its own refusals count";
}

class pair_access : public server_access {
public:
  pair_access() : server_access{server_state::kind::paired} {}
};

TEST_F(pair_access, only_a_server_with_all_rights_gets_the_log) {
  const auto hello_of = [&](zmtp::peer_id id) {
    say(id, make_snapshot_request(""));
    read(id);
    return replies[id].size();
  };
  EXPECT_EQ(hello_of(client_as("alice", "chp-ack,chp-log,chp-backup")), 0U);
  EXPECT_EQ(hello_of(client_as("", "chp-backup")), 0U);
  EXPECT_EQ(server.status().counters.forbidden.backups, 2U);
  const auto backup = client_as("backup", "chp-backup");
  EXPECT_NE(hello_of(backup), 0U);
}

TEST_F(pair_access, a_backup_that_loses_a_right_is_closed) {
  const auto backup = client_as("backup", "chp-ack,chp-log,chp-backup");
  say(backup, make_message(hello{}));
  closed.clear();
  change({{"backup", chp::read, "*"}, {"backup", chp::write, "*"}, {"alice", chp::read, "*"}});
  EXPECT_EQ(closed, std::set<zmtp::peer_id>{});
  change({{"backup", chp::read, "*"}});
  EXPECT_EQ(closed, std::set{backup}) << "it gets no further entries of the log";
}

TEST(server_without_rules, principals_make_no_difference) {
  server_setting setting;
  setting.activate();
  setting.server.on_client_update(make_set(form::kvmsg, "/a", {}, {}, "v"), "anyone");
  setting.finish();
  EXPECT_EQ(setting.content().size(), 1U);
}

}  // namespace
}  // namespace chp
