#pragma once
// What a server of the clustered hashmap may be told. Plain.

#include "chp/command.h"
#include "chp/store.h"
#include "chp/update_register.h"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace chp {

// What becomes of an update while no backup has it, too.
enum class degraded_policy : std::uint8_t {
  ack,    // it counts as committed by this server alone, and whoever is told of it is told so
  block,  // it is not committed until a backup has it
};

struct server_options {
  // As what is said is framed. In the forms of kvsimple (models 1 to 4 of the Guide) there are no times to
  // live, deletions, heartbeats and acknowledgements.
  form how = form::kvmsg;
  collector_kind collector = collector_kind::sub;
  // Of a server that is alone: its numbers begin in this epoch, which is above all that it had before. 0:
  // without epochs, from 1 on, as those of the Guide; with a store, but for the forms of kvsimple, the one
  // behind the last that was stored.
  std::uint64_t epoch = 0;
  // Numbers that are left of an epoch when the next one is asked for (server_handlers::next_epoch; of a pair, of
  // the pair). An epoch has 2^44.
  std::uint64_t epoch_reserve = std::uint64_t{1} << 20;
  // A subscriber for whom so many octets wait is disconnected (zmtp::errc::too_slow): there are no gaps.
  std::size_t publisher_octets = 64 * 1024 * 1024;
  // Of HUGZ, while the server is active.
  std::chrono::milliseconds heartbeat{1'000};
  command_limits limit{};
  store_limits map{};
  register_limits applied{};

  // Of one snapshot: octets between one look at whether the peer reads and the next.
  std::size_t snapshot_piece = 64 * 1024;
  // Snapshots that one peer may have asked for and not got; it asks again for what is above.
  std::size_t snapshots_of_a_peer = 16;
  // Directories whose updates are counted, so that whoever follows one sees that nothing is missing.
  // Updates in others are not.
  std::size_t directories = 1'000'000;

  // With a store: what may wait for the disk, as it takes memory; above it no updates are read. A whole
  // map, which one that had no room or is another one's is written as, is not counted.
  std::size_t unwritten_octets = 64 * 1024 * 1024;
  // A store that had no room is tried again after so long, and each time after twice that, up to 64 times.
  std::chrono::milliseconds store_retry{1'000};

  // With a backup.
  degraded_policy degraded = degraded_policy::ack;
  // Updates of clients of ours that may wait for the backup or the disk, each of which takes 24 octets: for as long
  // as there is none, with `block`, or no room. What is above is put off: the client keeps it, and sends it again, with what follows. Other
  // clients, who are told nothing, are not concerned.
  std::size_t waiting_updates = 1'000'000;
  // A backup that has not applied what it was sent for so long is none, until it has.
  std::chrono::milliseconds backup_timeout{2'000};
  // How long a snapshot of the active server may stand still before it is asked for again.
  std::chrono::milliseconds snapshot_timeout{5'000};
  // Updates of clients that the active server has not confirmed; as messages take memory. Those of our
  // clients go first, who send them again.
  std::size_t pending_octets = 64 * 1024 * 1024;
  // What the active server publishes while its snapshot is on the way.
  std::size_t feed_octets = 64 * 1024 * 1024;
  // Deletions that are remembered while no backup has them.
  std::size_t tombstones = 1'000'000;
};

}  // namespace chp
