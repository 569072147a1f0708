#include "tools/zinc/interop/drill_groups.h"

#include <csignal>

namespace zinc::interop {

namespace {

using namespace std::chrono_literals;
using std::string;

const expected_line service_ready{"I: service is ready at ENDPOINT", "service is ready at"};
const expected_line running_well{"Service is running OK", "service is running OK"};
const expected_line first_dead{"W: no response from tcp://localhost:5555",
                               "no response from tcp://localhost:5555"};
const expected_line round_trip{"Average round trip cost: N usec", "average round trip cost"};
const expected_line any_end{"Average round trip cost: N usec, or E: name service not available",
                            "average round trip cost|name service not available"};

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

}  // namespace

std::vector<pair> freelance_pairs() {
  return {freelance_one(), freelance_two(), freelance_three()};
}

}  // namespace zinc::interop
