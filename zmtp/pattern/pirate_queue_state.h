#pragma once
// Assigns requests to the workers of a Simple or Paranoid Pirate queue, and detects dead workers.
// Pure; `pirate_queue` is the shell.

#include "zmtp/message.h"
#include "zmtp/metadata.h"
#include "zmtp/options.h"
#include "zmtp/pattern/liveness.h"
#include "zmtp/pattern/pirate_message.h"
#include "zmtp/pattern/pirate_waiting_state.h"
#include "zmtp/peer.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace zmtp {

struct pirate_queue_options {
  pirate_protocol protocol = pirate_protocol::paranoid;
  // Paranoid only: interval of heartbeats, and the number of intervals without a message after
  // which an idle worker is dead.
  std::chrono::milliseconds heartbeat{1'000};
  unsigned liveness = 3;
  // Removes a worker that has not answered a request for this time, until the worker sends a
  // message. Absent: only a disconnect removes a busy worker, because workers may send nothing
  // while they work.
  std::optional<std::chrono::milliseconds> busy_timeout{};
  // A peer becomes a worker only with READY, as in 6/PPP. If false, every message of a worker
  // registers it. The Guide's workers send READY only once, which a previous queue process may have
  // received.
  bool strict_ready = false;
  // Paranoid only: also assigns bodies of several parts to workers that do not announce support. Do
  // not set this for the Guide's workers, which accept one part.
  bool multipart_for_all = false;
  // Limits of pending requests and their bytes. Above either limit, each client may have one
  // pending request. The queue does not read from such a client until this request leaves, or until
  // a quarter of both limits is free.
  std::size_t waiting = 1'000;
  std::size_t waiting_bytes = 64 * 1024 * 1024;
  // A request expires after this time without a suitable worker: no worker is connected, or no
  // worker accepts bodies of several parts. The queue then drops the request.
  std::chrono::milliseconds unserved_timeout{60'000};
  std::size_t workers = 10'000;
  // Options of both ROUTERs, security included. The queue sets announce_peers itself.
  socket_options socket{};
};

// An event of a worker or a request, for logs.
enum class pirate_event : std::uint8_t {
  worker_ready,        // a new worker
  worker_expired,      // the worker sent nothing, or did not answer a request, for too long
  worker_lost,         // the worker disconnected
  invalid_message,     // the worker sent an invalid message
  request_unserved,    // dropped: no worker during pirate_queue_options::unserved_timeout
  request_unsuitable,  // dropped: during that time no worker that accepts several parts
};

// Returns true for events of a request. The peer of these events is the client.
[[nodiscard]] constexpr bool is_of_request(pirate_event what) noexcept {
  return what == pirate_event::request_unserved || what == pirate_event::request_unsuitable;
}

struct pirate_queue_counters {
  std::uint64_t requests = 0;      // assigned to workers
  std::uint64_t replies = 0;       // for clients
  std::uint64_t lost = 0;          // requests of workers that disconnected; clients must retry
  std::uint64_t abandoned = 0;     // dropped: the client disconnected before a worker was free
  std::uint64_t expired = 0;       // dropped: no suitable worker in time
  std::uint64_t late_replies = 0;  // without a request in flight
  std::uint64_t undelivered = 0;   // replies whose client has disconnected, or takes no messages
  std::uint64_t invalid_messages = 0;  // from workers
  std::uint64_t invalid_requests = 0;  // from clients: without an empty frame or without a body
  std::uint64_t workers_expired = 0;
  std::uint64_t workers_refused = 0;  // above pirate_queue_options::workers
};

// The queue appends actions. The shell executes and clears them, in the order of the members.
struct pirate_queue_actions {
  using addressed = std::pair<peer_id, message>;
  std::vector<addressed> to_workers;
  std::vector<addressed> to_clients;
  std::vector<std::pair<pirate_event, peer_id>> events;  // with the worker or the client
  std::vector<peer_id> pause;                            // clients to stop reading from
  std::vector<peer_id> resume;                           // clients to read from again

  void clear() noexcept {
    to_workers.clear();
    to_clients.clear();
    events.clear();
    pause.clear();
    resume.clear();
  }
};

// A worker has one request at a time. The worker that has been idle for longest is next. Workers
// receive a mark as the address of a request. The mark distinguishes a late reply from the reply to
// the request in flight. The queue puts the original envelope of the client in front of the reply.
class pirate_queue_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = pirate_queue_actions;

  // `first_mark` must be random, because a worker may still answer a request of another queue
  // process.
  pirate_queue_state(const pirate_queue_options& options, std::uint64_t first_mark);

  void on_worker_attached(peer_id worker, const metadata& properties);
  void on_worker_message(peer_id worker, message&& m, time_point now, actions& out);
  void on_worker_detached(peer_id worker, time_point now, actions& out);
  // Call when the worker's socket did not take a message. The state treats the worker as
  // disconnected.
  void on_not_taken(peer_id worker, message&& m, time_point now, actions& out);

  void on_client_message(peer_id client, message&& m, time_point now, actions& out);
  // Drops the pending requests of the client. Must be called for paused clients too.
  void on_client_detached(peer_id client, actions& out);
  void on_reply_not_taken() noexcept { ++counters_.undelivered; }

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // If the call is more than a heartbeat interval late, the process was paused. Workers then get
  // another interval, so that pending messages are read first.
  void on_deadline(time_point now, actions& out);

  [[nodiscard]] const pirate_queue_counters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t workers() const noexcept { return registered_; }
  [[nodiscard]] std::size_t idle_workers() const noexcept { return idle_.size(); }
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
  struct worker_record {
    bool multipart = false;
    bool registered = false;
    std::optional<std::list<peer_id>::iterator> resting{};  // its place, while idle
    std::optional<time_point> due{};                        // as in deadlines_
    liveness::times last{};
    // The request in flight.
    std::uint64_t mark = 0;
    peer_id client{};
    message envelope{};
  };
  using entry = std::pair<const peer_id, worker_record>;

  [[nodiscard]] bool enlist(entry& one, pirate_kind said, time_point now, actions& out);
  void take_reply(entry& one, message&& m, actions& out);
  void rest(entry& one, time_point now, actions& out);
  void give(entry& one, pirate_waiting_state::request&& what, time_point now, actions& out);
  void strike_off(entry& one, time_point now) noexcept;
  void expire(entry& one, time_point now, actions& out);
  void set_due(entry& one, std::optional<time_point> due);
  [[nodiscard]] std::optional<time_point> due_of(const worker_record& one) const noexcept;
  [[nodiscard]] bool takes(const worker_record& one,
                           const pirate_waiting_state::request& what) const noexcept;

  const pirate_queue_options options_;
  liveness liveness_;
  pirate_waiting_state waiting_;
  std::uint64_t next_mark_;
  std::unordered_map<peer_id, worker_record> workers_;  // all connected workers
  std::size_t registered_ = 0;
  std::list<peer_id> idle_;  // idle for longest first
  std::set<std::pair<time_point, peer_id>> deadlines_;
  pirate_queue_counters counters_;
};

}  // namespace zmtp
