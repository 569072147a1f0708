#pragma once
// Which worker of a Simple or Paranoid Pirate queue gets which request, and which worker is dead. Pure; the
// shell around it is `pirate_queue`.

#include "zmtp/message.h"
#include "zmtp/metadata.h"
#include "zmtp/pattern/pirate_message.h"
#include "zmtp/routing/peer_id.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace zmtp {

struct pirate_queue_options {
  pirate_protocol protocol = pirate_protocol::paranoid;
  // Paranoid only: between heartbeats, and after how many of silence an idle worker is dead.
  std::chrono::milliseconds heartbeat_interval{1'000};
  unsigned liveness = 3;
  // A worker that has had a request for so long is taken out, until it is heard again: it hangs. Absent:
  // only the loss of its connection counts, since workers may be silent while they work.
  std::optional<std::chrono::milliseconds> busy_deadline{};
  // A worker is one only when it has said READY, as 6/PPP has it. Otherwise whatever a worker may say
  // makes it one: those of the Guide say READY only once, and to the queue that was here before.
  bool strict_ready = false;
  // Paranoid only: workers that announce nothing are given bodies of several parts, too. They are not the
  // Guide's, which take one.
  bool multipart_for_all = false;
  // Requests, and their bytes, that wait while no worker is free. Above either limit each client may have
  // one request here, and is not read until that request has left the queue or a quarter of both limits is
  // free.
  std::size_t waiting = 1'000;
  std::size_t waiting_octets = 64 * 1024 * 1024;
  // A request expires after this time without a worker that takes it: no worker is there, or no worker takes
  // bodies of several parts. The queue then drops the request.
  std::chrono::milliseconds unserved_expiry{60'000};
  std::size_t workers = 10'000;
};

// An event of a worker, or of a request, for logs.
enum class pirate_event : std::uint8_t {
  worker_ready,        // it was not there before
  worker_expired,      // it was silent, or had a request, for too long
  worker_lost,         // its connection
  invalid_message,     // it said what is nothing
  request_unserved,    // dropped: no worker was there for pirate_queue_options::unserved_expiry
  request_unsuitable,  // dropped: for that time no worker was there that takes several parts
};

// True for events of a request, whose peer is the client.
[[nodiscard]] constexpr bool is_of_request(pirate_event what) noexcept {
  return what == pirate_event::request_unserved || what == pirate_event::request_unsuitable;
}

struct pirate_queue_counters {
  std::uint64_t requests = 0;          // given to workers
  std::uint64_t replies = 0;           // for clients
  std::uint64_t lost = 0;              // requests that went with their worker: clients ask again
  std::uint64_t abandoned = 0;         // whose client went away before a worker was free
  std::uint64_t expired = 0;           // dropped: no worker came that takes them
  std::uint64_t late_replies = 0;      // to no request in hand
  std::uint64_t undelivered = 0;       // replies whose client is gone, or takes nothing
  std::uint64_t invalid_messages = 0;  // of workers
  std::uint64_t invalid_requests = 0;  // of clients: without an empty frame, or without a body
  std::uint64_t workers_expired = 0;
  std::uint64_t workers_refused = 0;  // above pirate_queue_options::workers
};

// Appended to by the queue, carried out and cleared by the shell, in the order of the members.
struct pirate_queue_actions {
  using addressed = std::pair<peer_id, message>;
  std::vector<addressed> to_workers;
  std::vector<addressed> to_clients;
  std::vector<std::pair<pirate_event, peer_id>> events;  // with the worker, or the client
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

// A worker has one request at a time; the one that has rested longest is next. Workers see a mark of the
// request for an address, so that a reply that comes late is told from one to the request in hand, and
// whatever else the client sent in front is put in front of the reply.
class pirate_queue_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = pirate_queue_actions;

  // The marks begin with `first_mark`, which is to be random: a worker may still answer what another
  // queue gave it.
  pirate_queue_state(const pirate_queue_options& options, std::uint64_t first_mark);

  void on_worker_attached(peer_id worker, const metadata& properties);
  void on_worker_message(peer_id worker, message&& m, time_point now, actions& out);
  void on_worker_detached(peer_id worker, time_point now, actions& out);
  // What was to go to a worker was not taken: it is as good as gone.
  void on_not_taken(peer_id worker, message&& m, time_point now, actions& out);

  void on_client_message(peer_id client, message&& m, time_point now, actions& out);
  // The requests of the client that wait are dropped. Must be called for paused clients too.
  void on_client_detached(peer_id client, actions& out);
  void on_reply_not_taken() noexcept { ++counters_.undelivered; }

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // If it comes more than a heartbeat interval late, this process was stopped: workers are given another
  // interval, so that what came meanwhile is read first.
  void on_deadline(time_point now, actions& out);

  [[nodiscard]] const pirate_queue_counters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t workers() const noexcept { return registered_; }
  [[nodiscard]] std::size_t idle_workers() const noexcept { return idle_.size(); }
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }

private:
  struct request {
    peer_id client;
    message envelope;
    message body;
    std::size_t octets = 0;    // that count while it waits
    time_point since{};        // when it began to wait
    std::uint64_t number = 0;  // the order of requests that wait
  };
  // Requests that the same workers take.
  struct line {
    std::deque<request> requests;
    std::size_t workers = 0;  // registered, that take them
    time_point unserved_since{};
  };
  struct worker_record {
    bool multipart = false;
    bool registered = false;
    std::optional<std::list<peer_id>::iterator> resting{};  // its place, while idle
    std::optional<time_point> due{};                        // as in deadlines_
    time_point heard_at{};
    time_point told_at{};
    // Of the request in hand.
    std::uint64_t mark = 0;
    peer_id client{};
    message envelope{};
  };
  using entry = std::pair<const peer_id, worker_record>;

  [[nodiscard]] bool enlist(entry& one, pirate_kind said, time_point now, actions& out);
  void take_reply(entry& one, message&& m, actions& out);
  void rest(entry& one, time_point now, actions& out);
  void give(entry& one, request&& what, time_point now, actions& out);
  void strike_off(entry& one, time_point now) noexcept;
  void expire(entry& one, time_point now, actions& out);
  [[nodiscard]] line& line_of(const request& what) noexcept;
  void wait_for_worker(request&& what, bool in_front, time_point now);
  void count_worker(const worker_record& one, int change, time_point now) noexcept;
  [[nodiscard]] request leave_front(line& of, actions& out);
  void leave(const request& what, actions& out);
  [[nodiscard]] bool full() const noexcept;
  [[nodiscard]] bool roomy() const noexcept;
  [[nodiscard]] std::optional<time_point> expiry_of(const line& one) const noexcept;
  void expire_requests(time_point now, actions& out);
  void set_due(entry& one, std::optional<time_point> due);
  [[nodiscard]] std::optional<time_point> due_of(const worker_record& one) const noexcept;
  [[nodiscard]] time_point dead_at(const worker_record& one) const noexcept;
  [[nodiscard]] bool takes(const worker_record& one, const request& what) const noexcept;

  const pirate_queue_options options_;
  std::uint64_t next_mark_;
  std::unordered_map<peer_id, worker_record> workers_;  // all that are attached
  std::size_t registered_ = 0;
  std::list<peer_id> idle_;  // the first has rested longest
  std::set<std::pair<time_point, peer_id>> deadlines_;
  time_point judge_from_{};    // no worker is dead before
  std::array<line, 2> lines_;  // bodies of one part, of several parts
  std::size_t waiting_ = 0;    // requests in both
  std::size_t waiting_octets_ = 0;
  std::uint64_t last_number_ = 0;
  std::unordered_map<peer_id, std::size_t> waiting_of_;  // clients with requests that wait
  std::unordered_set<peer_id> paused_;                   // some of those clients
  pirate_queue_counters counters_;
};

}  // namespace zmtp
