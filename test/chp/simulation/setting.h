#pragma once
// The choices of a seed beside the faults: times, policies, stores and limits.

#include "chp/client_options.h"
#include "chp/server_options.h"
#include "zmtp/simulation/clock_rate.h"
#include "zmtp/simulation/random_source.h"

#include <array>
#include <chrono>
#include <string>

namespace chp::simulation {

struct setting {
  explicit setting(zmtp::simulation::random_source& random);
  // Chooses more limits.
  void choose_limits(zmtp::simulation::random_source random);

  [[nodiscard]] server_options server() const;
  [[nodiscard]] client_options client(std::size_t which) const;
  // The subtree that this client follows; empty for the whole map.
  [[nodiscard]] std::string part_of(std::size_t client) const;
  // The clock of one host.
  [[nodiscard]] zmtp::simulation::clock_rate clock(zmtp::simulation::random_source& random) const;
  [[nodiscard]] std::string description() const;

  std::chrono::milliseconds heartbeat;
  std::chrono::milliseconds expiry;
  bool block;
  std::array<bool, 2> stores;
  std::size_t clients;
  bool skewed;  // clocks
  bool ttls;
  // The limits of 2 and the like.
  bool short_log;
  bool few_sessions;
  bool few_updates;  // in a client, sent and without an outcome
  bool few_kept;     // in a client, with an outcome that both servers may not have
  bool few_keys;
  bool small_pieces;
  bool small_log = false;      // in bytes
  bool few_outcomes = false;   // for each session, and for all
  bool small_map = false;      // in bytes
  bool small_updates = false;  // bytes of those that a client has sent, or that wait while passive
  bool small_feeds = false;    // bytes for one subscriber, or that wait during a snapshot
  bool few_snapshots = false;  // one at a time for each client
  bool few_changes = false;    // unread changes of a watcher, and their bytes
  bool small_values = false;   // the longest that a server accepts
  bool few_directories = false;  // with a counter
  bool short_epochs = false;     // an active server takes another one after 200 entries
  bool parts = false;            // some clients follow a subtree
  bool few_ids = false;          // known; servers then execute updates of other programs twice
  bool small_copies = false;     // the last client follows no map of more than 10 keys
  bool witness = false;
};

}  // namespace chp::simulation
