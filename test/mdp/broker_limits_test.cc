// Limits of unanswered requests, back-pressure, and the order of clients.
#include "test/mdp/broker_fixture.h"

#include <cstring>
#include <vector>

namespace mdp {
namespace {

class broker_limits : public broker_fixture {
public:
  using broker_fixture::broker_fixture;

  bool is_paused(zmtp::peer_id id) const { return paused.count(id) != 0; }
};

TEST_F(broker_limits, pauses_a_client_at_its_limit_until_a_quarter_is_free) {  // M5
  const auto client = attach();
  for (int i = 0; i < 999; ++i) {
    ask(client, "echo", {"x"sv});
  }
  EXPECT_FALSE(is_paused(client));
  ask(client, "echo", {"x"sv});
  EXPECT_TRUE(is_paused(client));
  // The broker accepts a message that it has already read.
  ask(client, "echo", {"x"sv});
  EXPECT_EQ(broker.status().waiting, 1001U);
  const auto worker = attach_worker("echo");
  for (int i = 0; i < 251; ++i) {
    EXPECT_TRUE(is_paused(client));
    echo(worker);
  }
  EXPECT_TRUE(is_paused(client));
  echo(worker);
  EXPECT_FALSE(is_paused(client));
  EXPECT_EQ(counters().pauses, 1U);
}

TEST_F(broker_limits, a_hundred_thousand_requests_before_the_first_reply_is_read) {  // M5
  const auto client = attach();
  const auto worker = attach_worker("echo");
  int sent = 0;
  int answered = 0;
  while (answered < 100'000) {
    while (!is_paused(client) && sent < 100'000) {
      ask(client, "echo", {std::to_string(sent++)});
      ASSERT_LE(broker.status().waiting, 1000U);
    }
    echo(worker);
    ASSERT_EQ(next(client), final_reply("echo", std::to_string(answered++)));
  }
  EXPECT_TRUE(silent(client));
  EXPECT_LT(counters().pauses, 1000U);
}

TEST_F(broker_limits, pause_and_resume_in_one_turn_cancel_each_other) {
  const auto client = attach();
  const auto worker = attach_worker("echo");
  for (int i = 0; i < 1000; ++i) {
    zmtp::message m{"x"sv};
    push_client_request(m, version::v02, "echo");
    broker.on_message(client, std::move(m), now, actions);
  }
  EXPECT_EQ(actions.pause, std::vector{client});
  broker.on_detached(worker, now, actions);
  broker.on_deadline(now, actions);
  EXPECT_EQ(actions.pause, std::vector{client});
  now += 60s;
  broker.on_deadline(now, actions);
  EXPECT_TRUE(actions.pause.empty());
  EXPECT_TRUE(actions.resume.empty());
  EXPECT_EQ(broker.status().paused_clients, 0U);
}

TEST_F(broker_limits, expired_requests_leave_the_account) {
  const auto client = attach();
  for (int i = 0; i < 1000; ++i) {
    ask(client, "late", {"x"sv});
  }
  EXPECT_TRUE(is_paused(client));
  pass(60s);
  EXPECT_FALSE(is_paused(client));
}

TEST_F(broker_limits, requests_of_the_broker_itself_do_not_count) {
  const auto client = attach();
  for (int i = 0; i < 5000; ++i) {
    ask(client, "mmi.service", {"x"sv});
  }
  EXPECT_FALSE(is_paused(client));
  EXPECT_EQ(inbox.at(client).size(), 5000U);
}

class broker_byte_limits : public broker_limits {
public:
  broker_byte_limits()
      : broker_limits{
            {.client_limit = {.bytes = 10'000}, .services = {.limit = {.bytes = 50'000}}}} {}
  const std::string body = std::string(1000 - request_overhead - 9, 'b');  // charged 1000
};

TEST_F(broker_byte_limits, pauses_a_client_above_its_limit) {  // M5
  const auto client = attach();
  for (int i = 0; i < 9; ++i) {
    ask(client, "echo", {body});
  }
  EXPECT_FALSE(is_paused(client));
  ask(client, "echo", {body});
  EXPECT_TRUE(is_paused(client));
  const auto worker = attach_worker("echo");
  EXPECT_EQ(broker.services().front().bytes, 10'000U);
  echo(worker);
  echo(worker);
  EXPECT_TRUE(is_paused(client));
  echo(worker);
  EXPECT_FALSE(is_paused(client));
}

TEST_F(broker_byte_limits, a_message_above_every_limit_is_served) {
  const auto client = attach();
  const std::string huge(100'000, 'h');
  ask(client, "echo", {huge});
  EXPECT_TRUE(is_paused(client));
  const auto worker = attach_worker("echo");
  echo(worker);
  EXPECT_FALSE(is_paused(client));
  EXPECT_EQ(next(client), final_reply("echo", huge));
}

TEST_F(broker_byte_limits, pauses_a_client_of_a_full_service) {  // M5
  std::vector<zmtp::peer_id> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(attach());
    for (int j = 0; j < 5; ++j) {
      ask(clients.back(), "full", {body});
    }
  }
  // Only a client that sends a request when the service is full.
  EXPECT_TRUE(is_paused(clients.back()));
  ask(clients.front(), "full", {body});
  EXPECT_TRUE(is_paused(clients.front()));
  EXPECT_FALSE(is_paused(clients[1]));

  // Clients of others are not delayed.
  const auto other = attach();
  const auto other_worker = attach_worker("other");
  for (int i = 0; i < 30; ++i) {
    ask(other, "other", {body});
    EXPECT_FALSE(is_paused(other));
    echo(other_worker);
    EXPECT_EQ(next(other), final_reply("other", body));
  }

  const auto worker = attach_worker("full");
  for (int i = 0; i < 13; ++i) {
    EXPECT_TRUE(is_paused(clients.back()));
    echo(worker);
  }
  EXPECT_TRUE(is_paused(clients.back()));
  echo(worker);
  EXPECT_TRUE(paused.empty());
}

TEST_F(broker_byte_limits, a_client_at_both_limits_is_resumed_below_both) {
  const auto client = attach();
  const auto other = attach();
  for (int i = 0; i < 4; ++i) {
    const auto filler = attach();
    for (int j = 0; j < 9; ++j) {
      ask(filler, "full", {body});
    }
  }
  for (int i = 0; i < 9; ++i) {
    ask(other, "full", {body});
  }
  for (int i = 0; i < 10; ++i) {
    ask(client, "full", {body});  // the service has 55,000 now
  }
  EXPECT_TRUE(is_paused(client));
  const auto worker = attach_worker("full");
  for (int answered = 0; is_paused(client); ++answered) {
    ASSERT_LT(answered, 55);
    echo(worker);
  }
  // 37,000 are left of the service's, and less than 7,500 of the client's.
  EXPECT_LE(broker.services().front().bytes, 37'499U);
}

TEST_F(broker_byte_limits, a_paused_client_that_leaves_is_not_resumed) {
  const auto client = attach();
  for (int i = 0; i < 60; ++i) {
    ask(client, "full", {body});
  }
  EXPECT_TRUE(is_paused(client));
  detach(client);  // the fixture would complain
  EXPECT_EQ(broker.status().paused_clients, 0U);
  EXPECT_EQ(broker.status().services, 0U);
}

TEST_F(broker_byte_limits, leaving_makes_room_for_others) {
  const auto greedy = attach();
  for (int i = 0; i < 60; ++i) {
    ask(greedy, "full", {body});
  }
  const auto client = attach();
  ask(client, "full", {body});
  EXPECT_TRUE(is_paused(client));
  detach(greedy);
  EXPECT_FALSE(is_paused(client));
}

TEST_F(broker_limits, clients_of_a_service_take_turns) {  // MDP-2, D4
  const auto greedy = attach();
  const auto modest = attach();
  for (int i = 0; i < 900; ++i) {
    ask(greedy, "echo", {"greedy"sv});
  }
  ask(modest, "echo", {"modest"sv});
  const auto worker = attach_worker("echo");
  for (int i = 0; i < 100; ++i) {
    // The worker has a request of the greedy client, and the next turn is that client's.
    for (int turn = 0; turn < 3 && silent(modest); ++turn) {
      echo(worker);
    }
    ASSERT_EQ(next(modest), final_reply("echo", "modest"));
    ask(modest, "echo", {"modest"sv});
  }
}

TEST_F(broker_limits, three_clients_take_turns_and_keep_their_order) {  // MDP-2
  const zmtp::peer_id clients[] = {attach(), attach(), attach()};
  for (const auto client : clients) {
    for (int i = 0; i < 10; ++i) {
      ask(client, "echo", {std::to_string(client.slot) + ":" + std::to_string(i)});
    }
  }
  const auto worker = attach_worker("echo");
  for (int i = 0; i < 10; ++i) {
    for (const auto client : clients) {
      echo(worker);
      EXPECT_EQ(next(client),
                final_reply("echo", std::to_string(client.slot) + ":" + std::to_string(i)));
    }
  }
}

TEST_F(broker_limits, one_client_with_many_services) {
  const auto client = attach();
  for (int i = 0; i < 600; ++i) {
    ask(client, "service" + std::to_string(i % 200), {std::to_string(i)});
  }
  for (int i = 0; i < 200; ++i) {
    const auto worker = attach_worker("service" + std::to_string(i));
    for (const int expected : {i, i + 200, i + 400}) {
      EXPECT_EQ(inbox.at(worker).front().back(), std::to_string(expected));
      echo(worker);
    }
  }
  EXPECT_EQ(inbox.at(client).size(), 600U);
}

class broker_unknown_services : public broker_limits {
public:
  broker_unknown_services() : broker_limits{{.unknown_services = 3}} {}
};

TEST_F(broker_unknown_services, limits_the_number_of_unknown_services) {  // M5
  const auto client = attach();
  const auto known = attach_worker("known");
  for (const auto name : {"a"sv, "b"sv, "c"sv, "d"sv, "e"sv, "known"sv, "a"sv}) {
    ask(client, name, {"x"sv});
  }
  EXPECT_EQ(broker.status().unknown_services, 3U);
  EXPECT_EQ(counters().refused, 2U);
  EXPECT_FALSE(silent(known));
  EXPECT_TRUE(silent(attach_worker("d")));
  (void)attach_worker("a");
  ask(client, "e", {"x"sv});
  EXPECT_EQ(broker.status().unknown_services, 3U);
  EXPECT_EQ(counters().refused, 2U);
  EXPECT_TRUE(closed.empty());
}

TEST_F(broker_unknown_services, forgets_unused_services) {
  const auto client = attach();
  ask(client, "a", {"x"sv});
  const auto worker = attach_worker("b");
  detach(worker);
  EXPECT_EQ(broker.status().services, 1U);
  pass(60s);
  EXPECT_EQ(broker.status().services, 0U);
  EXPECT_EQ(broker.status().unknown_services, 0U);
}

TEST_F(broker_limits, too_much_to_gather_is_dropped) {  // C3-3
  const auto client = attach();
  const auto worker = attach_worker("list");
  ask(client, "list", {"x"sv}, version::v01);
  const auto given = next_request(worker);
  for (int i = 0; i < 1023; ++i) {
    reply(worker, given.address, {"part"sv}, version::v02, false);
  }
  reply(worker, given.address, {"two"sv, "more"sv});
  EXPECT_TRUE(silent(client));
  EXPECT_EQ(counters().oversized, 1U);
  // The same by bytes, and the worker may go on to the end.
  ask(client, "list", {"x"sv}, version::v01);
  const auto second = next_request(worker);
  const std::string mebibyte(1024 * 1024, 'm');
  for (int i = 0; i < 20; ++i) {
    reply(worker, second.address, {mebibyte}, version::v02, false);
  }
  reply(worker, second.address, {"end"sv});
  EXPECT_TRUE(silent(client));
  EXPECT_TRUE(silent(worker));
  EXPECT_EQ(counters().oversized, 2U);
  ask(client, "list", {"x"sv}, version::v01);
  echo(worker);
  EXPECT_EQ(next(client), old_reply("list", "x"));
}

TEST_F(broker_limits, a_client_that_does_not_take_its_replies_is_closed) {  // M5
  const auto client = attach();
  const auto worker = attach_worker("echo");
  ask(client, "echo", {"1"sv});
  ask(client, "echo", {"2"sv});
  echo(worker);
  broker.on_not_taken(client, next(client), now, actions);
  EXPECT_EQ(actions.close, std::vector{client});
  broker.on_not_taken(client, heartbeat(), now, actions);
  EXPECT_EQ(actions.close.size(), 1U);
  carry_out();
  EXPECT_EQ(counters().clients_not_reading, 1U);
  echo(worker);
  ask(client, "echo", {"3"sv});
  EXPECT_TRUE(silent(client));
  EXPECT_TRUE(silent(worker));
}

TEST_F(broker_limits, a_request_that_its_worker_does_not_take_goes_to_another) {
  const auto client = attach();
  std::vector<zmtp::peer_id> stalled;
  for (int i = 0; i < 5; ++i) {
    stalled.push_back(attach_worker("echo"));
  }
  const auto worker = attach_worker("echo");
  ask(client, "echo", {"1"sv});
  for (const auto id : stalled) {
    broker.on_not_taken(id, next(id), now, actions);
    carry_out();
    EXPECT_EQ(closed.count(id), 1U);
  }
  // None of these was an attempt.
  echo(worker);
  EXPECT_EQ(next(client), final_reply("echo", "1"));
  EXPECT_EQ(counters().workers_not_reading, 5U);
}

TEST_F(broker_limits, a_busy_worker_may_leave_heartbeats_unread) {
  const auto client = attach();
  const auto worker = attach_worker("echo");
  broker.on_not_taken(attach_worker("idle"), heartbeat(), now, actions);
  EXPECT_EQ(actions.close.size(), 1U);
  carry_out();
  ask(client, "echo", {"1"sv});
  broker.on_not_taken(worker, heartbeat(), now, actions);
  EXPECT_TRUE(actions.empty());
  echo(worker);
  EXPECT_EQ(next(client), final_reply("echo", "1"));
}

TEST_F(broker_limits, slices_are_copied_at_the_end_of_the_turn) {
  const std::string bytes =
      std::string("\x01\x06MDPC02\x01\x01\x01\x01\x04late\x00\x96", 19) + std::string(150, 'b');
  zmtp::block_ptr buffer{zmtp::block::create(64 * 1024)};
  std::memcpy(buffer->data(), bytes.data(), bytes.size());
  const auto client = attach();
  say(client, {buffer, {buffer->data(), bytes.size()}, 4});
  EXPECT_FALSE(buffer->unique());
  broker.compact();
  EXPECT_TRUE(buffer->unique());
  const auto worker = attach_worker("late");
  EXPECT_EQ(next_request(worker).body, zmtp::message{std::string(150, 'b')});
}

}  // namespace
}  // namespace mdp
