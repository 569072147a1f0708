#pragma once
// Options of Titanic.

#include "mdp/command.h"
#include "zmtp/options.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace mdp::titanic {

// Limits for the stored requests of one service.
struct service_limits {
  std::size_t in_flight = 16;  // requests in flight
  // Time for the reply. When it is over, the attempt has failed.
  std::chrono::milliseconds timeout{60'000};
  unsigned attempts = 5;  // after the last attempt the request is given up
};

struct titanic_options {
  service_limits service{};  // services that are not named below
  std::map<std::string, service_limits, std::less<>> services{};
  std::size_t max_requests = 1'000'000;  // limit of stored requests; Titanic rejects others
  // Titanic removes a request that has had its outcome for this time and was not closed. Absent:
  // never. After a start, Titanic removes nothing for an hour, or for `keep` if that is shorter.
  std::optional<std::chrono::seconds> keep = std::chrono::hours{7 * 24};
  // Bytes of bodies in memory, all requests without an outcome. Other bodies are read from the
  // store when their turn comes.
  std::size_t held_bytes = 64 * 1024 * 1024;
  // Time for the broker's answer whether a service is present, and time for which the answer
  // counts.
  std::chrono::milliseconds lookup_timeout{1'000};
  std::chrono::milliseconds presence{1'000};
  // Pause before the next attempt at a service that is not present or did not answer. Doubles each
  // time.
  std::chrono::milliseconds least_backoff{100};
  std::chrono::milliseconds most_backoff{2'000};
};

struct server_options {
  version protocol = version::v01;
  // Requests that each of Titanic's services handles at once. One sync of the disk can store this
  // number of requests.
  std::size_t in_flight = 64;
  // Set it for a broker that assigns one request at a time to a worker: Titanic then registers
  // `in_flight` workers instead of one. Zinc's broker assigns all of them to one worker.
  bool third_party_broker = false;
  std::chrono::milliseconds heartbeat{2'500};
  std::chrono::milliseconds reconnect_delay{2'500};
  titanic_options core{};
  // Options of the sockets of its workers and its client, as in mdp::worker_options.
  zmtp::socket_options socket{};
};

// Throws: boost::system::system_error with mdp::errc::bad_option, and a text with the option and its
// range.
void check(const server_options& options);

}  // namespace mdp::titanic
