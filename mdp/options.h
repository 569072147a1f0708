#pragma once
// Options of the Majordomo components: plain values, safe as they are.

#include "mdp/command.h"
#include "mdp/error.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mdp {

// What a request costs besides the octets of its body.
inline constexpr std::size_t request_overhead = 256;

// What a client may have unanswered. At its limit it is not read until it is below again; nothing
// is dropped.
struct client_quota {
  std::size_t requests = 1'000;
  std::size_t octets = 16 * 1024 * 1024;  // overhead included
};
// What a service may have unanswered. While it is at its limit, who asks it is not read.
struct service_quota {
  std::size_t octets = 64 * 1024 * 1024;  // overhead included
};
// What is gathered of the PARTIALs of a 0.2 worker for a 0.1 client, which gets one REPLY. A reply
// above it is dropped.
struct gathering_quota {
  std::size_t octets = 16 * 1024 * 1024;
  std::size_t parts = 1'024;
};

struct broker_options {
  std::chrono::milliseconds heartbeat_interval{2'500};
  // A worker that is idle and silent for so many intervals is dead.
  unsigned liveness = 3;
  // How long a request waits while its service has no live worker.
  std::chrono::milliseconds service_expiry{60'000};
  // How many workers a request is given to, one after the other, before it is dropped.
  unsigned attempts = 3;
  // A worker that works on a request and is silent for so long is dead. Absent: it may be silent,
  // as stock workers are while they work; only the loss of its connection counts.
  std::optional<std::chrono::milliseconds> busy_expiry{};
  // How many requests a worker has in hand at once at most, whatever it announces. Who announces
  // nothing has one.
  std::size_t worker_capacity = 1'000;
  client_quota client_limit{};
  service_quota service_limit{};
  gathering_quota gathered_limit{};
  // Services that have requests but no worker. A request that would create one more is dropped.
  std::size_t unknown_services = 1'000;
};

struct worker_options {
  std::string service{};
  version protocol = version::v02;
  std::chrono::milliseconds heartbeat_interval{2'500};
  // The broker is dead when it is silent for so many intervals.
  unsigned liveness = 3;
  // How long to wait after a dead broker before connecting anew.
  std::chrono::milliseconds reconnect_delay{2'500};
  // Requests in hand at once, announced to the broker: one of this project gives so many, others one.
  // What a broker sends above is ignored.
  std::size_t capacity = 1;
  // Say DISCONNECT when stopping. Absent: to 0.2 brokers only, since brokers of the Guide are known
  // to die of it.
  std::optional<bool> say_disconnect{};
};

struct client_options {
  version protocol = version::v02;
  // Of an attempt, and then between the parts of the reply.
  std::chrono::milliseconds timeout{2'500};
  unsigned attempts = 3;  // each on a connection of its own
  // Between an attempt that was not answered in time and the next: doubles each time up to
  // `longest_backoff`, ± 50 %.
  std::chrono::milliseconds backoff{100};
  std::chrono::milliseconds longest_backoff{2'000};
};

// What one request wants otherwise than its client's others.
struct request_options {
  std::optional<std::chrono::milliseconds> timeout{};  // client_options::timeout
  std::optional<unsigned> attempts{};                  // 1: never repeated
  // Of the whole request, whatever attempts are left: then it ends with what is known of it.
  std::optional<std::chrono::milliseconds> in_all{};
};

// What would make a worker's registration fail, or no error.
[[nodiscard]] boost::system::error_code check(const worker_options& options) noexcept;
// The same for the service name of a request, which may be one of the broker's own.
[[nodiscard]] boost::system::error_code check_service(std::string_view name) noexcept;

}  // namespace mdp
