#pragma once
// What a server of the map wants done, and what it has counted. Plain.

#include "chp/error.h"
#include "chp/keeping.h"
#include "chp/map_store.h"
#include "chp/sequence.h"
#include "zmtp/message.h"
#include "zmtp/routing/peer_id.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace chp {

// What whoever runs a pair wants to know.
enum class server_event : std::uint8_t {
  active,          // it accepts updates
  passive,         // it follows the other one
  backup_in_sync,  // the backup has everything, and what comes is committed when it has that, too
  backup_lost,     // there is no such backup any more
  synchronized,    // passive: it has a snapshot of the active server, and follows
  gap,             // passive: something was missed, and another snapshot is asked for
  older_epoch,  // passive: the snapshot was of a server that others have come after; it is refused
  diverged,     // it has accepted what the active server does not know, and offers it
  reconciled,   // the active server has looked at all of that
  epoch_used_up,  // no update is accepted any more: there are no numbers left, and no epoch has come
  stored,         // all there is is in the store, after it was not
  store_full,     // it has no room: nothing more is committed until it has
  store_failed,   // it cannot be written: nothing more is committed
};

// The enumerator.
[[nodiscard]] const char* to_string(server_event what) noexcept;

// Appended to by the state, carried out and cleared by the shell, in the order of the members. Reused, so
// that in the long run nothing is allocated.
struct server_actions {
  struct addressed {
    zmtp::peer_id to;
    zmtp::message content;
  };
  // To the store, in order: on_written() is wanted when one is on the disk, or will not be.
  std::vector<std::vector<map_change>> write;
  std::vector<zmtp::message> publish;       // to all subscribers who want it
  std::vector<addressed> tell;              // to one subscriber
  std::vector<addressed> reply;             // on the snapshot port
  std::vector<zmtp::peer_id> stream;        // on_writable() is wanted when this one has room
  std::vector<zmtp::peer_id> close_askers;  // drop the connection to the snapshot port
  std::vector<zmtp::peer_id> close_subscribers;
  std::vector<zmtp::message> ask;  // to the active server's snapshot port
  bool stream_ask = false;         // on_source_writable() is wanted when those are sent
  bool reconnect_source = false;   // that connection is to be dropped and made again
  bool renew_epoch = false;  // activate() is wanted with the next epoch: this one is nearly used up
  std::vector<server_event> events;

  [[nodiscard]] bool empty() const noexcept {
    return write.empty() && publish.empty() && tell.empty() && reply.empty() && stream.empty() &&
           close_askers.empty() && close_subscribers.empty() && ask.empty() && !stream_ask &&
           !reconnect_source && !renew_epoch && events.empty();
  }
};

struct server_counters {
  std::uint64_t updates = 0;           // accepted and published, of clients
  std::uint64_t repeated = 0;          // known already, and only acknowledged
  std::uint64_t put_off = 0;           // while too many wait for the backup: they come again
  std::uint64_t expired = 0;           // keys whose time was over
  std::uint64_t snapshots = 0;         // sent to the end
  std::uint64_t heartbeats = 0;        // HUGZ to all
  std::uint64_t ignored_requests = 0;  // ICANHAZ to a server that is not active, or one too many
  std::uint64_t ignored_messages = 0;  // what only peers of ours may say, of others
  std::uint64_t followed = 0;          // passive: updates of the active server that were applied
  std::uint64_t outdated = 0;          // passive: those that were not, because later ones were
  std::uint64_t gaps = 0;              // passive
  std::uint64_t pending_dropped = 0;   // passive: updates of clients that there was no room for
  std::uint64_t replayed = 0;          // updates that had been pending when it became active
  std::uint64_t resubmitted = 0;       // of the other server, accepted …
  std::uint64_t resubmissions_outdated = 0;         // … and not, because there is something later
  std::array<std::uint64_t, errc_count> refused{};  // messages, by errc
};

struct server_status {
  server_counters counters;
  bool active = false;
  bool backup_in_sync = false;
  bool following = false;
  sequence number = 0;     // of the last update
  sequence committed = 0;  // up to which a backup has them, and the disk if there is a store
  keeping kept = keeping::nothing;
  sequence durable = 0;              // up to which they are on the disk
  std::size_t unwritten_octets = 0;  // that wait for it
  std::size_t keys = 0;
  std::size_t octets = 0;
  std::size_t subscribers = 0;
  std::size_t askers = 0;     // connections to the snapshot port
  std::size_t snapshots = 0;  // on the way
  std::size_t pending = 0;
  std::size_t waiting = 0;  // for the backup: updates of clients of ours
};

}  // namespace chp
