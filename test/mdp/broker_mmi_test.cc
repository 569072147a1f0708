// 8/MMI.
#include "test/mdp/broker_fixture.h"

#include <set>
#include <string>

namespace mdp {
namespace {

class broker_mmi : public broker_fixture {
public:
  std::string lookup(std::string_view name) {
    ask(client, "mmi.service", {name});
    const auto m = next(client);
    EXPECT_EQ(m.size(), 4U);
    return std::string{m.back()};
  }
  zmtp::peer_id client = attach();
};

TEST_F(broker_mmi, a_service_exists_while_it_has_a_live_worker) {  // MMI-3, MMI-6, C3-10
  EXPECT_EQ(lookup("echo"), "404");
  const auto worker = attach_worker("echo");
  EXPECT_EQ(lookup("echo"), "200");
  ask(client, "echo", {"x"sv});
  EXPECT_EQ(lookup("echo"), "200");  // busy
  detach(worker);
  EXPECT_EQ(lookup("echo"), "404");  // a waiting request does not make a worker
  const auto second = attach_worker("echo");
  EXPECT_EQ(lookup("echo"), "200");
  say(second, disconnect());
  EXPECT_EQ(lookup("echo"), "404");
  (void)attach_worker("echo");
  (void)attach_worker("idle");
  pass(10s);
  EXPECT_EQ(lookup("idle"), "404");  // unresponsive
}

TEST_F(broker_mmi, lookups_create_no_services) {  // C3-10
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(lookup("name" + std::to_string(i)), "404");
  }
  EXPECT_EQ(broker.status().services, 0U);
  EXPECT_EQ(counters().mmi_requests, 100U);
}

TEST_F(broker_mmi, other_names_are_not_implemented) {  // MMI-1, MMI-4
  for (const auto name : {"mmi."sv, "mmi.x"sv, "mmi.servicess"sv, "mmi.error"sv}) {
    ask(client, name, {"x"sv});
    EXPECT_EQ(next(client), final_reply(name, "501"));
  }
}

TEST_F(broker_mmi, last_frame_is_the_argument_and_the_reply_is_one_frame) {  // C3-11
  (void)attach_worker("echo");
  ask(client, "mmi.service", {"x"sv, "y"sv, "echo"sv});
  EXPECT_EQ(next(client), final_reply("mmi.service", "200"));
  ask(client, "mmi.service", {"echo"sv, "x"sv});
  EXPECT_EQ(next(client), final_reply("mmi.service", "404"));
}

TEST_F(broker_mmi, framing_is_the_clients) {  // MMI-5
  (void)attach_worker("echo");
  say(client, {""sv, "MDPC01"sv, "mmi.service"sv, "echo"sv});
  EXPECT_EQ(next(client), old_reply("mmi.service", "200"));
  say(client, {""sv, "MDPC02"sv, "\x01"sv, "mmi.service"sv, "echo"sv});
  EXPECT_EQ(next(client), (zmtp::message{""sv, "MDPC02"sv, "\x03"sv, "mmi.service"sv, "200"sv}));
}

TEST_F(broker_mmi, services_are_listed_with_their_queues_workers_and_counters) {
  const auto list = [&](std::string_view after) {
    ask(client, "mmi.services", {after});
    auto m = next(client);
    m.pop_front();
    m.pop_front();
    EXPECT_EQ(m.front(), "mmi.services");
    m.pop_front();
    return m;
  };
  EXPECT_EQ(list(""), zmtp::message{"200"sv});
  const auto worker = attach_worker("echo");
  (void)attach_worker("echo");
  const auto snapshot_client = attach();
  ask(snapshot_client, "echo", {"1"sv});
  ask(snapshot_client, "unknown", {"12345"sv});
  echo(worker);
  ask(snapshot_client, "echo", {"2"sv});
  EXPECT_EQ(list(""),
            (zmtp::message{"200"sv, "echo"sv,
                           "workers=2 busy=1 waiting=0 working=1 bytes=259 requests=2 replies=1 "
                           "partials=0 requeued=0 expired=0 exhausted=0 declined=0 failed=0 "
                           "stopped=0 cut_short=0 abandoned=0 "
                           "oversized=0 errors=0 repeats=0 unwanted_replies=0"sv,
                           "unknown"sv,
                           "workers=0 busy=0 waiting=1 working=0 bytes=263 requests=1 replies=0 "
                           "partials=0 requeued=0 expired=0 exhausted=0 declined=0 failed=0 "
                           "stopped=0 cut_short=0 abandoned=0 "
                           "oversized=0 errors=0 repeats=0 unwanted_replies=0"sv}));
  // Only those behind the name that is given.
  EXPECT_EQ(list("echo")[1], "unknown");
  EXPECT_EQ(list("echo").size(), 3U);
  EXPECT_EQ(list("unknown"), zmtp::message{"200"sv});
}

TEST_F(broker_mmi, long_lists_come_in_pieces) {
  std::set<std::string> names;
  for (int i = 0; i < 250; ++i) {
    const auto name = std::to_string(i);
    names.insert(name);
    (void)attach_worker(name);
  }
  std::set<std::string> seen;
  std::string last;
  for (std::size_t expected : {100U, 100U, 50U, 0U}) {
    ask(client, "mmi.services", {last});
    const auto m = next(client);
    ASSERT_EQ(m.size(), 4 + 2 * expected);
    for (std::size_t i = 4; i < m.size(); i += 2) {
      EXPECT_LT(last, m[i]);
      last = m[i];
      seen.insert(last);
    }
  }
  EXPECT_EQ(seen, names);
}

TEST_F(broker_mmi, workers_and_clients_are_listed_with_what_they_hold) {
  const auto worker = attach_worker("echo");
  const auto other = attach();
  ask(other, "echo", {"1"sv});
  ask(other, "unknown", {"12345"sv});
  now += 1500ms;
  const auto list = [&](std::string_view service, std::string_view after) {
    ask(client, service, {after});
    auto m = next(client);
    m.pop_front();
    m.pop_front();
    m.pop_front();
    return m;
  };
  const auto name = [](zmtp::peer_id of) { return std::to_string(of.slot) + ".7"; };
  EXPECT_EQ(list("mmi.workers", ""),
            (zmtp::message{"200"sv, name(worker), "echo"sv, ""sv,
                           "working=1 capacity=1 draining=false last_received=1"sv}));
  EXPECT_EQ(list("mmi.workers", name(worker)), zmtp::message{"200"sv});
  EXPECT_EQ(list("mmi.clients", ""),
            (zmtp::message{"200"sv, name(client), ""sv, "requests=0 bytes=0 paused=false"sv,
                           name(other), ""sv, "requests=2 bytes=522 paused=false"sv}));
  EXPECT_EQ(list("mmi.clients", name(client)).size(), 4U);
  for (const auto wrong : {"x"sv, "1"sv, "-1.7"sv, "."sv, "1."sv, "1.junk"sv, "1.7x"sv}) {
    EXPECT_EQ(list("mmi.workers", wrong), zmtp::message{"400"sv}) << wrong;
    EXPECT_EQ(list("mmi.clients", wrong), zmtp::message{"400"sv}) << wrong;
  }
}

TEST_F(broker_mmi, long_lists_of_peers_come_in_pieces) {
  std::set<std::string> workers;
  std::set<std::string> clients{std::to_string(client.slot) + ".7"};
  for (int i = 0; i < 150; ++i) {
    workers.insert(std::to_string(attach_worker("echo").slot) + ".7");
    const auto added = attach();
    ask(added, "mmi.service", {"echo"sv});
    (void)next(added);
    clients.insert(std::to_string(added.slot) + ".7");
  }
  const auto listed = [&](std::string_view service, std::size_t parts) {
    std::set<std::string> seen;
    std::size_t pages = 0;
    for (std::string last;; ++pages) {
      ask(client, service, {last});
      const auto m = next(client);
      EXPECT_LE(m.size(), 4 + 100 * parts);
      if (m.size() <= 4) {
        break;
      }
      for (std::size_t i = 4; i < m.size(); i += parts) {
        last = m[i];
        EXPECT_TRUE(seen.insert(last).second) << last;
      }
    }
    EXPECT_EQ(pages, 2U);
    return seen;
  };
  EXPECT_EQ(listed("mmi.workers", 4), workers);
  EXPECT_EQ(listed("mmi.clients", 3), clients);
}

TEST_F(broker_mmi, state_of_the_broker_is_a_line_of_numbers) {
  const auto worker = attach_worker("echo");
  const auto snapshot_client = attach();
  ask(snapshot_client, "echo", {"1"sv});
  ask(snapshot_client, "unknown", {"1"sv});
  echo(worker);
  say(attach(), {"garbage"sv});
  ask(client, "mmi.broker", {"x"sv});
  EXPECT_EQ(
      next(client),
      (zmtp::message{
          "MDPC02"sv, "\x03"sv, "mmi.broker"sv, "200"sv,
          "peers=4 clients=2 paused_clients=0 workers=1 services=2 unknown_services=1 "
          "waiting=1 working=0 keyed_requests=0 keyed_bytes=0 draining=false requests=2 replies=1 "
          "partials=0 requeued=0 expired=0 "
          "exhausted=0 declined=0 failed=0 stopped=0 cut_short=0 abandoned=0 oversized=0 "
          "errors=0 repeats=0 unwanted_replies=0 "
          "refused=0 mmi_requests=1 unexpected_commands=0 malformed_announcements=0 "
          "ignored_messages=0 workers_registered=1 workers_expired=0 workers_not_reading=0 "
          "clients_not_reading=0 pauses=0 forbidden_offers=0 forbidden_calls=0 "
          "forbidden_inspections=0 invalid_messages=1"sv}));
}

TEST_F(broker_mmi, returns_the_state_that_titanic_reports) {  // MMI-1
  const auto old_client = attach();
  const auto ask_old = [&] {
    ask(old_client, "mmi.titanic", {"from"sv, "behind"sv}, version::v01);
  };
  ask_old();
  EXPECT_EQ(next(old_client), old_reply("mmi.titanic", "404"));
  const auto titanic = attach_worker("titanic.status");
  ask_old();
  ask(client, "mmi.titanic", {"x"sv});
  // The worker sees only the name of its own service.
  auto given = next_request(titanic);
  EXPECT_EQ(given.body, (zmtp::message{"from"sv, "behind"sv}));
  reply(titanic, given.address, {"200"sv, "requests=1"sv});
  EXPECT_EQ(next(old_client),
            (zmtp::message{""sv, "MDPC01"sv, "mmi.titanic"sv, "200"sv, "requests=1"sv}));
  given = next_request(titanic);
  reply(titanic, given.address, {"part"sv}, version::v02, false);
  EXPECT_EQ(next(client), partial_reply("mmi.titanic", "part"));
  reply(titanic, given.address, {"end"sv});
  EXPECT_EQ(next(client), final_reply("mmi.titanic", "end"));
  // Under its own name it is a service like others.
  ask(client, "titanic.status", {"x"sv});
  echo(titanic);
  EXPECT_EQ(next(client), final_reply("titanic.status", "x"));
  EXPECT_EQ(counters().requests, 3U);
}

TEST_F(broker_mmi, disconnects_a_worker_that_registers_a_reserved_name) {  // MMI-2, C3-9
  for (const auto how : {dialect::v01, dialect::v02}) {
    for (const auto name : {"mmi.service"sv, "mmi.evil"sv, "mmi."sv}) {
      const auto worker = attach_worker(name, how);
      EXPECT_EQ(next(worker), disconnect(how));
      EXPECT_EQ(broker.status().workers, 0U);
      ask(client, name, {"x"sv});
      EXPECT_TRUE(silent(worker));
      (void)next(client);
    }
  }
}

}  // namespace
}  // namespace mdp
