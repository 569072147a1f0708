#pragma once
// The broker's actions, events, counters and status. Plain data.

#include "mdp/error.h"
#include "mdp/options.h"
#include "zmtp/duration_histogram.h"
#include "zmtp/message.h"
#include "zmtp/peer.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mdp {

// An event of a peer or service, for observers.
struct broker_event {
  enum class kind : std::uint8_t {
    worker_registered,
    worker_unregistered,  // for any reason; the broker redelivers its requests after this event
    worker_expired,       // no message within the time allowed; before worker_unregistered
    service_added,        // by a request or a worker
    message_refused,      // the message breaks the protocol; the broker closes its peer
    access_refused,       // the first refusal of this right to this principal; see broker_options
  };
  kind what;
  zmtp::peer_id peer{};  // the peer that caused it; empty for services
  // The added service, or the one that the peer may not use; with right::represent, the
  // principal that it may not represent.
  std::string service{};
  errc fault{};           // the fault of the message
  std::string user_id{};  // access_refused: the principal; empty: anonymous
  right wanted{};         // access_refused
};

// Actions of the broker. broker_state appends to them. The shell carries them out in the order of
// the members and clears them. They are reused, so that a running broker allocates nothing here. No
// peer is in both `pause` and `resume`.
struct broker_actions {
  struct send_action {
    zmtp::peer_id to;
    zmtp::message content;
  };
  std::vector<broker_event> events;
  std::vector<send_action> sends;
  std::vector<zmtp::peer_id> pause;   // stop reading from the peer
  std::vector<zmtp::peer_id> resume;  // read again
  std::vector<zmtp::peer_id> close;   // close the peer's connection; a detach event may follow

  [[nodiscard]] bool empty() const noexcept {
    return events.empty() && sends.empty() && pause.empty() && resume.empty() && close.empty();
  }
  void clear() noexcept {
    events.clear();
    sends.clear();
    pause.clear();
    resume.clear();
    close.clear();
  }
  void send(zmtp::peer_id to, zmtp::message&& content) {
    auto& added = sends.emplace_back();
    added.to = to;
    added.content = std::move(content);
  }
};

// Counts of requests, without mmi.*: of all services or of one.
struct request_counters {
  std::uint64_t requests = 0;  // accepted
  std::uint64_t replies = 0;   // REPLY and FINAL to clients
  std::uint64_t partials = 0;  // PARTIAL to clients
  std::uint64_t requeued = 0;  // queued again after a lost worker or a refusal

  // Requests without a reply.
  std::uint64_t expired = 0;    // waited longer than their service allows
  std::uint64_t exhausted = 0;  // their last attempt was lost
  std::uint64_t declined = 0;   // refused as often as their service had workers
  std::uint64_t failed = 0;     // failed by their worker
  std::uint64_t stopped = 0;    // ended because the broker stopped
  std::uint64_t cut_short = 0;  // their worker was lost after a PARTIAL was sent
  std::uint64_t abandoned = 0;  // their client disconnected
  std::uint64_t oversized = 0;  // their reply was above the limit of collected replies
  // Errors sent to clients, for requests that ended as above or were rejected. Errors for repeats
  // are not included.
  std::uint64_t errors = 0;

  std::uint64_t repeats = 0;           // attempts with a known idempotency key
  std::uint64_t unwanted_replies = 0;  // replies to requests without a client
};

struct broker_counters : request_counters {
  std::uint64_t refused = 0;       // rejected: too many unknown services, or the broker stops
  std::uint64_t mmi_requests = 0;  // answered by the broker itself

  std::uint64_t unexpected_commands = 0;      // answered by DISCONNECT
  std::uint64_t malformed_announcements = 0;  // treated as no announcement
  std::uint64_t ignored_messages = 0;         // from peers that are disconnected or must disconnect
  std::uint64_t workers_registered = 0;
  std::uint64_t workers_expired = 0;      // no message within the time allowed
  std::uint64_t workers_not_reading = 0;  // closed because they did not read
  std::uint64_t clients_not_reading = 0;  // closed because they did not read
  std::uint64_t pauses = 0;               // pauses of clients at a limit

  // Refused by broker_options::access.
  std::uint64_t forbidden_offers = 0;  // the workers got DISCONNECT
  std::uint64_t forbidden_calls = 0;
  std::uint64_t forbidden_inspections = 0;

  std::array<std::uint64_t, errc_count> invalid_messages{};  // by errc; their peers were closed

  // The time of all requests to services, in the resolution of a batch of received messages.
  zmtp::duration_histogram queue_time;  // each wait for a worker, 0 included
  zmtp::duration_histogram work_time;   // from the last assignment to the end of the reply
};

// A registered worker.
struct worker_status {
  zmtp::peer_id peer;
  std::string service;
  std::string user_id;                    // the principal; empty: anonymous
  std::size_t capacity = 1;               // requests that it takes at once
  std::size_t working = 0;                // requests that it holds
  bool leaving = false;                   // gets no more requests
  std::chrono::seconds last_received{0};  // since its last command
};

struct client_status {
  zmtp::peer_id peer;
  std::string user_id;       // the principal; empty: anonymous
  std::size_t requests = 0;  // without a reply
  std::size_t bytes = 0;     // bytes of these requests, overhead included
  bool paused = false;       // the broker does not read from it
};

// The times of the requests of one service, as those of all requests in broker_counters.
struct service_times {
  zmtp::coarse_duration_histogram queue_time;
  zmtp::coarse_duration_histogram work_time;
};

struct broker_status {
  broker_counters counters;
  std::size_t peers = 0;
  std::size_t clients = 0;
  std::size_t paused_clients = 0;
  std::size_t workers = 0;
  std::size_t services = 0;
  std::size_t unknown_services = 0;  // without a worker or a rule
  std::size_t waiting = 0;           // requests
  std::size_t working = 0;           // requests assigned to workers
  std::size_t keyed_requests =
      0;                        // requests with a remembered idempotency key, in progress or ended
  std::size_t keyed_bytes = 0;  // bytes of these requests, replies and overhead included
  bool draining = false;        // accepts no new requests
};

struct service_status {
  std::string name;
  std::size_t workers = 0;  // taking requests
  std::size_t busy = 0;     // workers with requests, those that drain included
  std::size_t waiting = 0;  // requests
  std::size_t working = 0;  // requests assigned to workers
  std::size_t bytes = 0;    // bytes, unanswered requests, overhead included
  request_counters counters;
  service_times times;
};

}  // namespace mdp
