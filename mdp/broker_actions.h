#pragma once
// What the broker wants done, and what it has counted. Plain.

#include "mdp/error.h"
#include "zmtp/message.h"
#include "zmtp/routing/peer_id.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mdp {

// What has become of peers and services, for who looks on.
struct broker_event {
  enum class kind : std::uint8_t {
    worker_registered,
    worker_expired,   // it was silent for too long
    service_added,    // by a request or a worker
    message_refused,  // it breaks the protocol: its peer is closed
  };
  kind what;
  zmtp::peer_id peer{};   // whose doing it is; of a service nobody's
  std::string service{};  // that was added
  errc fault{};           // of the message
};

// Appended to by the broker, carried out and cleared by the shell, in the order of the members.
// Reused, so that in the long run nothing is allocated. No peer is both in `pause` and in `resume`.
struct broker_actions {
  struct send_action {
    zmtp::peer_id to;
    zmtp::message content;
  };
  std::vector<broker_event> events;
  std::vector<send_action> sends;
  std::vector<zmtp::peer_id> pause;   // stop reading from the peer
  std::vector<zmtp::peer_id> resume;  // go on reading
  std::vector<zmtp::peer_id> close;   // drop the peer's connection; its detach may follow or not

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

// What became of requests, without mmi.*: of all, or of those for one service.
struct request_counters {
  std::uint64_t requests = 0;  // accepted
  std::uint64_t replies = 0;   // REPLY and FINAL to clients
  std::uint64_t partials = 0;  // PARTIAL to clients
  std::uint64_t requeued = 0;  // given back by lost workers, or refused, and queued again

  // Requests that no reply was sent to.
  std::uint64_t expired = 0;    // they waited too long
  std::uint64_t exhausted = 0;  // their last attempt was lost
  std::uint64_t declined = 0;   // refused as often as their service had workers
  std::uint64_t failed = 0;     // their worker said so
  std::uint64_t stopped = 0;    // the broker stopped
  std::uint64_t cut_short = 0;  // their worker was lost after a PARTIAL went to the client
  std::uint64_t abandoned = 0;  // their client went away
  std::uint64_t oversized = 0;  // their reply was too large to be gathered
  // Errors sent to clients, for requests that ended as above or were refused. Errors for repeats do not count.
  std::uint64_t errors = 0;

  std::uint64_t repeats = 0;           // attempts of requests whose idempotency key was known
  std::uint64_t unwanted_replies = 0;  // of requests that nobody waits for any more
};

struct broker_counters : request_counters {
  std::uint64_t refused =
      0;  // not accepted: one more unknown service than allowed, or the broker stops
  std::uint64_t mmi_requests = 0;  // answered by the broker itself

  std::uint64_t unexpected_commands = 0;      // answered by DISCONNECT
  std::uint64_t malformed_announcements = 0;  // of peers that are heard as if they had made none
  std::uint64_t ignored_messages = 0;         // of peers that were told to go, or are not attached
  std::uint64_t workers_registered = 0;
  std::uint64_t workers_expired = 0;      // silent for too long
  std::uint64_t workers_not_reading = 0;  // closed: they did not take what was sent
  std::uint64_t clients_not_reading = 0;  // closed: they did not take what was sent
  std::uint64_t pauses = 0;               // of clients at a limit

  std::array<std::uint64_t, errc_count> invalid_messages{};  // by errc; their peers were closed
};

struct broker_status {
  broker_counters counters;
  std::size_t peers = 0;
  std::size_t clients = 0;
  std::size_t paused_clients = 0;
  std::size_t workers = 0;
  std::size_t services = 0;
  std::size_t unknown_services = 0;  // without a worker, and not named by a rule
  std::size_t waiting = 0;           // requests
  std::size_t working = 0;           // requests in workers' hands
  std::size_t keyed_requests = 0;    // remembered by their idempotency key, in progress or ended
  std::size_t keyed_bytes = 0;       // bytes that they are charged, replies and overhead included
};

struct service_status {
  std::string name;
  std::size_t workers = 0;  // that take requests
  std::size_t busy = 0;     // at work, also those that take no more
  std::size_t waiting = 0;  // requests
  std::size_t working = 0;  // requests in workers' hands
  std::size_t octets = 0;   // of its unanswered requests, overhead included
  request_counters counters;
};

}  // namespace mdp
