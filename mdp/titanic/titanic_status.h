#pragma once
// What Titanic shows of itself.

#include <cstddef>
#include <cstdint>
#include <string>

namespace mdp::titanic {

struct titanic_counters {
  std::uint64_t accepted = 0;     // stored, and the client was told so
  std::uint64_t repeated = 0;     // submitted again, and stored already
  std::uint64_t refused = 0;      // 400
  std::uint64_t not_stored = 0;   // 500, for want of room or for a fault of the store
  std::uint64_t dispatched = 0;   // attempts
  std::uint64_t unanswered = 0;   // attempts that had no reply in time
  std::uint64_t interrupted = 0;  // attempts whose connection was lost, which do not count
  std::uint64_t answered = 0;     // replies that were stored
  std::uint64_t given_up = 0;     // after their last attempt
  std::uint64_t closed = 0;
  std::uint64_t expired = 0;        // removed after titanic_options::keep
  std::uint64_t read_failures = 0;  // failed reads of the store; nothing is lost by them
  std::uint64_t unreadable = 0;     // rows that were found missing or altered
};

struct titanic_status {
  bool accepting = false;     // false: the store has failed, or the last read failed
  std::size_t requests = 0;   // stored, whatever their outcome
  std::size_t pending = 0;    // of them
  std::size_t in_flight = 0;  // with their services
  std::size_t services = 0;   // that requests wait for
  titanic_counters counters{};
};

// Of a service that requests wait for, or have waited for a moment ago.
struct titanic_service_status {
  std::string name;
  std::size_t pending = 0;    // requests without an outcome
  std::size_t in_flight = 0;  // of them, with the service, and those whose outcome is being stored
};

}  // namespace mdp::titanic
