#pragma once
// What the broker remembers of requests, clients, workers and services, and how they hang together.
// Plain records: who changes them keeps the relations.

#include "mdp/command.h"
#include "mdp/deadline_heap.h"
#include "zmtp/message.h"
#include "zmtp/routing/peer_id.h"

#include <boost/intrusive/list.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace mdp {

using time_point = std::chrono::steady_clock::time_point;

// A record leaves its lists by being destroyed, in whatever order that happens.
using list_hook =
    boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
template <class Record, list_hook Record::*Hook>
using list_of =
    boost::intrusive::list<Record, boost::intrusive::member_hook<Record, list_hook, Hook>,
                           boost::intrusive::constant_time_size<false>>;

struct keyed_request;
struct service;
class request_queue;

struct client_record;
struct line;
struct worker_record;

// A request that is not answered yet: waiting (in a line, or among those that came back) or in the
// hands of a worker.
struct request {
  zmtp::message body;
  client_record* asked_by = nullptr;  // null: nobody wants the reply any more
  service* asked = nullptr;
  worker_record* held_by = nullptr;  // null: waiting
  line* waits_in = nullptr;          // null: held, or came back from a worker
  std::uint64_t token = 0;           // of the latest attempt; see given_requests
  std::size_t charge = 0;            // what the accounts hold for it
  time_point queued_at;
  time_point given_at;         // to the worker that holds it
  dialect how = dialect::v02;  // of the client
  bool by_mmi = false;         // asked under mmi.titanic, see broker_state
  bool partly_answered = false;
  unsigned attempts = 0;                      // at carrying it out
  std::optional<zmtp::peer_id> refused_by{};  // the worker that refused it last
  std::size_t refusals = 0;                   // by workers
  keyed_request* keyed = nullptr;  // its record, if it came with a key and has not ended there
  std::unique_ptr<zmtp::message> gathered;  // PARTIALs for a 0.1 client
  list_hook place;  // in a line, among those that came back, or in a worker's hands
  list_hook age;    // among all that wait for the service
  list_hook of_client;
  list_hook slice;  // its body may pin more memory than it has octets
};

// The requests of one client that wait for one service, in their order. There is none without one.
struct line {
  const request_queue* queue = nullptr;  // it is in
  list_of<request, &request::place> waiting;
  list_hook in_queue;
  list_hook of_client;
};

struct client_record {
  zmtp::peer_id peer;
  std::string routing_id;
  bool reads_errors = false;  // see request_error
  list_of<request, &request::of_client> unanswered;
  list_of<line, &line::of_client> lines;  // the one used last in front
  std::size_t requests = 0;               // unanswered
  std::size_t octets = 0;                 // of those
  bool over_limit = false;                // its own; until it is well below again
  bool paused = false;                    // it is not read
  list_hook blocked;                      // by a service that is over its limit
};

struct worker_record {
  zmtp::peer_id peer;
  service* serves = nullptr;
  dialect how = dialect::v02;
  std::size_t capacity = 1;                                // how many requests it takes at once
  std::optional<std::chrono::milliseconds> busy_expiry;    // of its service
  std::optional<std::chrono::milliseconds> busy_deadline;  // of its service
  bool sees_raw_addresses = false;                         // as its service had it when it came
  std::string raw_address;  // of what it holds, where it sees its client's own
  bool leaving = false;     // it has said DRAIN
  std::size_t held = 0;
  list_of<request, &request::place> hands;  // in the order they were given
  time_point heard_at;                      // its latest command
  time_point told_at;                       // our latest command
  time_point busy_since;                    // while it has something in hand
  std::size_t heap_place = not_in_heap;
  list_hook ready;  // among those of its service that can take a request: idle, or at work
};

}  // namespace mdp
