#pragma once
// Options of the Majordomo components: plain values, safe as they are.

#include "mdp/command.h"
#include "mdp/error.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  std::optional<std::size_t> requests{};  // absent: only the octets count
};
// What is gathered of the PARTIALs of a 0.2 worker for a 0.1 client, which gets one REPLY. A reply
// above it is dropped. Also what is kept of the reply to a request with an idempotency key: if there is
// more, the reply is passed on and a repeat is told that it cannot have the reply again.
struct gathering_quota {
  std::size_t octets = 16 * 1024 * 1024;
  std::size_t parts = 1'024;
};

// Limits of the broker's memory of outcomes: the replies and errors of requests that came with an
// idempotency key and have ended. A repeat gets the outcome again. Above a limit, the broker forgets the
// oldest outcome. It never forgets a request in progress.
struct outcome_quota {
  std::size_t requests = 100'000;
  std::size_t bytes = 64 * 1024 * 1024;    // overhead included
  std::chrono::milliseconds time{60'000};  // since the request has ended
};

// What is said of a request whose last attempt was lost with its worker.
enum class poison_policy {
  answer,  // its client is told, if it announced that it understands errors
  drop,    // nothing
};

// How the broker treats the requests of a service.
struct service_options {
  // A request may be carried out twice: what a lost worker held is given to another. Otherwise a
  // request is given to one worker at most, and when that is lost it has failed.
  bool idempotent = true;
  // How many workers a request is given to, one after the other, before it has failed.
  unsigned attempts = 3;
  poison_policy poison = poison_policy::answer;
  // How long a request waits while the service has no live worker.
  std::chrono::milliseconds unserved_expiry{60'000};
  // How long it waits in all, each time anew after the loss of a worker. Absent: as long as the
  // service has workers.
  std::optional<std::chrono::milliseconds> request_expiry{};
  // A worker that works on a request and is silent for so long is dead. Absent: it may be silent,
  // as stock workers are while they work; only the loss of its connection counts.
  std::optional<std::chrono::milliseconds> busy_expiry{};
  // A worker that has had a request for so long is lost, whatever it says meanwhile: it hangs. Absent:
  // it may work as long as it likes.
  std::optional<std::chrono::milliseconds> busy_deadline{};
  // Workers see the client's own routing id for its address, as they do at a broker of the Guide,
  // instead of a mark of the one request. They have one request at a time then, and a second reply
  // may be taken for that of the client's next request.
  bool raw_client_address = false;
  service_quota limit{};
};

// Options of the service of this name; if it ends with `*`, of all whose names begin with the rest.
struct service_rule {
  std::string name;
  service_options options{};
};

struct broker_options {
  std::chrono::milliseconds heartbeat_interval{2'500};
  // A worker that is idle and silent for so many intervals is dead.
  unsigned liveness = 3;
  // How many requests a worker has in hand at once at most, whatever it announces. Who announces
  // nothing has one.
  std::size_t worker_capacity = 1'000;
  client_quota client_limit{};
  gathering_quota gathered_limit{};
  outcome_quota outcome_limit{};
  // Services that have requests but no worker and are not named by a rule. A request that would
  // create one more is refused.
  std::size_t unknown_services = 1'000;
  // Of services that no rule is for.
  service_options services{};
  // The rule of just this name is for a service, else the longest that fits; of several with one name
  // the last. titanic.request is not idempotent unless a rule has this exact name.
  // Services that are named are there from the start, with or without workers.
  std::vector<service_rule> rules{};
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
  // A request may be carried out more than once, so a client may repeat it to any broker. Otherwise a
  // client repeats it only if `attempts` says so, and only to a broker that recognises the repeat: one
  // of this project that has not been started again since.
  bool idempotent = false;
  // How often a request is sent at most, each time on a connection of its own. Absent: 3 times if it
  // is idempotent, else once.
  std::optional<unsigned> attempts{};
  // Between an attempt that was not answered in time and the next: doubles each time up to
  // `longest_backoff`, ± 50 %.
  std::chrono::milliseconds backoff{100};
  std::chrono::milliseconds longest_backoff{2'000};
  // Connections without a request that stay open. Each of the others is closed when it has had none
  // for `idle_time`.
  std::size_t idle_connections = 8;
  std::chrono::milliseconds idle_time{10'000};
};

// What one request wants otherwise than its client's others.
struct request_options {
  std::optional<std::chrono::milliseconds> timeout{};  // client_options::timeout
  std::optional<unsigned> attempts{};  // client_options::attempts; 1: never repeated
  // Of the whole request, whatever attempts are left: then it ends with what is known of it.
  std::optional<std::chrono::milliseconds> in_all{};
  std::optional<bool> idempotent{};  // client_options::idempotent
};

// What would make a worker's registration fail, or no error.
[[nodiscard]] boost::system::error_code check(const worker_options& options) noexcept;
// The same for the service name of a request, which may be one of the broker's own.
[[nodiscard]] boost::system::error_code check_service(std::string_view name) noexcept;

}  // namespace mdp
