#pragma once
// Options of a server of the clustered hashmap. Plain data.

#include "chp/command.h"
#include "chp/entry_log.h"
#include "chp/sessions.h"
#include "chp/store.h"
#include "zmtp/access_rules.h"
#include "zmtp/options.h"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace chp {

// The state of an update that no backup has.
enum class degraded_policy : std::uint8_t {
  ack,    // committed by this server alone; acknowledgements say so
  block,  // not committed until a backup has it
};

// Options of a server.
struct server_options {
  // Wire format of all messages. The forms of kvsimple (models 1 to 4 of the Guide) have no times
  // to live, deletions, heartbeats and acknowledgements.
  form wire_format = form::kvmsg;
  collector_kind collector = collector_kind::sub;
  // First epoch of a single server, which must be above all its earlier ones. 0 without a store, or
  // in a form of kvsimple: no epochs, numbers start at 1, as in the Guide. 0 with a store: the next
  // epoch after the last stored one.
  std::uint64_t epoch = 0;
  // Numbers left in an epoch when the server requests the next one, from
  // server_handlers::next_epoch or from the pair. An epoch has 2^44 numbers.
  std::uint64_t epoch_reserve = std::uint64_t{1} << 20;
  // Bytes queued for one subscriber. Above the limit, the server disconnects the subscriber
  // (zmtp::errc::too_slow), so that it never misses updates without noticing.
  std::size_t publisher_bytes = 64 * 1024 * 1024;
  // Interval of HUGZ while the server is active.
  std::chrono::milliseconds heartbeat{1'000};
  // Limits new updates. Stored ones may be larger.
  command_limits limit{};
  // The server keeps past entries for snapshots in progress, within the same limits. Above them, it
  // disconnects the peer with the oldest snapshot, unless that is the only one, or a backup's copy
  // is older.
  store_limits map{};
  // The entries that are kept for a backup that was away. A backup that is further behind copies
  // everything. The log keeps the updates that are made meanwhile. When it is full, the server reads
  // no updates until the backup has the copy on its disk, if it has one.
  log_limits log{};
  // Updates of Zinc's clients are recognized when they are sent again, within these limits.
  session_limits clients{};
  // The last ids of updates of other clients, which are recognized too.
  std::size_t ids = 100'000;

  // Bytes of one snapshot that are written before the server checks again whether the peer reads.
  std::size_t snapshot_piece = 64 * 1024;
  // Pending snapshot requests of one connection. Requests above the limit are ignored. Those of a
  // Zinc client for one subtree count as one.
  std::size_t snapshots_of_a_peer = 16;
  // Number of directories whose updates are counted, so that a client that follows one of them
  // detects missing updates. Updates of other directories are not counted.
  std::size_t directories = 1'000'000;

  // With a store: bytes of changes that wait for the disk. At the limit the server stops reading
  // updates. A whole map that is written again is not included.
  std::size_t unwritten_bytes = 64 * 1024 * 1024;
  // Pause before the server tries a full store again. Doubles each time, up to 64 times the value.
  std::chrono::milliseconds store_retry{1'000};

  // With a backup.
  degraded_policy degraded = degraded_policy::ack;
  // Bytes of entries that the backup has not confirmed. More of them wait in the log.
  std::size_t backup_window = 8 * 1024 * 1024;
  // While passive: bytes of clients' updates that the active server may not get, and that have ids
  // of other clients than Zinc's. Above the limit, the oldest are dropped.
  std::size_t waiting_bytes = 64 * 1024 * 1024;

  // With an active server of the Guide.
  // Time without progress after which the server requests a snapshot again.
  std::chrono::milliseconds snapshot_timeout{5'000};
  // Bytes of publications that are stored while a snapshot arrives.
  std::size_t feed_bytes = 64 * 1024 * 1024;

  // Options of the three sockets that clients and a backup connect to, security included. The
  // server sets announce_peers, extensions, send_mark, disconnect_slow and xpub itself. It raises
  // limit.frame_size and message_size where it receives values, so that the largest one fits.
  zmtp::socket_options socket{};

  // Permits principals to read and write keys; see `right`. Names of grants are prefixes of keys
  // and end with `*`. By default, everything is allowed. A backup must be allowed to read and write
  // all keys. Rules can only be changed later if the server has rules from the start.
  zmtp::access_rules access{};
};

}  // namespace chp
