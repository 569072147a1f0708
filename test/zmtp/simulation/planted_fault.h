#pragma once
// Faults of a user, to see that the checks notice them. The product has no such fault.

#include "test/zmtp/simulation/participant.h"
#include "test/zmtp/simulation/stream_over.h"
#include "zmtp/counters.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"
#include "zmtp/simulation/world.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <functional>
#include <string>
#include <vector>

namespace zmtp::simulation {

struct planted_fault {
  // Chooses otherwise than the seed.
  std::function<void(participant&)> adjust{};
  // Changes the options of a socket. The checks go by those before.
  std::function<void(const participant&, socket_options&)> options{};
  // Called when a socket is open, before it connects.
  std::function<void(world&, participant&)> opened{};
  // Changes what a receiver records of a batch that it received.
  std::function<void(const participant&, std::vector<routed_message>&)> received{};
  // Called when the user of an XPUB has received a subscription, and has granted it or not.
  std::function<void(xpub_socket&, peer_id)> subscribed{};
  // Changes the counters that a socket shows.
  std::function<void(const participant&, socket_counters&)> counted{};
  // Changes the bytes that a program has written, for the checks.
  std::function<void(std::string&)> written{};
  // A fault of the layers between the sockets and TCP.
  false_layer layer{};
};

}  // namespace zmtp::simulation
