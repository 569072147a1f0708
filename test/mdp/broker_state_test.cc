#include "test/mdp/broker_fixture.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace mdp {
namespace {

class broker_dialog : public broker_fixture {};

TEST_F(broker_dialog, request_goes_to_the_worker_and_its_reply_to_the_client) {  // MDP-5, 7, 16
  const auto worker = attach_worker("echo");
  const auto client = attach();
  say(client, {"MDPC02"sv, "\x01"sv, "echo"sv, "Hello"sv, "world"sv});

  auto m = next(worker);
  ASSERT_EQ(m.size(), 6U);
  EXPECT_EQ(m[0], "MDPW02");
  EXPECT_EQ(m[1], "\x02");
  const std::string address{m[2]};
  EXPECT_EQ(address.size(), 16U);  // a mark, not the client's id
  EXPECT_EQ(m[3], "");
  EXPECT_EQ(m[4], "Hello");
  EXPECT_EQ(m[5], "world");

  say(worker, {"MDPW02"sv, "\x04"sv, address, ""sv, "Hi"sv, "there"sv});
  EXPECT_EQ(next(client), (zmtp::message{"MDPC02"sv, "\x03"sv, "echo"sv, "Hi"sv, "there"sv}));
  EXPECT_TRUE(silent(worker));
  EXPECT_TRUE(silent(client));
  EXPECT_EQ(broker.status().waiting + broker.status().working, 0U);
}

TEST_F(broker_dialog, the_same_in_version_01) {  // MD1-1, MD1-4
  const auto worker = attach_worker("echo", dialect::v01);
  const auto client = attach();
  say(client, {""sv, "MDPC01"sv, "echo"sv, "Hello"sv});
  auto m = next(worker);
  ASSERT_EQ(m.size(), 6U);
  const std::string address{m[3]};
  EXPECT_EQ(m, (zmtp::message{""sv, "MDPW01"sv, "\x02"sv, address, ""sv, "Hello"sv}));
  say(worker, {""sv, "MDPW01"sv, "\x03"sv, address, ""sv, "Hi"sv});
  EXPECT_EQ(next(client), (zmtp::message{""sv, "MDPC01"sv, "echo"sv, "Hi"sv}));
}

TEST_F(broker_dialog, any_mix_of_versions_on_one_service) {  // C3-2, C3-3
  for (const auto of_worker : {dialect::v01, dialect::v02, dialect::v02_delimited}) {
    const auto worker = attach_worker("echo", of_worker);
    const auto answer = [&] {
      auto given = next_request(worker, of_worker);
      EXPECT_EQ(given.body, zmtp::message{"Hello"sv});
      push_worker_reply(given.body, version_of(of_worker), true, given.address);
      if (of_worker == dialect::v02_delimited) {
        given.body.push_front("");
      }
      say(worker, given.body);
    };
    const auto client = attach();
    say(client, {""sv, "MDPC01"sv, "echo"sv, "Hello"sv});
    answer();
    EXPECT_EQ(next(client), old_reply("echo", "Hello"));
    const auto modern = attach();
    say(modern, {"MDPC02"sv, "\x01"sv, "echo"sv, "Hello"sv});
    answer();
    EXPECT_EQ(next(modern), final_reply("echo", "Hello"));
    const auto delimited = attach();
    say(delimited, {""sv, "MDPC02"sv, "\x01"sv, "echo"sv, "Hello"sv});
    answer();
    EXPECT_EQ(next(delimited), (zmtp::message{""sv, "MDPC02"sv, "\x03"sv, "echo"sv, "Hello"sv}));
    detach(worker);
  }
}

TEST_F(broker_dialog, partials_go_to_a_client_of_02_at_once) {  // MDP-6, MDP-9
  const auto worker = attach_worker("list");
  const auto client = attach();
  ask(client, "list", {"what"sv});
  const auto given = next_request(worker);
  for (int i = 0; i < 1000; ++i) {
    reply(worker, given.address, {"part"sv}, version::v02, false);
    EXPECT_EQ(next(client), partial_reply("list", "part"));
  }
  reply(worker, given.address, {"end"sv});
  EXPECT_EQ(next(client), final_reply("list", "end"));
  EXPECT_EQ(counters().partials, 1000U);
}

TEST_F(broker_dialog, partials_are_gathered_for_a_client_of_01) {  // C3-3
  const auto worker = attach_worker("list");
  const auto client = attach();
  ask(client, "list", {"what"sv}, version::v01);
  const auto given = next_request(worker);
  reply(worker, given.address, {"a"sv, "b"sv}, version::v02, false);
  reply(worker, given.address, {std::string(5000, 'c')}, version::v02, false);
  EXPECT_TRUE(silent(client));
  reply(worker, given.address, {"d"sv});
  EXPECT_EQ(next(client), (zmtp::message{""sv, "MDPC01"sv, "list"sv, "a"sv, "b"sv,
                                         std::string(5000, 'c'), "d"sv}));
  EXPECT_TRUE(silent(client));
}

TEST_F(broker_dialog, sends_nothing_to_the_client_after_the_last_part) {  // MDP-10, MDP-30, MD1-5
  for (const auto v : {version::v01, version::v02}) {
    const auto worker = attach_worker("echo", dialect_of(v));
    const auto client = attach();
    ask(client, "echo", {"1"sv}, v);
    const auto given = next_request(worker, dialect_of(v));
    reply(worker, given.address, {"once"sv}, v);
    (void)next(client);
    reply(worker, given.address, {"twice"sv}, v);
    EXPECT_TRUE(silent(client));
    EXPECT_EQ(next(worker), disconnect(dialect_of(v)));
    EXPECT_TRUE(silent(worker));
  }
}

TEST_F(broker_dialog, least_recently_used_worker_is_next) {  // MDP-3, MDP-24
  const zmtp::peer_id workers[] = {attach_worker("echo"), attach_worker("echo"),
                                   attach_worker("echo")};
  const auto client = attach();
  for (int i = 0; i < 9; ++i) {
    ask(client, "echo", {"x"sv});
    for (int j = 0; j < 3; ++j) {
      EXPECT_EQ(silent(workers[j]), j != i % 3);
    }
    echo(workers[i % 3]);
    EXPECT_EQ(next(client), final_reply("echo", "x"));
  }
}

TEST_F(broker_dialog, a_worker_has_one_request_at_a_time) {
  const auto worker = attach_worker("echo");
  const auto client = attach();
  for (const auto body : {"1"sv, "2"sv, "3"sv}) {
    ask(client, "echo", {body});
  }
  for (const auto body : {"1"sv, "2"sv, "3"sv}) {
    EXPECT_EQ(inbox.at(worker).size(), 1U);
    echo(worker);
    EXPECT_EQ(next(client), final_reply("echo", body));
  }
}

TEST_F(broker_dialog, the_next_request_of_a_worker_goes_out_before_its_reply) {
  const auto worker = attach_worker("echo");
  const auto client = attach();
  ask(client, "echo", {"1"sv});
  ask(client, "echo", {"2"sv});
  auto given = next_request(worker);
  push_worker_reply(given.body, version::v02, true, given.address);
  broker.on_message(worker, std::move(given.body), now, actions);
  ASSERT_EQ(actions.sends.size(), 2U);
  EXPECT_EQ(actions.sends[0].to, worker);
  EXPECT_EQ(actions.sends[1].to, client);
  carry_out();
  EXPECT_EQ(next(client), final_reply("echo", "1"));
  EXPECT_EQ(next_request(worker).body, zmtp::message{"2"sv});
}

TEST_F(broker_dialog, service_names_match_byte_by_byte) {  // MDP-12
  const std::string odd("ec\0ho\xff", 6);
  const auto other = attach_worker("echo");
  const auto worker = attach_worker(odd);
  const auto client = attach();
  ask(client, odd, {"x"sv});
  EXPECT_TRUE(silent(other));
  echo(worker);
  EXPECT_EQ(next(client), final_reply(odd, "x"));  // C3-16
  ask(client, "Echo", {"x"sv});
  EXPECT_TRUE(silent(other));
}

TEST_F(broker_dialog, requests_wait_for_the_service) {  // MDP-13, MDP-26
  const auto client = attach();
  ask(client, "late", {"1"sv});
  ask(client, "late", {"2"sv});
  const auto worker = attach_worker("late");
  echo(worker);
  echo(worker);
  EXPECT_EQ(next(client), final_reply("late", "1"));
  EXPECT_EQ(next(client), final_reply("late", "2"));
  EXPECT_TRUE(silent(attach_worker("late")));
}

TEST_F(broker_dialog, second_ready_is_answered_by_disconnect) {  // MDP-25, MDP-30
  for (const auto how : {dialect::v01, dialect::v02}) {
    const auto worker = attach_worker("echo", how);
    say(worker, make_ready(version_of(how), "echo"));
    EXPECT_EQ(next(worker), disconnect(how));
    EXPECT_FALSE(broker.status().workers);
  }
}

TEST_F(broker_dialog, command_before_ready_is_answered_by_disconnect_and_silence) {  // MDP-30, 29
  for (const auto how : {dialect::v01, dialect::v02}) {
    zmtp::message result{"x"sv};
    push_worker_reply(result, version_of(how), true, "sixteen bytes!!");  // C3-12
    for (const auto& m : {heartbeat(how), result}) {
      const auto worker = attach();
      EXPECT_TRUE(silent(worker));
      say(worker, m);
      EXPECT_EQ(next(worker), disconnect(how));
      say(worker, m);
      say(worker, make_ready(version_of(how), "echo"));  // it must come on a new connection
      pass(60s);
      EXPECT_TRUE(silent(worker));
      EXPECT_FALSE(broker.status().workers);
    }
  }
}

TEST_F(broker_dialog, reply_of_a_worker_without_request_is_answered_by_disconnect) {  // MDP-30
  const auto worker = attach_worker("echo");
  reply(worker, "sixteen bytes!!", {"x"sv});
  EXPECT_EQ(next(worker), disconnect());
}

TEST_F(broker_dialog, forged_replies_are_dropped) {  // M2, D3
  const auto client = attach();
  const auto change = [](std::string address, std::size_t at) {
    address[at] = static_cast<char>(address[at] ^ 1);
    return address;
  };
  const std::vector<std::string (*)(std::string)> forgeries{
      [](std::string a) { return a + "x"; },
      [](std::string a) { return a.substr(1); },
      [](std::string) { return std::string{"client"}; },
  };
  const auto try_out = [&](auto forge) {
    const auto worker = attach_worker("echo");
    ask(client, "echo", {"1"sv});
    const auto given = next_request(worker);
    reply(worker, forge(given.address), {"forged"sv});
    EXPECT_EQ(next(worker), disconnect());
    EXPECT_TRUE(silent(client));
    // The request goes to another worker.
    const auto honest = attach_worker("echo");
    echo(honest);
    EXPECT_EQ(next(client), final_reply("echo", "1"));
    detach(honest);
  };
  for (const auto forge : forgeries) {
    try_out(forge);
  }
  for (std::size_t at = 0; at < 16; ++at) {
    try_out([&](const std::string& address) { return change(address, at); });
  }
}

TEST_F(broker_dialog, a_worker_cannot_answer_for_another) {  // M2
  const auto victim = attach_worker("echo");
  const auto thief = attach_worker("echo");
  const auto client = attach();
  ask(client, "echo", {"1"sv});
  const auto given = next_request(victim);
  reply(thief, given.address, {"stolen"sv});
  EXPECT_EQ(next(thief), disconnect());
  EXPECT_TRUE(silent(client));
  reply(victim, given.address, {"true"sv});
  EXPECT_EQ(next(client), final_reply("echo", "true"));
}

TEST_F(broker_dialog, a_worker_gets_nothing_after_its_disconnect) {  // MDP-27, MDP-28
  const auto client = attach();
  for (const bool registered : {true, false}) {
    const auto worker = registered ? attach_worker("echo") : attach();
    say(worker, disconnect());
    ask(client, "echo", {"1"sv});
    say(worker, heartbeat());
    say(worker, make_ready(version::v02, "echo"));
    pass(10s);
    EXPECT_TRUE(silent(worker));
    EXPECT_EQ(broker.status().workers, 0U);
  }
}

TEST_F(broker_dialog, changing_the_version_ends_a_worker) {
  const auto worker = attach_worker("echo");
  say(worker, heartbeat(dialect::v01));
  EXPECT_EQ(invalid(errc::version_changed), 1U);
  EXPECT_EQ(closed.count(worker), 1U);
  EXPECT_TRUE(silent(worker));
}

TEST_F(broker_dialog, a_peer_is_client_or_worker) {
  const auto worker = attach_worker("echo");
  ask(worker, "echo", {"x"sv});
  EXPECT_EQ(closed.count(worker), 1U);
  const auto answer = zmtp::message{"MDPW02"sv, "\x04"sv, "a"sv, ""sv, "b"sv};
  for (const auto& m : {make_ready(version::v02, "echo"), heartbeat(), disconnect(), answer}) {
    const auto client = attach();
    ask(client, "echo", {"x"sv});
    say(client, m);
    EXPECT_EQ(closed.count(client), 1U);
    EXPECT_TRUE(silent(client));
  }
  EXPECT_EQ(invalid(errc::role_changed), 5U);
}

TEST_F(broker_dialog, a_client_may_change_its_version) {
  const auto worker = attach_worker("echo");
  const auto client = attach();
  ask(client, "echo", {"1"sv}, version::v01);
  ask(client, "echo", {"2"sv}, version::v02);
  echo(worker);
  echo(worker);
  EXPECT_EQ(next(client), old_reply("echo", "1"));
  EXPECT_EQ(next(client), final_reply("echo", "2"));
}

TEST_F(broker_dialog, a_slot_is_used_again) {
  const auto client = attach();
  ask(client, "late", {"1"sv});
  detach(client);
  const zmtp::peer_id heir{client.slot, client.generation + 1};
  inbox[heir];
  broker.on_attached(heir, {}, {}, now, actions);
  say(client, {"MDPC02"sv, "\x01"sv, "late"sv, "ghost"sv});  // from the former user
  const auto worker = attach_worker("late");
  EXPECT_TRUE(silent(worker));
  ask(heir, "late", {"2"sv});
  echo(worker);
  EXPECT_EQ(next(heir), final_reply("late", "2"));
  // An attach without the detach of the former user is one.
  ask(heir, "late", {"3"sv});
  const zmtp::peer_id third{heir.slot, heir.generation + 1};
  inbox[third];
  broker.on_attached(third, {}, {}, now, actions);
  echo(worker);
  EXPECT_TRUE(silent(heir));
  EXPECT_TRUE(silent(third));
  EXPECT_EQ(counters().unwanted_replies, 1U);
}

TEST_F(broker_dialog, reports_events_of_peers_and_services) {
  using enum broker_event::kind;
  const auto worker = attach();
  broker.on_message(worker, make_ready(version::v02, "echo"), now, actions);
  ASSERT_EQ(actions.events.size(), 2U);
  EXPECT_EQ(actions.events[0].what, worker_registered);
  EXPECT_EQ(actions.events[0].peer, worker);
  EXPECT_EQ(actions.events[1].what, service_added);
  EXPECT_EQ(actions.events[1].service, "echo");
  carry_out();

  // Requests for an existing service cause no event. A request that creates a service does.
  const auto client = attach();
  for (const auto* const name : {"echo", "other"}) {
    zmtp::message body{"x"sv};
    push_client_request(body, version::v02, name);
    broker.on_message(client, std::move(body), now, actions);
  }
  ASSERT_EQ(actions.events.size(), 1U);
  EXPECT_EQ(actions.events[0].what, service_added);
  EXPECT_EQ(actions.events[0].service, "other");
  carry_out();
  echo(worker);

  const auto stranger = attach();
  broker.on_message(stranger, {"nonsense"sv}, now, actions);
  ASSERT_EQ(actions.events.size(), 1U);
  EXPECT_EQ(actions.events[0].what, message_refused);
  EXPECT_EQ(actions.events[0].peer, stranger);
  EXPECT_EQ(actions.events[0].fault, errc::unknown_header);
  carry_out();

  for (auto left = 100; left > 0 && actions.events.empty(); --left) {
    carry_out();
    now = std::max(now, *broker.next_deadline());
    broker.on_deadline(now, actions);
  }
  ASSERT_EQ(actions.events.size(), 2U);
  EXPECT_EQ(actions.events[0].what, worker_expired);
  EXPECT_EQ(actions.events[0].peer, worker);
  EXPECT_EQ(actions.events[1].what, worker_unregistered);
  EXPECT_EQ(actions.events[1].peer, worker);
  carry_out();
}

// Also if the worker is gone because it does not take the request.
TEST_F(broker_dialog, reports_each_end_of_a_worker_once) {
  using enum broker_event::kind;
  const auto ends = [&](auto end) {
    const auto worker = attach();
    broker.on_message(worker, make_ready(version::v02, "echo"), now, actions);
    carry_out();
    end(worker);
    ASSERT_FALSE(actions.events.empty());
    EXPECT_EQ(actions.events.back().what, worker_unregistered);
    EXPECT_EQ(actions.events.back().peer, worker);
    carry_out();
    broker.on_detached(worker, now, actions);
    EXPECT_TRUE(actions.events.empty());
  };
  ends([&](auto worker) { broker.on_detached(worker, now, actions); });
  ends(
      [&](auto worker) { broker.on_message(worker, make_disconnect(dialect::v02), now, actions); });
  ends([&](auto worker) { broker.on_message(worker, {"nonsense"sv}, now, actions); });
  ends([&](auto worker) {
    broker.on_not_taken(worker, make_heartbeat(dialect::v02), now, actions);
  });
  ends([&](auto worker) {
    broker.on_message(worker, make_ready(version::v02, "again"), now, actions);
  });
}

TEST_F(broker_dialog, ignores_messages_of_unknown_peers) {
  broker.on_message({99, 1}, make_ready(version::v02, "echo"), now, actions);
  broker.on_detached({99, 1}, now, actions);
  broker.on_not_taken({99, 1}, heartbeat(), now, actions);
  EXPECT_TRUE(actions.empty());
  EXPECT_EQ(counters().ignored_messages, 1U);
}

}  // namespace
}  // namespace mdp
