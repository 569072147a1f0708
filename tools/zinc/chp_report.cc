#include "tools/zinc/chp_report.h"

#include "chp/sequence.h"

#include <fmt/core.h>

#include <cstdint>
#include <numeric>

namespace zinc {

std::string report(const chp::server_status& s) {
  const auto& counted = s.counters;
  const auto refused = [](const auto& all) {
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  };
  return fmt::format(
      "active={} epoch={} number={} committed={} both={} backup_in_sync={} degraded={} "
      "following={} stopped={} keys={} bytes={} log_entries={} log_bytes={} sessions={} "
      "subscribers={} snapshot_clients={} snapshots={} waiting={} updates={} repeated={} "
      "deferred={} unknown={} expired={} followed={} replayed={} waiting_dropped={} lost={} "
      "snapshots_sent={} gaps={} ignored={} refused={} stored={} durable={}",
      s.active, chp::epoch_of(s.number), chp::position_of(s.number), chp::position_of(s.committed),
      chp::position_of(s.both), s.backup_in_sync, s.degraded, s.following, s.stopped, s.keys,
      s.bytes, s.log_entries, s.log_bytes, s.sessions, s.subscribers, s.snapshot_clients,
      s.snapshots, s.waiting, counted.log.updates, counted.log.repeated, counted.log.deferred,
      counted.log.unknown, counted.log.expired, counted.log.followed, counted.log.replayed,
      counted.log.waiting_dropped, counted.log.lost, counted.snapshots, counted.gaps,
      counted.ignored_requests + counted.ignored_messages,
      refused(counted.refused) + refused(counted.log.refused), chp::to_string(s.kept),
      chp::position_of(s.durable));
}

std::string report(const chp::access_counters& of) {
  return fmt::format(
      " forbidden_subscriptions={} forbidden_snapshots={} forbidden_updates={} "
      "forbidden_sessions={} forbidden_backups={}",
      of.subscriptions, of.snapshots, of.updates, of.sessions, of.backups);
}

std::string report(const bstar::node_status& s) {
  return fmt::format(
      "pair_epoch={} peer_alive={} data_lost={} states_heard={} states_refused={} "
      "requests_accepted={} requests_rejected={}",
      s.current, s.peer_alive, s.data_lost, s.states_heard, s.states_refused, s.requests_accepted,
      s.requests_rejected);
}

}  // namespace zinc
