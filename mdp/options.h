#pragma once
// Options of the Majordomo components.

#include "mdp/command.h"
#include "mdp/error.h"
#include "zmtp/access_rules.h"
#include "zmtp/options.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mdp {

// The verbs of zmtp::access_rules for a broker. Names are names of services.
enum class right : std::uint8_t {
  offer,      // register a worker
  call,       // send a request
  inspect,    // send an MMI request: about a service (mmi.service, mmi.services), or to another mmi
              // service, by its own name
  represent,  // send requests on behalf of another principal; names are names of principals
};
// Returns the name of the enumerator.
[[nodiscard]] const char* to_string(right what) noexcept;

// Bytes that a request is charged in addition to the bytes of its body.
inline constexpr std::size_t request_overhead = 256;

// Limits of the unanswered requests of one client. At a limit, the broker stops reading from the
// client. It reads again when a quarter of the limit is free. The broker drops nothing.
struct client_quota {
  std::size_t requests = 1'000;
  std::size_t bytes = 16 * 1024 * 1024;  // bytes, overhead included
};
// Limits of the unanswered requests of one service. At a limit, the broker stops reading from the
// clients of the service, in the same way.
struct service_quota {
  std::size_t bytes = 64 * 1024 * 1024;   // bytes, overhead included
  std::optional<std::size_t> requests{};  // absent: only the bytes are limited
};
// Limits of one reply that the broker collects. Two kinds of replies are collected:
// - the PARTIALs of a 0.2 worker for a 0.1 client, which receives one REPLY. The broker drops a
//   reply above a limit.
// - the reply to a request with an idempotency key. The broker passes a reply above a limit on, but
//   does not store it. A repeat then fails with request_fault::too_large.
struct gathering_quota {
  std::size_t bytes = 16 * 1024 * 1024;
  std::size_t parts = 1'024;
};

// Limits of the stored outcomes of requests with an idempotency key. An outcome is the reply or the
// error of a request that has ended. A repeat gets the outcome again. Above a limit, the broker
// forgets the oldest outcome. Requests in progress are not limited by these values.
struct outcome_quota {
  std::size_t requests = 100'000;
  std::size_t bytes = 64 * 1024 * 1024;    // bytes, overhead included
  std::chrono::milliseconds time{60'000};  // since the request ended
};

// The effect on the client when a request ends because its worker was lost in the last attempt, or
// after a PARTIAL.
enum class poison_policy {
  answer,  // send an error, if the client announced that it reads errors
  drop,    // send nothing
};

// How the broker treats the requests of a service.
struct service_options {
  // A request may run twice: if a worker is lost, the broker redelivers its requests. Otherwise the
  // broker assigns a request to at most one worker, and the request fails if that worker is lost.
  bool idempotent = true;
  // Number of workers that a request is assigned to, one after the other, before the request fails.
  unsigned attempts = 3;
  poison_policy poison = poison_policy::answer;
  // Time that a request waits while the service has no live worker.
  std::chrono::milliseconds unserved_timeout{60'000};
  // Time that a request waits in the queue. The time starts again if its worker is lost. Absent: no
  // limit while the service has workers.
  std::optional<std::chrono::milliseconds> queue_timeout{};
  // Time without a message from a worker that has requests, after which the worker is lost. Absent:
  // only its connection counts, because MDP workers may send nothing while they work.
  std::optional<std::chrono::milliseconds> busy_expiry{};
  // Time for one request, after which its worker is lost even if it sends heartbeats. Absent: no
  // limit.
  std::optional<std::chrono::milliseconds> busy_timeout{};
  // The address frame that workers see is the client's own routing id, as with the Guide's broker.
  // Otherwise the frame is a token of this one request. With routing ids, a worker has one request
  // at a time, and the broker can take a second reply for the reply to the client's next request.
  bool raw_client_address = false;
  service_quota limit{};
};

// Options of the service with this name. If the name ends with `*`: of all services whose names
// begin with the rest.
struct service_rule {
  std::string name;
  service_options options{};
};

struct broker_options {
  std::chrono::milliseconds heartbeat{2'500};
  // Number of heartbeat intervals without a message after which an idle worker is lost.
  unsigned liveness = 3;
  // Limit of the requests that one worker has at once. A worker that announces no capacity has one.
  std::size_t worker_in_flight = 1'000;
  client_quota client_limit{};
  gathering_quota gathered_limit{};
  outcome_quota outcome_limit{};
  // Number of services that have requests, but no worker and no rule. The broker rejects a request
  // that would create another such service.
  std::size_t unknown_services = 1'000;
  // Options of services without a rule.
  service_options services{};
  // Services with a rule of their exact name use that rule, all others the rule with the longest
  // prefix that fits. If rules have the same name, the last one counts. titanic.request is not
  // idempotent unless a rule has this exact name. A service with a rule of its exact name exists
  // from the start, with or without workers.
  std::vector<service_rule> rules{};
  // Options of the ROUTER, security included. The broker sets announce_peers, extensions and
  // send_mark.messages itself.
  zmtp::socket_options socket{};
  // Permits principals to offer, call and inspect services; see `right`. By default, everything is
  // allowed.
  zmtp::access_rules access{};
};

struct worker_options {
  std::string service{};
  version protocol = version::v02;
  std::chrono::milliseconds heartbeat{2'500};
  // Number of heartbeat intervals without a message after which the broker is declared dead.
  unsigned liveness = 3;
  // Time between the end of a dead broker's conversation and the next connection attempt.
  std::chrono::milliseconds reconnect_delay{2'500};
  // Number of requests that the worker takes at once. Zinc's broker assigns up to this number,
  // other brokers assign one. The worker ignores requests above it, and refuses them if the broker
  // announces `nack`.
  std::size_t in_flight = 1;
  // Send DISCONNECT when stopping. Absent: only to 0.2 brokers, because the Guide's 0.1 broker can
  // abort when it receives DISCONNECT.
  std::optional<bool> say_disconnect{};
  // Announce that requests must come with the principals of their clients. Zinc's broker then sends
  // them; see worker_request::principal().
  bool reads_principals = false;
  // Options of the DEALER, security included. The worker sets announce_peers, extensions,
  // send_mark.messages and, with several brokers, reconnect.stop_after itself.
  zmtp::socket_options socket{};
};

struct client_options {
  version protocol = version::v02;
  // Time to wait for the reply, per attempt. Also the longest time between two parts of a reply.
  std::chrono::milliseconds timeout{2'500};
  // The service may execute a request more than once, so the client may resend it to any broker.
  // Otherwise the client resends a request only if `attempts` is above 1, and only to the run of a
  // Zinc broker that got the first attempt and recognizes repeats.
  bool idempotent = false;
  // Number of times that a request is sent, each time on a new connection. Absent: 3 for idempotent
  // requests, 1 for others.
  std::optional<unsigned> attempts{};
  // Pause after an attempt without a reply: random, between half of a bound and the bound. The bound
  // doubles from `backoff` to `longest_backoff`.
  std::chrono::milliseconds backoff{100};
  std::chrono::milliseconds longest_backoff{2'000};
  // Number of connections without a request that stay open. The client closes other connections
  // when they have had no request for `idle_time`.
  std::size_t idle_connections = 8;
  std::chrono::milliseconds idle_time{10'000};
  // Options of each DEALER, security included. The client sets the same ones itself as a worker.
  zmtp::socket_options socket{};
};

// Settings of one request. Absent values are those of client_options.
struct request_options {
  std::optional<std::chrono::milliseconds> timeout{};
  std::optional<unsigned> attempts{};  // 1: never resent
  // Time for the whole request. When it is over, the request ends even if attempts are left.
  std::optional<std::chrono::milliseconds> total_timeout{};
  std::optional<bool> idempotent{};
  // Sends the request on behalf of this principal, or of an anonymous one if it is empty. Zinc's
  // broker checks the rights of this principal; its rules must permit this client to represent it.
  // Other brokers, and brokers without rules, do not see it or ignore it. The text must be valid
  // until the operation starts.
  std::optional<std::string_view> on_behalf_of{};
};

// These functions check options before a component uses them.
// Throw: boost::system::system_error with errc::bad_option, and a text with the option and its range.
void check(const broker_options& options);
void check(const client_options& options);
// Throws: also no_service, service_too_long and service_reserved.
void check(const worker_options& options);
// Returns the error of a request to a service of this name, or no error. The broker's own services
// (`mmi.`) are allowed.
[[nodiscard]] boost::system::error_code check_service(std::string_view name) noexcept;

}  // namespace mdp
