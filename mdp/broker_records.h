#pragma once
// The broker's records of requests, clients, workers and services, and their relations. These are
// plain records. Code that changes them must maintain the relations.

#include "mdp/command.h"
#include "mdp/deadline_heap.h"
#include "zmtp/message.h"
#include "zmtp/pattern/liveness.h"
#include "zmtp/peer.h"

#include <boost/intrusive/list.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace mdp {

using time_point = std::chrono::steady_clock::time_point;

// A record unlinks itself from its lists when it is destroyed, in any order.
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

// A request without a reply. It waits (in a line or among the returned requests) or is assigned to
// a worker.
struct request {
  zmtp::message body;
  client_record* asked_by = nullptr;  // null: no client waits for the reply
  service* asked = nullptr;
  worker_record* held_by = nullptr;  // null: waiting
  line* waits_in = nullptr;          // null: assigned, or returned by a worker
  std::uint64_t token = 0;           // names the latest attempt; see given_requests
  std::size_t charge = 0;            // bytes that count against quotas
  time_point queued_at;
  time_point given_at;         // when it was assigned to held_by
  dialect how = dialect::v02;  // the client's
  bool by_mmi = false;         // received as mmi.titanic; see broker_state
  bool partly_answered = false;
  unsigned attempts = 0;                      // number of times that it was assigned
  std::optional<zmtp::peer_id> refused_by{};  // the worker that refused it last
  std::size_t refusals = 0;                   // by workers
  std::string principal;                      // the client's; empty: anonymous
  keyed_request* keyed = nullptr;  // its record, if it has a key and that record is in progress
  std::unique_ptr<zmtp::message> gathered;  // PARTIALs for a 0.1 client
  list_hook place;  // in a line, among the returned requests, or of a worker
  list_hook age;    // in the queue of the service, by time
  list_hook of_client;
  list_hook slice;  // linked while the body may pin a larger read buffer
};

// The waiting requests of one client for one service, in order. A line is never empty.
struct line {
  const request_queue* queue = nullptr;  // the queue that contains it
  list_of<request, &request::place> waiting;
  list_hook in_queue;
  list_hook of_client;
};

struct client_record {
  zmtp::peer_id peer;
  std::string routing_id;
  bool reads_errors = false;  // shows whether the client reads errors; see request_error
  list_of<request, &request::of_client> unanswered;
  list_of<line, &line::of_client> lines;  // the last used line first
  std::size_t requests = 0;               // unanswered
  std::size_t bytes = 0;                  // bytes, unanswered requests
  bool over_limit = false;                // at its own limit, until a quarter is free
  bool paused = false;                    // the broker does not read from it
  list_hook blocked;                      // among the clients of a service at its limit
};

struct worker_record {
  zmtp::peer_id peer;
  service* serves = nullptr;
  dialect how = dialect::v02;
  std::size_t capacity = 1;                               // requests that it takes at once
  std::optional<std::chrono::milliseconds> busy_expiry;   // as in its service's options
  std::optional<std::chrono::milliseconds> busy_timeout;  // as in its service's options
  bool sees_raw_addresses = false;                        // as configured when it registered
  std::string raw_address;  // the address of its request, if it sees raw addresses
  bool leaving = false;     // has sent DRAIN
  bool reads_principals = false;
  std::size_t held = 0;
  list_of<request, &request::place> in_flight;  // in the order of assignment
  zmtp::liveness::times last;                   // times of the latest commands
  time_point busy_since;                        // while it has requests
  std::size_t heap_place = not_in_heap;
  list_hook ready;  // among the workers of its service that can take a request
};

}  // namespace mdp
