#pragma once
// The decisions of a server of the map (12/CHP), alone or one of a pair. Pure; the shells around it are
// `server` and `replicated_server`.

#include "chp/announcement.h"
#include "chp/backup_mark.h"
#include "chp/command.h"
#include "chp/directory_counters.h"
#include "chp/map_store.h"
#include "chp/map_writer.h"
#include "chp/pair_record.h"
#include "chp/pending_updates.h"
#include "chp/put_off_sessions.h"
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
#include "zmtp/routing/peer_id.h"

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

// Each call appends to the actions what it wants done. `now` never decreases. Nothing a peer sends is a
// precondition.
//
// It begins passive. While it is active it accepts updates, each of which gets the next number, is
// published and applied; it answers who asks for a snapshot, says HUGZ and erases what is due. While it is
// passive it keeps what clients send, follows the active server if there is a pair, and otherwise does
// nothing.
//
// With a store what is committed is also on the disk. What is published need not be.
class server_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = server_actions;

  enum class kind : std::uint8_t {
    alone,   // there is no other server: what it has accepted is committed
    paired,  // one of two
  };

  // `random` are 64 random bits.
  server_state(const server_options& options, kind as, std::uint64_t random);
  server_state(const server_state&) = delete;
  server_state& operator=(const server_state&) = delete;

  // There is a store, which holds this. Once, before anything else. What has a time to live lives from now
  // on as long as it had to when it was written.
  // Errors: too_many_keys, too_many_octets, value_too_long, key_too_long; malformed_register. Then it is not
  // to be used.
  [[nodiscard]] boost::system::error_code restore(const kept_map& found, time_point now);
  // The result of the first write that has had none.
  void on_written(boost::system::error_code ec, time_point now, actions& out);
  // False: too much waits for the disk. What comes from the collector and the feed is to be left where it is
  // until there is room; what is there already is taken.
  [[nodiscard]] bool has_room() const noexcept;

  // It is the active one from now on; numbers go on in this epoch, if it is above that of the last one
  // (0: without epochs), otherwise behind the last one. Likewise when it is active already: its subscribers see
  // that another epoch begins, and those of ours ask for the snapshot again.
  void activate(std::uint64_t epoch, time_point now, actions& out);
  // It was active, and does not know whether it still is: it accepts nothing, and keeps what clients send,
  // until it is active again or passive.
  void suspend(actions& out);
  // It is passive. Of a pair: it begins to follow the other one.
  void deactivate(time_point now, actions& out);
  [[nodiscard]] bool active() const noexcept { return active_; }

  // The publisher's peers.
  void on_subscriber_attached(zmtp::peer_id peer, const zmtp::metadata& said);
  void on_subscription(zmtp::peer_id peer, std::string_view topic, actions& out);
  void on_subscriber_detached(zmtp::peer_id peer);
  // What was to be told it was not queued.
  // True if it cannot do without, and is to be disconnected.
  [[nodiscard]] bool on_not_told(zmtp::peer_id peer);

  // The snapshot port's peers.
  void on_asker_attached(zmtp::peer_id peer, const zmtp::metadata& said);
  void on_asker_detached(zmtp::peer_id peer, actions& out);
  // Whether a client asks for a snapshot, so that one of a pair may become active by it.
  [[nodiscard]] bool is_vote(zmtp::peer_id peer, const zmtp::message& m) const;
  void on_asker_message(zmtp::peer_id peer, const zmtp::message& m, time_point now, actions& out);
  // It has room for another piece of what it asked for.
  void on_writable(zmtp::peer_id peer, time_point now, actions& out);

  // KVSET, from the collector.
  void on_update(zmtp::message&& m, time_point now, actions& out);

  // The connections to the other server of a pair: its publisher …
  void on_feed_attached() { replication_.on_feed_attached(); }
  void on_feed_detached(actions& out) { replication_.on_feed_detached(out); }
  void on_publication(zmtp::message&& m, time_point now, actions& out);
  // … and its snapshot port. `wall` is the time of day since 1970.
  void on_source_attached(const zmtp::metadata& said, time_point now, actions& out);
  void on_source_detached();
  void on_source_message(const zmtp::message& m, time_point now, std::chrono::milliseconds wall,
                         actions& out);
  // What was asked of it has been sent.
  void on_source_writable(time_point now, actions& out);

  // To be called at the end of each turn: what is told once for all that came in it.
  void on_turn_end(time_point now, actions& out);
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // May be called early.
  void on_deadline(time_point now, actions& out);

  // What holds now; how long what it describes takes does not depend on how many keys there are.
  [[nodiscard]] server_status status() const;
  [[nodiscard]] const store& map() const noexcept { return *map_; }
  [[nodiscard]] sequence number() const noexcept { return map_->number(); }

private:
  [[nodiscard]] bool paired() const noexcept { return kind_ == kind::paired; }
  [[nodiscard]] std::uint64_t next_random() noexcept;
  void refuse(errc fault) noexcept { ++counters_.refused[static_cast<std::size_t>(fault)]; }
  [[nodiscard]] std::optional<sequence> next_number(actions& out);
  void renew_epoch(time_point now, actions& out);
  // When what the update sets is to go, if it came then.
  [[nodiscard]] static std::optional<time_point> deadline_of(const update& u, time_point came);
  // What clients send has room up to the limits. What one of a pair has accepted has had it there, and is taken by
  // the other one, which may have been full as well while they were apart, but not twice.
  [[nodiscard]] store_limits limits_of_both() const noexcept { return options_.map.times(2); }
  [[nodiscard]] bool accept(const update& u, const update_id& id,
                            std::optional<time_point> deadline, time_point now, actions& out);
  void publish(const update& u, const update_id& id, sequence number, actions& out);
  void settle(const update_id& id, sequence number, time_point now);
  void acknowledge_again(const update_id& id);
  [[nodiscard]] bool puts_off(const update_id& id);
  [[nodiscard]] bool is_refused(const update_id& id) const;
  void turn_away(const update_id& id, errc why, time_point now, actions& out);
  // Whether what is done now is told when the backup has it.
  [[nodiscard]] bool waits_for_backup() const noexcept {
    return paired() && (backup_.awaited() || options_.degraded == degraded_policy::block);
  }
  // … or the disk.
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
  put_off_sessions put_off_;
  std::optional<time_point> next_heartbeat_;
  time_point expire_from_{};
  // What is done bit by bit, and is not at its end: there are left
  bool tidying_ = false;              // past entries that no snapshot needs,
  bool committing_ = false;           // updates that are committed and wait to be told of,
  bool forgetting_erasures_ = false;  // erasures that the backup has,
  bool forgetting_pending_ = false;   // updates of clients that may be in the map that was copied
  std::string properties_;            // of what is published, to be used again

  // Of a pair.
  backup_mark backup_;
  std::uint64_t notices_ = 0;        // of refusals, to the backup and the disk
  std::uint64_t notices_heard_ = 0;  // of the active server, since its snapshot
  std::uint64_t notices_reported_ = 0;
  tombstones erased_;
  pending_updates pending_;
  replication replication_;
  reconciliation offered_;
  settlement settling_;  // with what was offered, when all of it has been looked at
  std::optional<zmtp::peer_id> offering_peer_;  // who offers, while this server is active
  settlement offered_with_;                     // … and what is settled then
  bool offering_ = false;                       // on the connection that there is
  std::optional<sequence> looked_at_;  // and what was made of it is in the map from there on
  bool reconciling_ = false;           // by itself, since it is active again
  sequence reported_ = 0;              // to the active server
  std::uint64_t own_epoch_ = 0;        // in which it was active last
  sequence common_ = 0;  // up to which it had the other one's updates when it became active
  sequence own_ = 0;     // above which all epochs up to that one are its own
  std::optional<sequence> begun_;  // this history; none before there is one
  bool is_diverged_ = false;       // it was active since it last had what the other one has
  std::vector<std::unique_ptr<store>> discarded_;

  // With a store.
  struct offer_end {
    zmtp::peer_id from;
    std::uint64_t count;
    sequence number;  // what was accepted of the offer is up to here
  };
  std::optional<map_writer> kept_;
  sequence told_from_ = 0;  // no client is told anything before this is on the disk
  std::vector<offer_end> offer_ends_;
};

}  // namespace chp
