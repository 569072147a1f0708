#pragma once
// Status and counters of Titanic.

#include "mdp/titanic/request_id.h"
#include "zmtp/duration_histogram.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace mdp::titanic {

struct titanic_counters {
  std::uint64_t accepted = 0;     // stored and acknowledged
  std::uint64_t repeated = 0;     // submitted again and already stored
  std::uint64_t refused = 0;      // 400
  std::uint64_t not_stored = 0;   // 500, because of a full or failed store
  std::uint64_t dispatched = 0;   // attempts
  std::uint64_t unanswered = 0;   // attempts without a reply in time
  std::uint64_t interrupted = 0;  // attempts whose connection was lost; they do not count
  std::uint64_t answered = 0;     // stored replies
  std::uint64_t given_up = 0;     // requests that failed in their last attempt
  std::uint64_t closed = 0;
  std::uint64_t expired = 0;        // removed after titanic_options::keep
  std::uint64_t read_failures = 0;  // failed reads of the store; no data is lost by them
  std::uint64_t unreadable = 0;     // rows that are missing or altered
};

struct titanic_status {
  bool accepting = false;                // false: the store has failed, or the last read failed
  std::size_t requests = 0;              // stored, with any outcome
  std::size_t pending = 0;               // without an outcome
  std::size_t in_flight = 0;             // requests at their services
  std::size_t services = 0;              // services that requests wait for
  std::chrono::seconds oldest{0};        // age of the oldest request without an outcome; 0: none
  zmtp::duration_histogram sync_time{};  // see request_database::sync_times()
  titanic_counters counters{};
};

// A stored request without an outcome.
struct pending_request {
  request_id id;
  std::string principal;  // the client that made it; empty: anonymous
  std::string service;
  std::chrono::seconds age{0};  // since Titanic accepted it or, after a start, since its last write
  std::uint32_t attempts = 0;   // that failed
  bool in_flight = false;       // at its service, or with an outcome that is being stored
};

// A service that requests wait for, or have waited for recently.
struct titanic_service_status {
  std::string name;
  std::size_t pending = 0;    // requests without an outcome
  std::size_t in_flight = 0;  // at the service, or with an outcome that is being stored
};

}  // namespace mdp::titanic
