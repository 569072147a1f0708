#pragma once
// Options of a client of the clustered hashmap.

#include "chp/command.h"
#include "zmtp/options.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace chp {

// The snapshot that a client requests (protocols B17).
enum class snapshot_kind : std::uint8_t {
  subtree,  // ICANHAZ? names the subtree, as in 12/CHP and the Guide's models 4 to 6
  whole,    // ICANHAZ? names no subtree; models 2 and 3 reply with the whole map
  none,     // no request; model 1 only publishes
};

// Options of a client.
struct client_options {
  // Keys that the client copies: all, or those that begin with a subtree, /…/.
  std::string subtree{};

  // Wire format of keys and values on the servers. The forms of kvsimple (models 1 to 4 of the
  // Guide) have no ids, deletions, times to live and HUGZ. An update is committed there when its
  // key arrives with its value, from any client. An update that is resent after a lost connection
  // may be applied twice. `server_ttl` has no effect.
  form wire_format = form::kvmsg;
  // Socket type of the servers' collectors.
  collector_kind collector = collector_kind::sub;
  // With `none`, the copy starts empty and never contains earlier updates.
  snapshot_kind snapshots = snapshot_kind::subtree;

  // The servers' heartbeat (server_options::heartbeat). A passive server does not reply to
  // ICANHAZ?, so the client repeats it every quarter of the heartbeat, but not more often than
  // every 50 ms.
  std::chrono::milliseconds heartbeat{1'000};
  // Time without a message after which the client leaves the server it follows, or the server that
  // sends it a snapshot. Absent: for servers that send no HUGZ, such as the Guide's models 1 to 5.
  // The client then leaves only when the connection closes, and a snapshot may lack an update that
  // was published during the subscription.
  std::optional<std::chrono::milliseconds> server_ttl = std::chrono::milliseconds{5'000};
  // Time without a reply to ICANHAZ? after which the client leaves a server. Absent: four
  // heartbeats, but at least one second. In this time a backup detects the loss of its primary. If
  // there are several servers, the client leaves a server that sends nothing, such as a passive
  // one, after a quarter of the time at first, and after half of it the second time.
  std::optional<std::chrono::milliseconds> answer_timeout{};
  // Minimum time between two connections to the same server: random, between half of a bound and the
  // bound. The bound doubles after each failed attempt, from `retry` to `longest_retry`.
  std::chrono::milliseconds retry{100};
  std::chrono::milliseconds longest_retry{1'000};

  // Limits of the updates that are sent and have no outcome. At a limit, further updates wait unsent.
  // A single update may be larger than the limit of bytes.
  std::size_t pending_updates = 10'000;
  std::size_t pending_bytes = 16 * 1024 * 1024;
  // Limit of the updates that were committed on one server and that both servers may not have. The
  // client keeps them, and asks the servers for them after a failover, so that it can report the
  // lost ones with key and value. `pending_bytes` limits them too. Above a limit, the client counts
  // the lost ones among the oldest in client_counters::lost_unlisted, if any may be lost.
  std::size_t kept_updates = 10'000;
  // Time after which the client resends updates that a Zinc server has not answered.
  std::chrono::milliseconds resend{1'000};
  // Send `ttl=0` with updates without a TTL. Otherwise the Guide's backup in C uses the TTL of an
  // earlier update (protocols C1-20).
  bool always_send_ttl = false;

  // Limits of the copy. The client leaves a server whose map is larger. `most_bytes` counts keys
  // and values.
  std::size_t most_keys = 10'000'000;
  std::size_t most_bytes = std::size_t{1} << 30;
  std::size_t most_value_bytes = 16 * 1024 * 1024;  // as server_options::limit
  // Bytes of updates that the client stores while it receives a snapshot. Above the limit, it
  // requests the snapshot again.
  std::size_t most_bytes_behind_snapshot = 64 * 1024 * 1024;
  // Number of changes that a watcher stores, and bytes of their keys and values. Above one of them,
  // the watcher keeps only the last change of each key.
  std::size_t watched_changes = 100'000;
  std::size_t watched_bytes = 64 * 1024 * 1024;

  // Options of the sockets, security included. The client sets announce_peers, extensions,
  // reconnect, send_mark.messages, immediate and xpub itself, and raises limit.frame_size and
  // message_size so that the largest value fits. With CURVE, all servers need the same key.
  zmtp::socket_options socket{};
};

}  // namespace chp
