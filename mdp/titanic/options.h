#pragma once
// Options of Titanic: plain values, safe as they are.

#include "mdp/command.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace mdp::titanic {

// How stored requests are given to a service.
struct service_limits {
  std::size_t concurrency = 16;  // at once
  // For the reply. An attempt that has none by then has failed.
  std::chrono::milliseconds deadline{60'000};
  unsigned attempts = 5;  // then the request is given up, which is its outcome
};

struct titanic_options {
  service_limits service{};  // of those that are not named here
  std::map<std::string, service_limits, std::less<>> services{};
  std::size_t requests = 1'000'000;  // stored at once; above, they are refused
  // Titanic removes a request that has had its outcome for this long and was not closed. Absent: never.
  // After a start it removes nothing for an hour, or for `keep` if that is shorter.
  std::optional<std::chrono::seconds> keep = std::chrono::hours{7 * 24};
  // Of bodies that are kept in memory until they are answered. Others are read when it is their turn.
  std::size_t held_octets = 64 * 1024 * 1024;
  // How long the broker may take to say whether a service is there, and how long that counts.
  std::chrono::milliseconds lookup_timeout{1'000};
  std::chrono::milliseconds presence{1'000};
  // Until the next attempt at a service that is not there or did not answer: doubling.
  std::chrono::milliseconds least_backoff{100};
  std::chrono::milliseconds most_backoff{2'000};
};

struct service_options {
  version protocol = version::v01;
  // Requests that are being answered at once, for each of the services. So many can be stored
  // by one sync of the disk.
  std::size_t in_flight = 64;
  // The broker gives a worker one request at a time: have so many workers instead of one. Brokers of
  // this project give one worker all of them.
  bool stock_broker = false;
  std::chrono::milliseconds heartbeat_interval{2'500};
  std::chrono::milliseconds reconnect_delay{2'500};
  titanic_options core{};
};

}  // namespace mdp::titanic
