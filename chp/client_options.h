#pragma once
// Options of a client of the clustered hashmap: plain values, safe as they are.

#include "chp/command.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace chp {

// What of a snapshot servers are asked for (protocols B17).
enum class snapshot_kind : std::uint8_t {
  subtree,  // ICANHAZ? names the subtree: 12/CHP, and models 4 to 6 of the Guide
  whole,    // it names none: models 2 and 3, which answer with the whole map
  none,     // nothing is asked: model 1, which only publishes
};

struct client_options {
  // What of the map the client holds: all of it, or what begins with /…/.
  std::string subtree{};

  // As the servers frame keys and values. The forms of kvsimple (models 1 to 4 of the Guide) have no ids,
  // deletions, times to live and HUGZ: an update is committed there when its key comes back with its value,
  // whoever has set that, and one that was sent again, because its connection was lost, may be carried out
  // twice. `server_ttl` does not count there.
  form how = form::kvmsg;
  // What they take updates with.
  collector_kind collector = collector_kind::sub;
  // With `none` the map begins without keys, and what was published before is never known.
  snapshot_kind snapshots = snapshot_kind::subtree;

  // The servers' heartbeat (bstar_options::heartbeat). An ICANHAZ? that is not answered, because the server
  // is passive still, is repeated every quarter of it, but not more often than every 50 ms.
  std::chrono::milliseconds heartbeat{1'000};
  // A server that we follow, or that sends us a snapshot, and is silent for so long is left for the next.
  // Absent: for servers that send no HUGZ, as the Guide's models 1 to 5. A closed connection is noticed at once; but a snapshot may then miss
  // an update that was made while we subscribed.
  std::optional<std::chrono::milliseconds> server_ttl = std::chrono::milliseconds{5'000};
  // A server that answers no ICANHAZ? for so long is left for the next. Absent: four heartbeats, in which a
  // backup finds that its primary is gone, but a second at least. Where there is another one, a server that says
  // nothing at all, as a passive one does, is left after a quarter of it at first, then after half of it.
  std::optional<std::chrono::milliseconds> answer_timeout{};
  // The same server is connected to again after this at the earliest: doubles with each attempt that came to
  // nothing up to `longest_retry`, ± 50 %.
  std::chrono::milliseconds retry{100};
  std::chrono::milliseconds longest_retry{1'000};

  // Updates that were sent and are not committed: at the limit the next ones wait, unsent. One alone may be
  // larger.
  std::size_t pending_updates = 10'000;
  std::size_t pending_octets = 16 * 1024 * 1024;
  // What a server of ours has not acknowledged for so long is sent to it again.
  std::chrono::milliseconds resend{1'000};
  // Send `ttl=0` with what has no ttl: a backup of the Guide in C else takes one that it had before
  // (protocols C1-20).
  bool always_send_ttl = false;

  // Of the map; above, the server's is not taken. Octets of keys and values.
  std::size_t most_keys = 10'000'000;
  std::size_t most_octets = std::size_t{1} << 30;
  std::size_t most_value_octets = 16 * 1024 * 1024;
  // Updates that come while a snapshot does are kept up to this; above, the snapshot is asked for again.
  std::size_t most_octets_behind_snapshot = 64 * 1024 * 1024;
  // Changes that a watcher has not received: above, those of one key give way to its last.
  std::size_t watched_changes = 100'000;
};

}  // namespace chp
