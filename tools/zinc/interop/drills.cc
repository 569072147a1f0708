#include "tools/zinc/interop/drills.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <utility>

namespace zinc::interop {

namespace {

using namespace std::chrono_literals;
using std::string;
using words = std::vector<string>;

constexpr auto server = side::server;
constexpr auto client = side::client;
constexpr condition our_server{server, origin::ours};
constexpr condition our_client{client, origin::ours};
constexpr condition their_client{client, origin::theirs};

// Time for an answer after failed attempts, missed heartbeats and growing pauses.
constexpr auto recovery = 40s;
// A request costs a worker one second.
constexpr auto at_rest = 2s;

// The pirates.
const expected_line answered{"I: server replied OK (N)", R"(replied OK \((?:b')?(\d+))"};
const expected_line asked{"I: normal request (N)", "normal request"};
const expected_line unanswered{"W: no response from server, retrying...",
                               "no response from server"};
const expected_line abandoned{"E: server seems to be offline, abandoning", "offline, abandoning"};
const expected_line worked{"I: normal reply", "normal reply|CPU overload"};
const expected_line worker_ready{"I: worker ready", "worker ready"};
// Majordomo.
const expected_line broker_active{"I: MDP broker/0.2.0 is active at tcp://*:5555", "is active at"};
const expected_line all_replies{
    "N requests/replies processed",
    fmt::format(R"(\b(?:100000|{}) (?:requests/)?replies (?:processed|received))", short_count)};
const expected_line any_replies{"N requests/replies processed", R"(\d+ (?:requests/)?replies)"};
const expected_line service_there{"Lookup echo service: 200", "lookup echo service.*200"};
const expected_line service_gone{"Lookup echo service: 404", "lookup echo service.*404"};
const expected_line left_with{"I: request UUID", "request UUID"};
const expected_line not_yet{"I: no reply yet, trying again...", "no reply yet"};
const expected_line durable_reply{"Reply: Hello world", "reply: .*hello world"};
const expected_line calls{"N calls/second", "calls/second"};
// Binary Star.
const expected_line backup_heard{"I: connected to backup (passive), ready as active",
                                 R"(connected to backup \((?:passive|slave)\))"};
const expected_line primary_heard{"I: connected to primary (active), ready as passive",
                                  R"(connected to primary \((?:active|master)\))"};
const expected_line active_backup_heard{"I: connected to backup (active), ready as passive",
                                        R"(connected to backup \((?:active|master)\))"};
const expected_line taken_over{"I: failover successful, ready as active", "failover successful"};
const expected_line failing_over{"W: no response from server, failing over", "failing over"};
// Freelance.
const expected_line service_ready{"I: service is ready at ENDPOINT", "service is ready at"};
const expected_line running_well{"Service is running OK", "service is running OK"};
const expected_line first_dead{"W: no response from tcp://localhost:5555",
                               "no response from tcp://localhost:5555"};
const expected_line round_trip{"Average round trip cost: N usec", "average round trip cost"};
const expected_line any_end{"Average round trip cost: N usec, or E: name service not available",
                            "average round trip cost|name service not available"};
// Publishing.
const expected_line subscription{"[002] 0141", R"(\[002\] 0141|x01A|\\1A)"};
const expected_line captured{"[007] B-NNNNN", R"([AB]-\d{5})"};
const expected_line roger{"Save Roger", "save roger"};
const expected_line too_slow{"E: subscriber cannot keep up, aborting", "cannot keep up, aborting"};
const expected_line anything{"a line", "."};
// Clone. The typing error is the Guide's.
const expected_line messages_in{"N messages in", R"([1-9]\d* messages in)"};
const expected_line snapshot_sent{"I: sending shapshot=N",
                                  R"(sending (?:state )?s[hn]apshot ?= ?\d+)"};
const expected_line snapshot_read{"I: received snapshot=N", R"(received.*snapshot ?= ?\d+)"};
const expected_line has_caught_up{"I: received snapshot=N",
                                  R"(received (?:snapshot|update) ?= ?\d+)"};
const expected_line update_sent{"I: publishing update=N", R"(publishing update ?=? *\d+)"};
const expected_line update_read{"I: received update=N", R"(received update ?= ?\d+)"};
const expected_line delete_sent{"I: publishing delete=N", R"(publishing delete ?= ?\d+)"};
const expected_line from_primary{"I: received from tcp://localhost:5556 snapshot=N",
                                 R"(received from .*:5556 snapshot ?= ?\d+)"};
const expected_line from_backup{"I: received from tcp://localhost:5566 snapshot=N",
                                R"(received from .*:5566 snapshot ?= ?\d+)"};

pair lazy_pirate() {
  return {"lp",
          "lpserver",
          "lpclient",
          {{"answers",
            {start{"lpserver", server}, start{"lpclient", client}, says{"lpclient", answered},
             counts_up{"lpclient", answered}}},
           // Three tries of 2.5 s.
           {"no server",
            {start{"lpclient", client}, says{"lpclient", unanswered}, says{"lpclient", abandoned},
             ends{"lpclient"}}},
           {"server killed with a request and restarted",
            {start{"lpserver", server}, start{"lpclient", client}, says{"lpserver", asked},
             sends{"lpserver"}, says{"lpclient", unanswered}, start{"lpserver", server},
             says{"lpclient", answered}, counts_up{"lpclient", answered}}}}};
}

// Drills of a queue and its workers, with the client of the Lazy Pirate.
std::vector<drill> queue_drills(const string& queue, const string& worker, side workers,
                                side clients) {
  std::vector<drill> drills{
      {"answers",
       {start{queue, server}, start{worker, workers}, says{worker, worker_ready},
        start{"lpclient", clients}, says{"lpclient", answered}, counts_up{"lpclient", answered}}}};
  if (workers == server) {
    return drills;
  }
  drills.push_back(
      {"worker killed while idle",
       // The worker has answered, so the queue knows it.
       {start{queue, server}, start{worker, workers}, start{"lpclient", clients},
        says{"lpclient", answered}, sends{"lpclient"}, sends{worker},
        start{worker, workers, {}, "second worker"}, says{"second worker", worker_ready},
        start{"lpclient", clients}, says{"lpclient", answered, recovery}}});
  return drills;
}

pair simple_pirate_workers() {
  auto drills = queue_drills("spqueue", "spworker", client, server);
  // A REQ of the Guide does not say READY again; ours does.
  drills.push_back({"queue restarted",
                    {start{"spqueue", server},
                     start{"spworker", client},
                     start{"lpclient", server},
                     says{"lpclient", answered},
                     sends{"lpclient"},
                     rests{"spworker", worked, at_rest},
                     sends{"spqueue"},
                     start{"spqueue", server},
                     start{"lpclient", server},
                     {our_client, says{"lpclient", answered, recovery}},
                     {their_client, says{"lpclient", abandoned, recovery}}}});
  return {"sp", "spqueue", "spworker", std::move(drills)};
}

pair simple_pirate_clients() {
  return {"sp", "spqueue", "lpclient", queue_drills("spqueue", "spworker", server, client)};
}

pair paranoid_pirate_workers() {
  auto drills = queue_drills("ppqueue", "ppworker", client, server);
  drills.push_back({"queue restarted",
                    {start{"ppqueue", server}, start{"ppworker", client}, start{"lpclient", server},
                     says{"lpclient", answered}, sends{"lpclient"},
                     // The late reply could reach the next client, because a new queue reuses ids.
                     rests{"ppworker", worked, at_rest}, sends{"ppqueue"}, start{"ppqueue", server},
                     start{"lpclient", server}, says{"lpclient", answered, recovery}}});
  drills.push_back(
      {"worker frozen while idle",
       {start{"ppqueue", server}, start{"ppworker", client}, start{"lpclient", server},
        says{"lpclient", answered}, sends{"lpclient"},
        // The queue declares the worker dead after three seconds. One second is a margin.
        rests{"ppworker", worked, at_rest}, sends{"ppworker", SIGSTOP},
        silent{"ppworker", worked, 4s}, start{"lpclient", server}, says{"lpclient", unanswered},
        sends{"ppworker", SIGCONT}, says{"lpclient", answered, recovery}}});
  return {"pp", "ppqueue", "ppworker", std::move(drills)};
}

pair paranoid_pirate_clients() {
  return {"pp", "ppqueue", "lpclient", queue_drills("ppqueue", "ppworker", server, client)};
}

const start broker{"mdbroker", server};
// A client that is faster may give up before the server runs.
const says broker_there{"mdbroker", broker_active};

pair majordomo_clients() {
  return {"mdp",
          "mdbroker",
          "mdclient",
          {{"answers",
            {broker, broker_there, start{"mdworker", server}, start{"mdclient", client},
             says{"mdclient", all_replies, 60s}, ends{"mdclient"}}},
           {"no worker at first",
            {broker, broker_there, start{"mdclient", client}, silent{"mdclient", any_replies, 1s},
             start{"mdworker", server}, says{"mdclient", all_replies, 60s}}}}};
}

pair majordomo_pipelining_clients() {
  return {"mdp",
          "mdbroker",
          "mdclient2",
          {{"answers",
            {broker, broker_there, start{"mdworker", server}, start{"mdclient2", client},
             says{"mdclient2", all_replies, 60s}, ends{"mdclient2"}}}}};
}

pair majordomo_workers() {
  const start echo{"mdworker", client};
  const start ask{"mdclient", server};
  const auto registered = until{start{"mmiecho", server}, service_there};
  return {"mdp",
          "mdbroker",
          "mdworker",
          {{"answers", {broker, broker_there, echo, ask, says{"mdclient", all_replies, 60s}}},
           {"worker killed while idle",
            {broker,
             broker_there,
             echo,
             registered,
             sends{"mdworker"},
             // The Guide's broker in Python goes on saying 200.
             {our_server, until{start{"mmiecho", server}, service_gone, recovery}},
             start{"mdworker", client, {}, "second worker"},
             ask,
             says{"mdclient", all_replies, 60s}}},
           // The worker has the request and does not answer.
           {"worker killed with a request",
            {broker, broker_there, echo, registered, sends{"mdworker", SIGSTOP}, ask,
             silent{"mdclient", any_replies, 1s}, start{"mdworker", client, {}, "second worker"},
             sends{"mdworker"}, says{"mdclient", all_replies, 60s}}},
           {"broker restarted",
            {broker, broker_there, echo, registered, sends{"mdbroker"}, broker,
             until{start{"mmiecho", server}, service_there, recovery}, ask,
             says{"mdclient", all_replies, 60s}}}}};
}

pair majordomo_lookup() {
  const start look{"mmiecho", client};
  return {"mdp",
          "mdbroker",
          "mmiecho",
          {{"service is there",
            {broker, broker_there, start{"mdworker", server}, until{look, service_there}}},
           {"no service", {broker, broker_there, until{look, service_gone}}}}};
}

std::vector<drill> titanic_drills(side titanics) {
  const start titanic{"titanic", titanics};
  const start ask{"ticlient", client};
  return {{"answers",
           {broker, broker_there, titanic, start{"mdworker", server}, ask,
            says{"ticlient", durable_reply, recovery}}},
          // Accepted, and not executed.
          {"titanic killed with a request and restarted",
           {broker, broker_there, titanic, ask, says{"ticlient", left_with},
            says{"ticlient", not_yet}, sends{"titanic"}, titanic, start{"mdworker", server},
            says{"ticlient", durable_reply, recovery}}}};
}

pair titanic_clients() { return {"titanic", "titanic", "ticlient", titanic_drills(server)}; }

pair titanic_services() { return {"titanic", "mdbroker", "titanic", titanic_drills(client)}; }

pair round_trips() {
  return {
      "tripping",
      "tripping",
      "tripping",
      {{"runs",
        {start{"tripping", client}, says{"tripping", calls, 60s}, says{"tripping", calls, 60s}}}}};
}

std::vector<drill> binary_star_drills(const string& node, side backups, side clients) {
  const start primary{node, server, {"-p"}, "primary"};
  const start backup{node, backups, {"-b"}, "backup"};
  const std::vector<step> both{primary,
                               backup,
                               says{"primary", backup_heard},
                               says{"backup", primary_heard},
                               start{"bstarcli", clients},
                               says{"bstarcli", answered}};
  const auto then = [&both](std::vector<step> further) {
    auto steps = both;
    steps.insert(steps.end(), further.begin(), further.end());
    steps.push_back(counts_up{"bstarcli", answered});
    return steps;
  };
  const std::vector<step> failover{sends{"primary"}, says{"bstarcli", failing_over},
                                   says{"backup", taken_over}, says{"bstarcli", answered}};
  auto restart = failover;
  restart.insert(restart.end(), {primary, says{"primary", active_backup_heard},
                                 says{"bstarcli", answered}, silent{"bstarcli", failing_over, 2s}});
  return {{"answers", then({says{"bstarcli", answered}})},
          {"active killed", then(failover)},
          {"old primary restarted", then(std::move(restart))},
          {"passive killed and restarted",
           then({sends{"backup"}, says{"bstarcli", answered}, says{"bstarcli", answered}, backup,
                 says{"backup", primary_heard}, silent{"bstarcli", failing_over, 2s},
                 says{"bstarcli", answered}})}};
}

std::vector<pair> binary_star() {
  return {{"bstar", "bstarsrv", "bstarcli", binary_star_drills("bstarsrv", server, client)},
          {"bstar", "bstarsrv2", "bstarcli", binary_star_drills("bstarsrv2", server, client)},
          // A primary of the one and a backup of the other.
          {"bstar", "bstarsrv", "bstarsrv", binary_star_drills("bstarsrv", client, server)},
          {"bstar", "bstarsrv2", "bstarsrv2", binary_star_drills("bstarsrv2", client, server)}};
}

// Clients wait for a second or two, which servers may need to start.
pair freelance_one() {
  const words both{"tcp://localhost:5555", "tcp://localhost:5556"};
  return {"fl",
          "flserver1",
          "flclient1",
          {{"answers",
            {start{"flserver1", server, {"tcp://*:5555"}}, says{"flserver1", service_ready},
             start{"flclient1", client, {"tcp://localhost:5555"}}, says{"flclient1", running_well},
             ends{"flclient1"}}},
           {"first of two dead",
            {start{"flserver1", server, {"tcp://*:5556"}}, says{"flserver1", service_ready},
             start{"flclient1", client, both}, says{"flclient1", first_dead},
             says{"flclient1", running_well}}}}};
}

pair freelance_two() {
  const words three{"tcp://localhost:5555", "tcp://localhost:5556", "tcp://localhost:5557"};
  const start first{"flserver2", server, {"tcp://*:5555"}, "first"};
  const start second{"flserver2", server, {"tcp://*:5556"}, "second"};
  const start third{"flserver2", server, {"tcp://*:5557"}, "third"};
  const start ask{"flclient2", client, three};
  return {
      "fl",
      "flserver2",
      "flclient2",
      {{"answers",
        {first, second, third, says{"first", service_ready}, says{"second", service_ready},
         says{"third", service_ready}, ask, says{"flclient2", round_trip, 60s}, ends{"flclient2"}}},
       {"one of three dead",
        {second, third, says{"second", service_ready}, says{"third", service_ready}, ask,
         says{"flclient2", round_trip, 60s}, ends{"flclient2"}}}}};
}

pair freelance_three() {
  const start first{"flserver3", server};
  const start ask{"flclient3", client};
  return {"fl",
          "flserver3",
          "flclient3",
          {{"answers",
            {first, says{"flserver3", service_ready}, ask, says{"flclient3", round_trip, 60s}}},
           // The Guide's server has one port, and its client gives up.
           {"first server frozen",
            {first,
             says{"flserver3", service_ready},
             start{"flserver3",
                   server,
                   {"--bind", "tcp://*:5556", "--public", "tcp://localhost:5556"},
                   "second"},
             says{"second", service_ready},
             sends{"flserver3", SIGSTOP},
             ask,
             {our_client, says{"flclient3", round_trip, 60s}},
             {their_client, says{"flclient3", any_end, 60s}}},
            our_server}}};
}

pair espresso() {
  return {"pubsub",
          "espresso",
          "espresso",
          {{"runs",
            {start{"espresso", client}, says{"espresso", subscription}, says{"espresso", captured},
             says{"espresso", captured}}}}};
}

// A subscriber says nothing before the first message, which it may have come too late for.
until published_to(const string& subscriber, words endpoint = {}) {
  return {start{"pathopub", server, std::move(endpoint)}, roger, recovery, 3s, subscriber};
}

pair pathology() {
  return {"pubsub",
          "pathopub",
          "pathosub",
          {{"subscriber comes first", {start{"pathosub", client}, published_to("pathosub")}},
           {"subscriber comes late",
            // The first subscriber shows when the second has missed an update.
            {start{"pathosub", client}, published_to("pathosub"),
             start{"pathosub", client, {}, "late"}, silent{"late", roger, 2s}}}}};
}

pair last_value_cache() {
  const words cached{"tcp://localhost:5558"};
  return {"pubsub",
          "lvcache",
          "pathosub",
          {{"subscriber comes late",
            {start{"lvcache", server}, start{"pathosub", client, cached, "first"},
             published_to("first", {"tcp://*:5557"}), start{"pathosub", client, cached, "late"},
             says{"late", roger}}}}};
}

pair snail() {
  return {"pubsub",
          "suisnail",
          "suisnail",
          {{"subscriber is too slow",
            {start{"suisnail", client}, says{"suisnail", too_slow, 90s}, ends{"suisnail"}}}}};
}

std::vector<pair> clones() {
  const auto served = [](const string& number, std::vector<drill> drills) {
    return pair{"clone", "clonesrv" + number, "clonecli" + number, std::move(drills)};
  };
  const auto start_both = [](const string& number) {
    return std::vector<step>{start{"clonesrv" + number, server},
                             start{"clonecli" + number, client}};
  };
  const auto then = [](std::vector<step> steps, std::vector<step> further) {
    steps.insert(steps.end(), further.begin(), further.end());
    return steps;
  };
  std::vector<pair> all;
  // The first client says nothing before it is interrupted.
  all.push_back(served("1", {{"updates arrive",
                              {start{"clonesrv1", server},
                               until{start{"clonecli1", client}, messages_in, recovery, 2s}}}}));
  all.push_back(served(
      "2", {{"the snapshot arrives", then(start_both("2"), {says{"clonecli2", snapshot_read},
                                                            says{"clonesrv2", snapshot_sent}})}}));
  for (const string number : {"3", "4", "5"}) {
    const auto srv = "clonesrv" + number;
    const auto cli = "clonecli" + number;
    const start late{cli, client, {}, "late"};
    all.push_back(served(
        number, {{"updates arrive, and a late client has them",
                  then(start_both(number),
                       {says{cli, snapshot_read}, says{srv, update_sent}, says{cli, update_read},
                        late, says{"late", snapshot_read}, says{"late", update_read}})}}));
  }
  all.back().drills.push_back({"what has a time to live goes",
                               then(start_both("5"), {says{"clonesrv5", delete_sent, 60s}})});
  const auto group_of_two = [](side backups, side clients) {
    const start primary{"clonesrv6", server, {"-p"}, "primary"};
    const start backup{"clonesrv6", backups, {"-b"}, "backup"};
    const std::vector<step> both{primary,
                                 backup,
                                 says{"primary", backup_heard},
                                 says{"backup", primary_heard},
                                 start{"clonecli6", clients},
                                 says{"clonecli6", from_primary},
                                 says{"primary", update_sent}};
    auto killed = both;
    // A passive server of the Guide never stops waiting for the snapshot of a peer that ends.
    killed.insert(killed.end(),
                  {says{"backup", has_caught_up}, sends{"primary"},
                   says{"clonecli6", from_backup, recovery}, says{"backup", update_sent}});
    auto restarted = killed;
    restarted.insert(restarted.end(),
                     {primary, says{"primary", active_backup_heard}, says{"backup", update_sent}});
    return std::vector<drill>{{"updates arrive", both},
                              {"active killed", std::move(killed)},
                              {"old primary restarted", std::move(restarted)}};
  };
  all.push_back(served("6", group_of_two(server, client)));
  all.push_back({"clone", "clonesrv6", "clonesrv6", group_of_two(client, server)});
  return all;
}

std::vector<pair> make_all() {
  std::vector<pair> all{lazy_pirate(),
                        simple_pirate_workers(),
                        simple_pirate_clients(),
                        paranoid_pirate_workers(),
                        paranoid_pirate_clients(),
                        majordomo_clients(),
                        majordomo_pipelining_clients(),
                        majordomo_workers(),
                        majordomo_lookup(),
                        titanic_clients(),
                        titanic_services(),
                        round_trips()};
  for (auto& one : binary_star()) {
    all.push_back(std::move(one));
  }
  for (auto make : {freelance_one, freelance_two, freelance_three, espresso, pathology,
                    last_value_cache, snail}) {
    all.push_back(make());
  }
  for (auto& one : clones()) {
    all.push_back(std::move(one));
  }
  return all;
}

const start* started_by(const step& one) {
  if (const auto* const repeated = std::get_if<until>(&one.what)) {
    return &repeated->what;
  }
  return std::get_if<start>(&one.what);
}

}  // namespace

const std::vector<pair>& all_pairs() {
  static const auto all = make_all();
  return all;
}

std::vector<pair> chosen_pairs(const words& names) {
  if (names.empty()) {
    return all_pairs();
  }
  std::set<string> unknown{names.begin(), names.end()};
  std::vector<pair> chosen;
  for (const auto& one : all_pairs()) {
    const auto is_meant = [&one](const string& name) {
      return name == one.group || name == one.name();
    };
    if (std::any_of(names.begin(), names.end(), is_meant)) {
      chosen.push_back(one);
      unknown.erase(one.group);
      unknown.erase(one.name());
    }
  }
  if (!unknown.empty()) {
    throw std::invalid_argument{"there is no pair " + *unknown.begin() +
                                "; --list names them and their groups"};
  }
  return chosen;
}

std::set<string> programs_of(const drill& one, side of) {
  std::set<string> found;
  for (const auto& s : one.steps) {
    if (const auto* const started = started_by(s); started != nullptr && started->of == of) {
      found.insert(started->program);
    }
  }
  return found;
}

std::vector<combination> combinations_of(const drill& one) {
  const bool both = !programs_of(one, server).empty() && !programs_of(one, client).empty();
  std::vector<combination> all{{origin::ours, origin::ours}};
  if (both) {
    all.push_back({origin::ours, origin::theirs});
    all.push_back({origin::theirs, origin::ours});
  }
  all.push_back({origin::theirs, origin::theirs});
  if (one.only_if) {
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&one](const combination& c) { return !c.meets(*one.only_if); }),
              all.end());
  }
  return all;
}

words our_arguments(std::string_view program) {
  if (program == "lpserver" || program == "spworker" || program == "ppworker") {
    return {"--calm"};
  }
  if (program == "mdclient" || program == "mdclient2" || program == "flclient2" ||
      program == "flclient3") {
    return {"--count", std::to_string(short_count)};
  }
  return {};
}

}  // namespace zinc::interop
