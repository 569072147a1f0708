#include "test/chp/simulation/setting.h"

#include "chp/sequence.h"
#include "test/chp/simulation/map_history.h"

#include <utility>

namespace chp::simulation {

using std::chrono::milliseconds;

setting::setting(zmtp::simulation::random_source& random)
    : heartbeat{random.between(100, 400)},
      expiry{heartbeat * random.between(15, 30) / 10},
      block{random.chance(20)},
      stores{random.chance(50), random.chance(50)},
      clients{random.between(1, 4)},
      skewed{random.chance(40)},
      ttls{random.chance(50)},
      short_log{random.chance(25)},
      few_sessions{random.chance(10)},
      few_updates{random.chance(15)},
      few_kept{random.chance(10)},
      few_keys{random.chance(10)},
      small_pieces{random.chance(20)} {}

void setting::choose_limits(zmtp::simulation::random_source random) {
  for (bool* const each : {&small_log, &few_outcomes, &small_map, &small_updates, &small_feeds,
                           &few_snapshots, &few_changes, &small_values, &few_directories,
                           &short_epochs, &parts, &few_ids, &small_copies}) {
    *each = random.chance(8);
  }
}

server_options setting::server() const {
  server_options o;
  o.heartbeat = heartbeat;
  o.store_retry = heartbeat;
  o.degraded = block ? degraded_policy::block : degraded_policy::ack;
  if (short_log) {
    o.log.entries = 2;
  }
  if (few_sessions) {
    o.clients.max_sessions = 2;
  }
  if (few_keys) {
    o.map.max_keys = 10;
  }
  if (few_ids) {
    o.ids = 2;
  }
  if (small_log) {
    o.log = {.bytes = 200, .entries = o.log.entries, .segment = 1};
  }
  if (few_outcomes) {
    o.clients.max_outcomes = 2;
    o.clients.max_all_outcomes = 4;
  }
  if (small_map) {
    o.map.max_bytes = 300;
  }
  if (small_updates) {
    o.waiting_bytes = 200;
  }
  if (small_feeds) {
    o.publisher_bytes = 1'000;
    o.feed_bytes = 1'000;
  }
  if (few_snapshots) {
    o.snapshots_of_a_peer = 1;
  }
  if (small_values) {
    o.limit.max_value_size = 10;
  }
  if (few_directories) {
    o.directories = 2;
  }
  if (short_epochs) {
    o.epoch_reserve = max_position - 200;
  }
  if (small_pieces) {
    o.backup_window = 200;
    o.snapshot_piece = 100;
    o.unwritten_bytes = 300;
  }
  return o;
}

client_options setting::client(std::size_t which) const {
  client_options o;
  o.heartbeat = heartbeat;
  o.server_ttl = 5 * heartbeat;
  o.resend = 2 * heartbeat;
  if (few_updates || few_outcomes) {
    o.pending_updates = 2;  // a server takes no more than it can remember
  }
  if (few_kept) {
    o.kept_updates = 2;
  }
  if (small_updates) {
    o.pending_bytes = 100;
  }
  if (small_feeds) {
    o.most_bytes_behind_snapshot = 100;
  }
  if (small_copies && which + 1 == clients) {
    o.most_keys = 10;
  }
  if (few_changes) {
    o.watched_changes = 2;
    o.watched_bytes = 100;
  }
  return o;
}

std::string setting::part_of(std::size_t client) const {
  static constexpr std::array all{"", "/shared/", "/once/"};
  return parts ? all[client % all.size()] : "";
}

zmtp::simulation::clock_rate setting::clock(zmtp::simulation::random_source& random) const {
  return zmtp::simulation::clock_rate{
      skewed ? static_cast<unsigned>(random.between(slowest_clock, fastest_clock)) : 100};
}

std::string setting::description() const {
  std::string all = "heartbeat " + std::to_string(heartbeat.count()) + " ms, expiry " +
                    std::to_string(expiry.count()) + " ms, " + std::to_string(clients) + " clients";
  for (const auto& [holds, name] : {std::pair{skewed, "skewed clocks"},
                                    std::pair{ttls, "times to live"},
                                    std::pair{block, "block"},
                                    std::pair{witness, "a witness"},
                                    std::pair{stores[0], "primary with a store"},
                                    std::pair{stores[1], "backup with a store"},
                                    std::pair{short_log, "short log"},
                                    std::pair{few_sessions, "few sessions"},
                                    std::pair{few_updates, "few updates"},
                                    std::pair{few_kept, "few kept"},
                                    std::pair{few_keys, "few keys"},
                                    std::pair{small_pieces, "small pieces"},
                                    std::pair{small_log, "small log"},
                                    std::pair{few_outcomes, "few outcomes"},
                                    std::pair{small_map, "small map"},
                                    std::pair{small_updates, "small updates"},
                                    std::pair{small_feeds, "small feeds"},
                                    std::pair{few_snapshots, "few snapshots"},
                                    std::pair{few_changes, "few changes"},
                                    std::pair{small_values, "small values"},
                                    std::pair{few_directories, "few directories"},
                                    std::pair{short_epochs, "short epochs"},
                                    std::pair{parts, "clients of a subtree"},
                                    std::pair{few_ids, "few ids"},
                                    std::pair{small_copies, "a small copy"}}) {
    if (holds) {
      all += ", ";
      all += name;
    }
  }
  return all;
}

}  // namespace chp::simulation
