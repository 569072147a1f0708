#include "tools/zinc/interop/drill_groups.h"

#include <csignal>
#include <utility>

namespace zinc::interop {

namespace {

using namespace std::chrono_literals;
using std::string;

const expected_line asked{"I: normal request (N)", "normal request"};
const expected_line unanswered{"W: no response from server, retrying...",
                               "no response from server"};
const expected_line abandoned{"E: server seems to be offline, abandoning", "offline, abandoning"};
const expected_line worked{"I: normal reply", "normal reply|CPU overload"};
const expected_line worker_ready{"I: worker ready", "worker ready"};
// A request costs a worker one second.
constexpr auto at_rest = 2s;

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

}  // namespace

std::vector<pair> pirate_pairs() {
  return {lazy_pirate(), simple_pirate_workers(), simple_pirate_clients(),
          paranoid_pirate_workers(), paranoid_pirate_clients()};
}

}  // namespace zinc::interop
