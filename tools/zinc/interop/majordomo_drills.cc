#include "tools/zinc/interop/drill_groups.h"
#include "tools/zinc/interop/drills.h"

#include <fmt/format.h>

#include <csignal>

namespace zinc::interop {

namespace {

using namespace std::chrono_literals;
using std::string;

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

}  // namespace

std::vector<pair> majordomo_pairs() {
  return {majordomo_clients(), majordomo_pipelining_clients(),
          majordomo_workers(), majordomo_lookup(),
          titanic_clients(),   titanic_services(),
          round_trips()};
}

}  // namespace zinc::interop
