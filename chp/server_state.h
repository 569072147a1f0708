#pragma once
// The decisions of a server of the map (12/CHP), alone or one of a pair: which messages go to the
// log, and which peers are notified. Pure. The shells around it are `server` and `replicated_server`.

#include "chp/announcement.h"
#include "chp/error.h"
#include "chp/guide_follower.h"
#include "chp/log_store.h"
#include "chp/map_access.h"
#include "chp/random_numbers.h"
#include "chp/server_actions.h"
#include "chp/server_options.h"
#include "chp/snapshot_streams.h"
#include "chp/subscriber_notices.h"
#include "chp/update_log.h"
#include "zmtp/message.h"
#include "zmtp/metadata.h"
#include "zmtp/peer.h"

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace chp {

// Each call appends actions, some of them at the end of the turn. `now` never decreases. No message
// of a peer is a precondition.
//
// The server starts passive. While it is active, its log accepts updates, and it answers snapshot
// requests and sends HUGZ. While it is passive, it follows the active server if there is a pair:
// over the dialogue of the two logs, or as a client does if the active server is not Zinc's.
class server_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = server_actions;

  enum class kind : std::uint8_t {
    alone,      // there is no other server
    paired,     // one of two
    witnessed,  // one of two that have a witness
  };

  // Returns an empty history for these options, into which a store loads what it has.
  [[nodiscard]] static std::unique_ptr<history> make_history(const server_options& options,
                                                             std::uint64_t random);

  // `random` has 64 random bits. `found` is what the store has. Without a store it is empty.
  // `discard` is the operator's decision after server_event::stopped.
  server_state(const server_options& options, kind as, std::uint64_t random,
               loaded_state found = {}, bool discard = false);
  server_state(const server_state&) = delete;
  server_state& operator=(const server_state&) = delete;

  // Takes the result of the oldest write without one.
  void on_written(boost::system::error_code ec, time_point now) { log_.on_written(ec, now); }
  // Returns false if the shell must read no more updates. Updates that were read are accepted.
  [[nodiscard]] bool has_room() const noexcept { return log_.has_room(); }

  // With a witness, before activate(). The log has the rules: see update_log.
  void acquire(std::uint64_t epoch) { log_.acquire(epoch); }
  void on_witness(boost::system::error_code ec, const membership& now_record, time_point now) {
    log_.on_witness(ec, now_record, now, from_log_);
  }
  void on_witness_changed(const membership& record) { log_.on_witness_changed(record); }

  // Alone: returns the epoch for activate(), at least `wanted`. With a store, except in kvsimple, it
  // is above that of the last entry, so that new updates differ from published ones that were not
  // yet on the disk.
  // Errors: sequence_too_large: no epoch is left.
  [[nodiscard]] boost::system::result<std::uint64_t, errc> next_epoch(std::uint64_t wanted) const;
  // Makes the server active. Numbers continue in this epoch if it is above that of the last number,
  // otherwise after the last number. An active server that gets a later epoch disconnects its
  // clients. 0: without epochs.
  void activate(std::uint64_t epoch, time_point now, actions& out);
  // The server was active and may no longer be: it accepts nothing until it is active again or
  // passive.
  void suspend(actions& out);
  // Makes the server passive.
  void deactivate(time_point now, actions& out);
  [[nodiscard]] bool active() const noexcept { return log_.is_active() && !log_.suspended(); }

  // Events of the publisher's peers. `user_id` is the peer's principal, for server_options::access.
  void on_subscriber_attached(zmtp::peer_id peer, const zmtp::metadata& metadata,
                              std::string_view user_id = {});
  void on_subscription(zmtp::peer_id peer, std::string_view topic, actions& out);
  void on_subscription_end(zmtp::peer_id peer, std::string_view topic, actions& out);
  void on_subscriber_detached(zmtp::peer_id peer) {
    notices_.detach(peer);
    access_.detach_subscriber(peer);
  }

  // Events of the snapshot port's peers.
  void on_snapshot_client_attached(zmtp::peer_id peer, const zmtp::metadata& metadata,
                                   std::string_view user_id = {});
  void on_snapshot_client_detached(zmtp::peer_id peer);
  // Returns whether the message is a snapshot request of a client, which is a vote in a pair.
  [[nodiscard]] bool is_vote(zmtp::peer_id peer, const zmtp::message& m) const;
  void on_snapshot_client_message(zmtp::peer_id peer, const zmtp::message& m, time_point now,
                                  actions& out);
  // The peer can take another piece of its snapshot, or of its copy.
  void on_writable(zmtp::peer_id peer, actions& out);

  // Takes a KVSET of the server's own, or without rules one of the collector.
  void on_update(const message_parts& m);
  // Takes a KVSET of the collector, from this principal.
  void on_client_update(const message_parts& m, std::string_view user_id);

  // Replaces server_options::access. Does nothing if the server has no rules from the start,
  // because its publisher then sends all subscribers what they want.
  void change_access(zmtp::access_rules rules, actions& out);

  // Events of the connection to the other server's snapshot port. `wall` is the time of day since
  // 1970.
  void on_source_attached(const zmtp::metadata& metadata, time_point now, actions& out);
  void on_source_detached();
  void on_source_message(const zmtp::message& m, time_point now, std::chrono::milliseconds wall,
                         actions& out);
  // Events of the connection to the publisher of a server that is not Zinc's.
  void on_feed_detached(actions& out) { guide_.on_feed_lost(out); }
  void on_publication(zmtp::message&& m, time_point now, actions& out);

  // Take the state of the other server, as its messages to the pair tell it.
  void on_peer_state(const peer_claims& of, sequence end) noexcept { log_.on_peer_state(of, end); }
  void on_peer_unresponsive() { log_.on_peer_unresponsive(from_log_); }

  // The file of server_actions::lost: see passive_role.
  [[nodiscard]] lost_read read_lost(const lost_updates& which, std::string& lines,
                                    std::size_t most) {
    return log_.read_lost(which, lines, most);
  }
  void on_lost_written(const lost_updates& which, boost::system::error_code ec) {
    log_.on_lost_written(which, ec, from_log_);
  }

  // Must be called at the end of each turn.
  void on_turn_end(time_point now, actions& out);
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // May be called early.
  void on_deadline(time_point now, actions& out);

  // Returns the current status, in a time that does not depend on the number of keys.
  [[nodiscard]] server_status status() const;
  [[nodiscard]] const store& map() const noexcept { return log_.state().past().map(); }
  [[nodiscard]] sequence number() const noexcept { return log_.state().end(); }
  // For bstar; see update_log.
  [[nodiscard]] bool lacks_data() const noexcept { return log_.lacks_data(); }
  [[nodiscard]] bool had_data(std::uint64_t epoch) const noexcept { return log_.had_data(epoch); }
  [[nodiscard]] bool declines() const noexcept { return log_.declines(); }

private:
  [[nodiscard]] bool paired() const noexcept { return kind_ != kind::alone; }
  void refuse(errc fault) noexcept { ++counters_.refused[static_cast<std::size_t>(fault)]; }
  [[nodiscard]] snapshot_streams::source source() noexcept {
    return {log_.past(), log_.counts(), access_.rules()};
  }
  void add_low(proposal& p) const;
  void propose(proposal&& p);
  [[nodiscard]] bool check_update(proposal& p, std::string_view user_id);
  void bound_past_entries(actions& out);
  void on_backup_message(zmtp::peer_id peer, const zmtp::message& m, time_point now, actions& out);
  void greet(time_point now);
  void follow_guide(const zmtp::message& m, time_point now, actions& out);
  void adopt(guide_follower::snapshot&& copy, time_point now, actions& out);
  void pass_on(actions& out);
  void insert_passed(actions& out);
  void pass_on_peer(actions& out);
  void watch_store(actions& out);

  const server_options options_;
  const kind kind_;
  random_numbers random_;
  update_log log_;
  log_actions from_log_;  // by the log in this turn
  map_access access_;
  snapshot_streams streams_;
  subscriber_notices notices_;
  sequence passed_ = 0;  // clients of an earlier version have the numbers up to here
  server_counters counters_;
  store_status stored_;
  std::optional<time_point> next_heartbeat_;
  bool used_up_ = false;
  time_point next_renewal_{};

  // Active: the backup that sent the last HELLO.
  std::optional<zmtp::peer_id> backup_;
  // Passive: the connection to the active server.
  enum class source_kind : std::uint8_t { none, zinc, guide };
  source_kind source_ = source_kind::none;
  std::optional<time_point> greet_at_;  // HELLO is repeated
  guide_follower guide_;
};

}  // namespace chp
