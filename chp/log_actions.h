#pragma once
// The actions, options and counters of a server's log. Plain data.

#include "chp/command.h"
#include "chp/error.h"
#include "chp/replica.h"
#include "chp/server_event.h"
#include "chp/server_options.h"
#include "chp/state_write.h"
#include "chp/truth.h"
#include "chp/witness_state.h"
#include "zmtp/duration_histogram.h"
#include "zmtp/message.h"
#include "zmtp/message_batch.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace chp {

// The outcome of an update of a Zinc client.
struct answer {
  std::uint64_t session = 0;
  std::uint64_t counter = 0;
  sequence number = 0;
  errc why{};  // errc{}: it was made; otherwise the reason of its refusal
  truth says = truth::one_server;
  bool is_unknown = false;  // the server has forgotten the session; the other members mean nothing
};

// The file of updates that a server takes out of its history: those above `common`. Read it with
// update_log::read_lost(). At its end, write it to the disk and call on_lost_written().
struct lost_updates {
  std::uint64_t dialogue = 0;  // the one that needs the file
  sequence common = 0;
  std::uint64_t epoch = 0;  // those of this server's last reign, for the name of the file
  std::uint64_t tag = 0;
  bool incomplete = false;  // older ones may be missing, because the log does not reach back
};

// The progress of update_log::read_lost(). A file is abandoned if its dialogue was lost: the server
// then takes nothing out of its history.
enum class lost_read : std::uint8_t { more, end, abandoned };

// The answer to update_log::acquire().
struct epoch_answer {
  bool is_granted = false;
  std::uint64_t known = 0;  // the latest epoch of the witness's record
};

// The shell carries them out in the order of the members and clears them.
struct log_actions {
  std::vector<state_write> write;  // to the store, in order; on_written() with each result
  zmtp::message_batch publish;     // to all subscribers
  std::vector<answer> answers;     // to the subscribers of these sessions, after `publish`
  std::vector<zmtp::message>
      to_peer;                      // over the dialogue; always queued, since a window bounds them
  bool stream_copy = false;         // call on_peer_writable() when the dialogue can take more
  bool close_peer = false;          // close the dialogue, and connect again while passive
  bool disconnect_clients = false;  // close the connections of Zinc's clients, which connect again
  bool step_down = false;           // this server must become passive and lets its peer take over
  bool renew_epoch = false;         // call become_active() with a new epoch
  std::optional<lost_updates> lost;
  std::optional<witness_state::attempt> attempt;  // on_witness() with its result
  std::optional<epoch_answer> epoch;
  std::vector<server_event> events;

  [[nodiscard]] bool empty() const noexcept {
    return write.empty() && publish.empty() && answers.empty() && to_peer.empty() && !stream_copy &&
           !close_peer && !disconnect_clients && !step_down && !renew_epoch && !lost && !attempt &&
           !epoch && events.empty();
  }
};

// The state message of the peer, without its data.
struct peer_claims {
  bool is_active = false;
  bool lacks_data = false;
  bool declines = false;
};

struct update_log_options {
  replica_options state{};
  form wire_format = form::kvmsg;
  bool is_paired = false;
  degraded_policy policy = degraded_policy::ack;
  bool has_witness = false;
  std::chrono::milliseconds witness_retry{250};  // after an attempt without an answer
  std::size_t window = 8 * 1024 * 1024;  // bytes of entries that the backup has not confirmed
  std::size_t piece = 64 * 1024;         // bytes of one message to the backup
  std::size_t waiting_bytes = 64 * 1024 * 1024;          // updates that a passive server keeps
  std::size_t directories = 1'000'000;                   // see server_options
  std::uint64_t epoch_reserve = std::uint64_t{1} << 20;  // see server_options
};

struct log_counters {
  std::uint64_t updates = 0;          // clients' updates, appended
  std::uint64_t replayed = 0;         // appended after they had waited at a passive server
  std::uint64_t repeated = 0;         // known already
  std::uint64_t deferred = 0;         // left with the client: not active, early, or too many
  std::uint64_t unknown = 0;          // their session was forgotten
  std::uint64_t expired = 0;          // expiries appended
  std::uint64_t followed = 0;         // passive: entries of the active server
  std::uint64_t waiting_dropped = 0;  // passive: at the limit
  std::uint64_t lost = 0;             // entries and rows in files of lost updates
  std::array<std::uint64_t, errc_count> refused{};  // updates and messages, by errc
  // From the turn that appended a client's update to its acknowledgement.
  zmtp::duration_histogram acknowledge_time;
};

}  // namespace chp
