#pragma once
// The actions, counters and status of a server. Plain data.

#include "chp/error.h"
#include "chp/log_actions.h"
#include "chp/map_access.h"
#include "chp/sequence.h"
#include "chp/server_event.h"
#include "chp/state_write.h"
#include "chp/store_status.h"
#include "zmtp/duration_histogram.h"
#include "zmtp/message.h"
#include "zmtp/message_batch.h"
#include "zmtp/peer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace chp {

// Actions of a server. server_state appends to them. The shell carries them out in the order of the
// members and clears them. They are reused, so that a running server allocates nothing here.
struct server_actions {
  struct addressed {
    zmtp::peer_id to;
    zmtp::message content;
  };
  // Writes to the store, in order. Call on_written() with the result of each one.
  std::vector<state_write> write;
  std::vector<map_access::subscription> subscriptions;  // with server_options::access
  zmtp::message_batch publish;                          // to all subscribers of the key
  // To one subscriber each, directly behind the first `behind` messages of `publish`; in ascending
  // order. Where the publisher has no room, they may be dropped.
  struct insertion {
    std::size_t behind;
    addressed what;
  };
  std::vector<insertion> insert;
  std::vector<addressed> tell;   // to one subscriber, after `publish`
  std::vector<addressed> reply;  // on the snapshot port
  std::vector<zmtp::peer_id>
      close_snapshot_clients;  // close these connections to the snapshot port
  std::vector<zmtp::peer_id> close_subscribers;
  std::vector<zmtp::peer_id> stream;  // call on_writable() when this peer can take more
  bool reconnect_source = false;    // open another connection to the active server's snapshot port
  std::optional<bool> follow_feed;  // connect to the active server's publisher, or disconnect
  std::vector<zmtp::message> ask;   // over that connection
  std::optional<lost_updates>
      lost;                  // write the file of lost updates; see server_state::read_lost()
  bool step_down = false;    // become passive, and let the other server take over
  bool renew_epoch = false;  // call activate() with the next epoch: this one is almost used up
  std::optional<witness_state::attempt> attempt;  // ask the witness; on_witness() with the result
  std::optional<epoch_answer> epoch;              // the answer to acquire()
  std::vector<server_event> events;
  std::vector<access_refusal> refusals;  // to report
};

// Counters of a server since its start, beside those of its log.
struct server_counters {
  log_counters log;
  std::uint64_t snapshots = 0;                      // sent completely
  std::uint64_t slow_snapshots = 0;                 // ended; see server_options::map
  std::uint64_t heartbeats = 0;                     // HUGZ messages
  std::uint64_t ignored_requests = 0;               // ICANHAZ? while passive or above the limit
  std::uint64_t ignored_messages = 0;               // Zinc's extensions from other peers
  std::uint64_t gaps = 0;                           // beside a server of the Guide: detected gaps
  std::array<std::uint64_t, errc_count> refused{};  // messages, by errc
  access_counters forbidden{};                      // by server_options::access
};

// Status of a server.
struct server_status {
  server_counters counters;
  bool active = false;
  bool backup_in_sync = false;
  bool degraded = false;   // active, of a pair: clients see updates that the other may not have
  bool following = false;  // passive: it has what the active server has
  bool stopped = false;    // see server_event::stopped
  sequence number = 0;     // the last entry of the log
  sequence committed = 0;  // entries up to here are committed
  sequence both = 0;       // in a pair, both servers have the entries up to here
  store_status stored = store_status::nothing;
  sequence durable = 0;  // the disk has the entries up to here
  std::size_t keys = 0;
  std::size_t bytes = 0;
  std::size_t log_entries = 0;
  std::size_t log_bytes = 0;  // memory of the log
  std::size_t sessions = 0;   // those of Zinc's clients
  std::size_t subscribers = 0;
  std::size_t snapshot_clients = 0;      // connections to the snapshot port
  std::size_t snapshots = 0;             // in progress
  std::size_t waiting = 0;               // passive: see server_options::waiting_bytes
  member_id member = 0;                  // this incarnation, for a witness
  zmtp::duration_histogram sync_time{};  // see log_store::sync_times()
};

}  // namespace chp
