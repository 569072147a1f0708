#pragma once
// The actions, events, counters and status of a server. Plain data.

#include "chp/error.h"
#include "chp/map_database.h"
#include "chp/sequence.h"
#include "chp/store_status.h"
#include "zmtp/message.h"
#include "zmtp/peer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace chp {

// An event of a server, for logs and programs.
enum class server_event : std::uint8_t {
  active,          // it accepts updates
  passive,         // it follows the active server
  backup_in_sync,  // the backup has everything; further updates are committed when the backup has them
  backup_lost,     // no backup is in sync any more
  synchronized,  // passive: adopted a snapshot of the active server, and follows
  gap,           // passive: updates are missing; requests another snapshot
  older_epoch,   // passive: rejected a snapshot of a server that others have succeeded
  diverged,  // passive: has accepted updates that the active server does not have, and offers them
  reconciled,     // passive: the active server has processed all offered updates
  epoch_used_up,  // updates are rejected: no numbers are left, and no new epoch has come
  stored,         // the store is complete again
  store_full,     // the store is full; nothing is committed until it has space
  store_failed,   // the store has failed; nothing is committed any more
};

// Returns the name of the enumerator.
[[nodiscard]] const char* to_string(server_event what) noexcept;

// Actions of a server. server_state appends to them. The shell carries them out in the order of the
// members and clears them. They are reused, so that a running server allocates nothing here.
struct server_actions {
  struct addressed {
    zmtp::peer_id to;
    zmtp::message content;
  };
  // Writes to the store, in order. Call on_written() with the result of each one.
  std::vector<std::vector<map_change>> write;
  std::vector<zmtp::message> publish;  // to all subscribers of the key
  std::vector<addressed> tell;         // to one subscriber
  std::vector<addressed> reply;        // on the snapshot port
  std::vector<zmtp::peer_id> stream;   // call on_writable() when this peer can take more
  std::vector<zmtp::peer_id>
      close_snapshot_clients;  // close these connections to the snapshot port
  std::vector<zmtp::peer_id> close_subscribers;
  std::vector<zmtp::message> ask;  // to the active server's snapshot port
  bool stream_ask = false;         // call on_source_writable() when those are sent
  bool reconnect_source = false;   // close that connection and open another
  bool renew_epoch = false;  // call activate() with the next epoch: this one is almost used up
  std::vector<server_event> events;

  [[nodiscard]] bool empty() const noexcept {
    return write.empty() && publish.empty() && tell.empty() && reply.empty() && stream.empty() &&
           close_snapshot_clients.empty() && close_subscribers.empty() && ask.empty() &&
           !stream_ask && !reconnect_source && !renew_epoch && events.empty();
  }
};

// Counters of a server since its start.
struct server_counters {
  std::uint64_t updates = 0;                 // updates of clients, accepted and published
  std::uint64_t repeated = 0;                // known already, and only acknowledged
  std::uint64_t deferred = 0;                // deferred while too many wait for the backup
  std::uint64_t expired = 0;                 // keys erased after their TTL
  std::uint64_t snapshots = 0;               // sent completely
  std::uint64_t heartbeats = 0;              // HUGZ messages
  std::uint64_t ignored_requests = 0;        // ICANHAZ? while passive or above the limit
  std::uint64_t ignored_messages = 0;        // Zinc's extensions from other peers
  std::uint64_t followed = 0;                // passive: applied updates of the active server
  std::uint64_t outdated = 0;                // passive: updates that later ones had superseded
  std::uint64_t gaps = 0;                    // passive: detected gaps
  std::uint64_t pending_dropped = 0;         // passive: updates of clients dropped at the limit
  std::uint64_t replayed = 0;                // pending updates made when it became active
  std::uint64_t resubmitted = 0;             // accepted updates that the other server offered
  std::uint64_t resubmissions_outdated = 0;  // offered updates that later ones had superseded
  std::array<std::uint64_t, errc_count> refused{};  // messages, by errc
};

// Status of a server.
struct server_status {
  server_counters counters;
  bool active = false;
  bool backup_in_sync = false;
  bool following = false;
  sequence number = 0;  // the last update
  sequence committed =
      0;  // the backup, and the disk if there is a store, have all updates up to here
  store_status kept = store_status::nothing;
  sequence durable = 0;             // the disk has all updates up to here
  std::size_t unwritten_bytes = 0;  // bytes of changes that wait for the disk
  std::size_t keys = 0;
  std::size_t bytes = 0;
  std::size_t subscribers = 0;
  std::size_t snapshot_clients = 0;  // connections to the snapshot port
  std::size_t snapshots = 0;         // in progress
  std::size_t pending = 0;
  std::size_t waiting = 0;  // updates of Zinc's clients that wait for the backup
};

}  // namespace chp
