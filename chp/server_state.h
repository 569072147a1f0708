#pragma once
// The decisions of a server of the map (12/CHP), single or in a pair. Pure. The shells around it
// are `server` and `replicated_server`.

#include "chp/announcement.h"
#include "chp/backup_mark.h"
#include "chp/command.h"
#include "chp/deferred_sessions.h"
#include "chp/directory_counters.h"
#include "chp/map_database.h"
#include "chp/map_writer.h"
#include "chp/pair_record.h"
#include "chp/pending_updates.h"
#include "chp/reconciliation.h"
#include "chp/replication.h"
#include "chp/server_actions.h"
#include "chp/server_options.h"
#include "chp/session_acks.h"
#include "chp/settlement.h"
#include "chp/snapshot_streams.h"
#include "chp/store.h"
#include "chp/tombstones.h"
#include "chp/update_register.h"
#include "zmtp/message.h"
#include "zmtp/metadata.h"
#include "zmtp/peer.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace chp {

// Each call appends actions. `now` never decreases. No message of a peer is a precondition.
//
// The server starts passive. While it is active, it accepts updates: each one gets the next number,
// is published and applied. It also answers snapshot requests, sends HUGZ and erases expired keys.
// While it is passive, it stores the updates of clients, and follows the active server if there is
// a pair.
//
// With a store, committed updates are also on the disk. Published ones need not be.
class server_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = server_actions;

  enum class kind : std::uint8_t {
    alone,   // there is no other server: accepted updates are committed
    paired,  // one of two
  };

  // `random` has 64 random bits.
  server_state(const server_options& options, kind as, std::uint64_t random);
  server_state(const server_state&) = delete;
  server_state& operator=(const server_state&) = delete;

  // Loads the content of the store. Must be the first call, and made once. Times to live continue
  // with the time that was left when they were written.
  // Errors: too_many_keys, too_many_bytes, value_too_long, key_too_long, malformed_register. After
  // an error the object must not be used.
  [[nodiscard]] boost::system::error_code restore(const stored_map& found, time_point now);
  // Takes the result of the oldest write without one.
  void on_written(boost::system::error_code ec, time_point now, actions& out);
  // Returns false if too many bytes wait for the disk. The shell then stops reading from the
  // collector and the feed. Messages that were read are still accepted.
  [[nodiscard]] bool has_room() const noexcept;

  // Makes the server active. Numbers continue in this epoch if it is above that of the last number
  // (0: without epochs), otherwise after the last number. An active server that gets a new epoch
  // notifies its subscribers, and Zinc's clients request the snapshot again.
  void activate(std::uint64_t epoch, time_point now, actions& out);
  // The server was active and may no longer be: it accepts nothing, and stores the updates of
  // clients until it is active again or passive.
  void suspend(actions& out);
  // Makes the server passive. In a pair, it starts to follow the other server.
  void deactivate(time_point now, actions& out);
  [[nodiscard]] bool active() const noexcept { return active_; }

  // Events of the publisher's peers.
  void on_subscriber_attached(zmtp::peer_id peer, const zmtp::metadata& said);
  void on_subscription(zmtp::peer_id peer, std::string_view topic, actions& out);
  void on_subscriber_detached(zmtp::peer_id peer);
  // A message to the peer was not queued. Returns true if the peer needs it, and must be
  // disconnected.
  [[nodiscard]] bool on_not_told(zmtp::peer_id peer);

  // Events of the snapshot port's peers.
  void on_snapshot_client_attached(zmtp::peer_id peer, const zmtp::metadata& said);
  void on_snapshot_client_detached(zmtp::peer_id peer, actions& out);
  // Returns whether the message is a snapshot request of a client, which is a vote in a pair.
  [[nodiscard]] bool is_vote(zmtp::peer_id peer, const zmtp::message& m) const;
  void on_snapshot_client_message(zmtp::peer_id peer, const zmtp::message& m, time_point now,
                                  actions& out);
  // The peer can take another piece of its snapshot.
  void on_writable(zmtp::peer_id peer, time_point now, actions& out);

  // Takes a KVSET of the collector.
  void on_update(zmtp::message&& m, time_point now, actions& out);

  // Events of the connection to the other server's publisher.
  void on_feed_attached() { replication_.on_feed_attached(); }
  void on_feed_detached(actions& out) { replication_.on_feed_detached(out); }
  void on_publication(zmtp::message&& m, time_point now, actions& out);
  // Events of the connection to the other server's snapshot port. `wall` is the time of day since
  // 1970.
  void on_source_attached(const zmtp::metadata& said, time_point now, actions& out);
  void on_source_detached();
  void on_source_message(const zmtp::message& m, time_point now, std::chrono::milliseconds wall,
                         actions& out);
  // The requests and offers to the other server have been sent.
  void on_source_writable(time_point now, actions& out);

  // Must be called at the end of each turn: sends acknowledgements once for all messages of the
  // turn.
  void on_turn_end(time_point now, actions& out);
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // May be called early.
  void on_deadline(time_point now, actions& out);

  // Returns the current status, in a time that does not depend on the number of keys.
  [[nodiscard]] server_status status() const;
  [[nodiscard]] const store& map() const noexcept { return *map_; }
  [[nodiscard]] sequence number() const noexcept { return map_->number(); }

private:
  [[nodiscard]] bool paired() const noexcept { return kind_ == kind::paired; }
  [[nodiscard]] std::uint64_t next_random() noexcept;
  void refuse(errc fault) noexcept { ++counters_.refused[static_cast<std::size_t>(fault)]; }
  [[nodiscard]] std::optional<sequence> next_number(actions& out);
  void renew_epoch(time_point now, actions& out);
  // Returns when the key of the update expires, if the update came at `came`.
  [[nodiscard]] static std::optional<time_point> deadline_of(const update& u, time_point came);
  // Updates of clients must fit the limits. The other server of a pair has accepted its updates
  // within its own limits. They are taken up to twice the limits, because both servers may have
  // become full while they were apart.
  [[nodiscard]] store_limits limits_of_both() const noexcept { return options_.map.times(2); }
  [[nodiscard]] bool accept(const update& u, const update_id& id,
                            std::optional<time_point> deadline, time_point now, actions& out);
  void publish(const update& u, const update_id& id, sequence number, actions& out);
  void settle(const update_id& id, sequence number, time_point now);
  void acknowledge_again(const update_id& id);
  [[nodiscard]] bool puts_off(const update_id& id);
  [[nodiscard]] bool is_refused(const update_id& id) const;
  void turn_away(const update_id& id, errc why, time_point now, actions& out);
  // Returns whether new updates are acknowledged only when the backup has them.
  [[nodiscard]] bool waits_for_backup() const noexcept {
    return paired() && (backup_.awaited() || options_.degraded == degraded_policy::block);
  }
  // Returns whether new updates are acknowledged only when the backup or the disk has them.
  [[nodiscard]] bool is_told_later() const noexcept { return waits_for_backup() || kept_; }
  [[nodiscard]] bool is_superseded(std::string_view key, const update_id& id) const;

  void on_input(zmtp::peer_id peer, const snapshot_request& r, time_point now, actions& out);
  void on_input(zmtp::peer_id peer, const position_report& r, time_point now, actions& out);
  void on_input(zmtp::peer_id peer, const resubmission& r, time_point now, actions& out);
  void on_input(zmtp::peer_id peer, const register_piece& r, time_point now, actions& out);
  void on_input(zmtp::peer_id peer, const resubmission_end& r, time_point now, actions& out);
  [[nodiscard]] bool consider(const update& u, sequence base, std::optional<time_point> deadline,
                              time_point now, actions& out);
  void watch_backup(bool was_in_sync, actions& out);

  void follow(const zmtp::message& m, time_point now, actions& out);
  void follow_erasure(std::string_view key, const update_id& id, sequence number);
  void note_refusal(const heartbeat& said);
  void adopt(replication::snapshot&& taken, time_point now, actions& out);
  [[nodiscard]] bool offer(std::unique_ptr<store>& before, std::unique_ptr<update_register> applied,
                           const std::optional<replication::origin>& from);
  void end_offer(actions& out);
  void leave_offer();
  void end_offer_if_here(actions& out);
  void begin_settling(settlement&& what);
  void settle_some(std::size_t most);
  void settle_all();
  void replay(time_point now, actions& out);
  void reconcile(time_point now, actions& out);
  void expire(time_point now, actions& out);
  void report_position(actions& out);
  // With a store (server_kept.cc).
  void keep_set(const store::change& to, sequence number, time_point now);
  void keep_erasure(std::string_view key, const update_id& id, sequence number);
  void settle_by_later(const update_id& id);
  void write_whole(time_point now);
  void write_down(actions& out);
  void commit();
  [[nodiscard]] bool awaits_earlier(const update_id& id) const;
  void forget_erasures(sequence to);
  void answer_offers(actions& out);
  [[nodiscard]] bool may_tell() const noexcept;
  [[nodiscard]] bool may_number() const noexcept;
  [[nodiscard]] pair_record record() const;
  void forget_pending();
  void discard(std::unique_ptr<store> map);
  void dismantle();

  const server_options options_;
  const kind kind_;
  std::uint64_t random_;
  bool active_ = false;
  bool suspended_ = false;
  bool used_up_ = false;
  time_point next_renewal_{};
  server_counters counters_;

  std::unique_ptr<store> map_;
  std::unique_ptr<update_register> applied_;
  directory_counters counts_;
  snapshot_streams streams_;
  std::unordered_map<zmtp::peer_id, announcement> subscribers_;
  session_acks acks_;
  deferred_sessions deferred_;
  std::optional<time_point> next_heartbeat_;
  time_point expire_from_{};
  // Incremental work that is not finished:
  bool tidying_ = false;              // past entries that no snapshot needs
  bool committing_ = false;           // committed updates without an acknowledgement
  bool forgetting_erasures_ = false;  // erasures that the backup has
  bool forgetting_pending_ = false;   // updates of clients that may be in the copied map
  std::string properties_;            // properties of a publication; kept to reuse the memory

  // State of a pair.
  backup_mark backup_;
  std::uint64_t notices_ = 0;        // number of refusal notices to the backup and the disk
  std::uint64_t notices_heard_ = 0;  // last notice of the active server since its snapshot
  std::uint64_t notices_reported_ = 0;
  tombstones erased_;
  pending_updates pending_;
  replication replication_;
  reconciliation offered_;
  settlement settling_;  // with the offer, when all of it has been processed
  std::optional<zmtp::peer_id>
      offering_peer_;                  // the server that offers, while this server is active
  settlement offered_with_;            // settled with that offer
  bool offering_ = false;              // on the current connection
  std::optional<sequence> looked_at_;  // the map has the results of the offer from here on
  bool reconciling_ = false;           // processes its own offer, because it is active again
  sequence reported_ = 0;              // to the active server
  std::uint64_t own_epoch_ = 0;        // the epoch in which it was active last
  sequence common_ = 0;  // it had the other server's updates up to here when it became active
  sequence own_ = 0;     // above this, all epochs up to own_epoch_ are its own
  std::optional<sequence> begun_;  // start of this history; absent before there is one
  bool is_diverged_ = false;       // was active since it last had the same as the other server
  std::vector<std::unique_ptr<store>> discarded_;

  // With a store.
  struct offer_end {
    zmtp::peer_id from;
    std::uint64_t count;
    sequence number;  // the results of the offer are up to here
  };
  std::optional<map_writer> kept_;
  sequence told_from_ = 0;  // acknowledgements wait until this is on the disk
  std::vector<offer_end> offer_ends_;
};

}  // namespace chp
