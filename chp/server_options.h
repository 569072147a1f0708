#pragma once
// Options of a server of the clustered hashmap. Plain data.

#include "chp/command.h"
#include "chp/store.h"
#include "chp/update_register.h"

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
  command_limits limit{};
  store_limits map{};
  register_limits applied{};

  // Bytes of one snapshot that are written before the server checks again whether the peer reads.
  std::size_t snapshot_piece = 64 * 1024;
  // Pending snapshot requests of one connection. Zinc's clients repeat a request above the limit.
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
  // Updates of Zinc's clients that wait for the backup or the disk, 24 bytes each. They wait
  // without limit if the disk is full, or if there is no backup and the policy is `block`. The
  // server defers updates above the limit: the client keeps them and resends them in order. Other
  // clients get no acknowledgements, so the limit does not concern them.
  std::size_t waiting_updates = 1'000'000;
  // Time without progress after which a backup counts as lost, until it has applied everything
  // again.
  std::chrono::milliseconds backup_timeout{2'000};
  // Time without progress after which the server requests a snapshot of the active server again.
  std::chrono::milliseconds snapshot_timeout{5'000};
  // Bytes of clients' updates that the active server has not confirmed, as they use memory. Above
  // the limit, the server first drops updates of Zinc's clients, which resend them.
  std::size_t pending_bytes = 64 * 1024 * 1024;
  // Bytes of publications that are stored while a snapshot of the active server arrives.
  std::size_t feed_bytes = 64 * 1024 * 1024;
  // Number of deletions that are remembered while no backup has them.
  std::size_t tombstones = 1'000'000;
};

}  // namespace chp
