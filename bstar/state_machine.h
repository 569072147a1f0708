#pragma once
// Decides which node of a Binary Star pair is active: the Guide's state machine, with epochs. Pure.
// The shell around it is `node`.

#include "bstar/options.h"
#include "bstar/state_message.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace bstar {

// The state of a node.
enum class state : std::uint8_t {
  primary,    // new primary; waits for the backup
  backup,     // new backup; waits for the primary
  active,     // serves requests
  passive,    // ready to take over
  suspended,  // was active, then paused; the peer may have taken over, so this node rejects requests
};

// Why a node becomes passive.
enum class passive_reason : std::uint8_t {
  peer_active,  // a new or suspended node met an active peer
  superseded,   // the peer knows a later epoch
  yielded,      // both were active without epochs of the peer, and this node is the backup
  handed_over,  // see hand_over()
};

// Events for the log.
enum class event : std::uint8_t {
  same_role,         // both nodes are primaries, or both are backups
  dual_active,       // the peer was active too
  dual_passive,      // the peer was passive too
  suspended,         // see state::suspended
  resumed,           // active again
  epochs_exhausted,  // no epoch is left to become active with
  epoch_unproven,  // the peer's epoch is far above the known ones, so this node does not take over
  data_lost,  // the peer is unresponsive, and this node does not take over; see set_data_lost()
  peer_unresponsive,  // no message of the peer for the expiry
};

// Actions of the machine. state_machine appends to them. The shell carries them out in the order of
// the members and clears them.
struct machine_actions {
  // Store this epoch, which replaces an earlier one, then call on_persisted() or
  // on_not_persisted().
  std::optional<epoch> persist;
  // At most one of the two is set. An active node becomes active again, with a later epoch and
  // without becoming passive, if its peer may have taken over or its epoch is used up.
  std::optional<epoch> became_active;
  std::optional<passive_reason> became_passive;
  bool publish = false;  // send report() to the peer
  std::vector<event> events;

  void clear() noexcept {
    persist.reset();
    became_active.reset();
    became_passive.reset();
    publish = false;
    events.clear();
  }
};

// The Guide's table (protocols of bstar.c), with these changes:
// - No two nodes are active in one epoch. A node stores an epoch before it becomes active with it.
// - An active node that learns of a later epoch becomes passive. If two active nodes meet, this is
//   the one with the earlier epoch. If an active peer has no epochs, the backup becomes passive and
//   the primary stays active.
// - If two Zinc nodes are not active, the one with the newer data becomes active: a node that has
//   lost data comes last, then the position decides, then the epoch. If the data are equal, the
//   Guide's table decides, and of two passive nodes the primary becomes active. A peer without
//   epochs has no data to compare. The Guide's table then applies, and of two passive nodes the
//   Zinc node becomes active.
// - This requires that a Zinc peer has recently received a message of this node. So an old message,
//   sent before a pause or by an earlier run of the peer, makes no node active.
// - A node that was paused, and has not sent its state for almost the expiry, does not know whether
//   its peer has taken over. If it was active, it is suspended until a peer that is not active has
//   received a new message, or until the peer has been unresponsive for an expiry since the pause.
//   In the second case it takes over like a passive node.
// - A peer counts as unresponsive only after two checks: a quarter of a heartbeat before the end of
//   the expiry, and at its end. So a node that was paused for a short time reads pending messages
//   first. After a longer pause, the expiry starts again.
// - A node that knows that it has lost its data does not take over, in either role, because its
//   unreachable peer may have the data. The node waits like a single backup, until it has the data
//   again or meets a peer without newer data.
// - An epoch of the peer that is more than max_epoch_step above the highest known one is unproven: the
//   node neither stores it nor takes a later one, so that one forged or damaged message cannot use up
//   the epochs. The rest of the message counts. The node does not become active, because its own
//   next epoch might be earlier, until the peer reports another epoch or on_data_of() shows this
//   one. A node that knows no epoch takes any.
// - A node that declines does not become active. Its peer becomes active instead, unless the peer has
//   lost data that this node has, or both have lost data and the peer has less of them.
//
// A regular value, so that a model checker can store many of them.
class state_machine {
public:
  static constexpr epoch max_epoch_step = 1'000;

  using time_point = std::chrono::steady_clock::time_point;
  using actions = machine_actions;

  // `persisted` is the last stored epoch, or 0. `random` separates the ticks of this run from those
  // of earlier runs, which the peer may still report. The options must be valid.
  state_machine(const pair_options& options, epoch persisted, std::uint32_t random, time_point now);

  // Takes a report of the peer.
  void on_peer(const peer_report& report, time_point now, actions& out);
  // Takes a client's request. Returns true if the node must serve it. If false, drop it unless
  // serving() is true after the actions are carried out.
  [[nodiscard]] bool on_client_request(time_point now, actions& out);
  // May be called early.
  void on_deadline(time_point now, actions& out);
  [[nodiscard]] time_point next_deadline() const noexcept;

  // The results of actions::persist, possibly later. If storing took as long as the expiry, the
  // promotion is dropped until there is a new reason.
  void on_persisted(epoch which, time_point now, actions& out);
  void on_not_persisted(time_point now) noexcept;
  // Returns whether this node becomes active with this epoch as soon as the epoch is stored.
  [[nodiscard]] bool awaits(epoch which) const noexcept {
    return promotion_ && promotion_->to == which;
  }

  // Takes a new epoch of this node, because an active node has almost used up its current one. Does
  // nothing if the node is not active, or if an epoch could not be stored within the last
  // heartbeat.
  void renew_epoch(time_point now, actions& out);

  // Sets the position of this node's data. The node with the greater position has the newer data.
  // Positions must be comparable across epochs, like a sequence number with the epoch in its high
  // bits.
  void set_position(std::uint64_t position) noexcept { position_ = position; }

  // Sets whether the data of an earlier run of this node are lost. A node without data becomes
  // active only if a peer that is not active has no newer data, or after promote_alone_after if it
  // has received no message from its peer. It does not become active by a request or an
  // unresponsive peer. The flag is reset when the node becomes active. Reset it when the node has
  // copied the peer's data.
  void set_data_lost(bool lost) noexcept { data_lost_ = lost; }
  [[nodiscard]] bool data_lost() const noexcept { return data_lost_; }

  // Sets whether this node declines to become active, because it could not serve.
  void set_declines(bool declines) noexcept { declines_ = declines; }
  // Makes an active node passive, so that its peer becomes active. Call set_declines(true) before,
  // and only if the peer is a Zinc node.
  void hand_over(time_point now, actions& out);

  // Sets the epoch of this node's data, so that its next epoch is later even if the peer has not
  // reported that epoch. The epoch is known from then on, however high it is.
  void on_data_of(epoch of) noexcept { seen_ = of > seen_ && of <= max_epoch ? of : seen_; }

  [[nodiscard]] state current() const noexcept { return state_; }
  [[nodiscard]] bool serving() const noexcept { return state_ == state::active; }
  // Returns its own epoch if active or suspended, otherwise the epoch of the last active node it
  // followed.
  [[nodiscard]] epoch current_epoch() const noexcept { return epoch_; }
  // Returns the state for the peer. The report changes when a publication is requested, and with
  // the position.
  [[nodiscard]] peer_report report() const noexcept;
  // Returns the peer's last report, or nothing before the first one.
  [[nodiscard]] const std::optional<peer_report>& peer() const noexcept { return peer_; }
  // Returns whether a report arrived within the expiry, which starts again after a pause.
  [[nodiscard]] bool peer_alive(time_point now) const noexcept {
    return peer_ && now < silent_since_ + options_.expiry_or_default();
  }

  friend bool operator==(const state_machine& a, const state_machine& b) noexcept;
  friend std::size_t hash_value(const state_machine& of) noexcept;

private:
  struct promotion {
    epoch to;
    time_point asked_at;
    friend bool operator==(const promotion&, const promotion&) = default;
  };

  void look(time_point now, actions& out);
  void look_for_peer(time_point now) noexcept;
  void publish(time_point now, actions& out) noexcept;
  [[nodiscard]] bool is_fresh(const peer_report& report, time_point now) const noexcept;
  [[nodiscard]] bool newer_than(const peer_report& peer) const noexcept;
  [[nodiscard]] bool is_unproven(const peer_report& peer) const noexcept;
  [[nodiscard]] bool may_replace(const peer_report& peer) const noexcept;
  [[nodiscard]] time_point promote_at() const noexcept;
  [[nodiscard]] time_point look_at() const noexcept;
  [[nodiscard]] std::chrono::nanoseconds margin() const noexcept {
    return std::chrono::nanoseconds{options_.heartbeat} / 4;
  }
  void hear_active(const peer_report& report, time_point now, actions& out);
  void hear_inactive(const peer_report& report, bool fresh, time_point now, actions& out);
  void promote(time_point now, actions& out);
  void become_active(epoch with, time_point now, actions& out);
  void become_passive(passive_reason why, time_point now, actions& out);
  void follow(epoch of, actions& out);
  void tell(event what, actions& out);

  pair_options options_;
  state state_;
  epoch epoch_;
  epoch seen_;       // the latest epoch that is known, except unproven ones
  epoch persisted_;  // or a later one
  std::uint64_t position_ = 0;
  bool data_lost_ = false;
  bool declines_ = false;
  std::uint64_t tick_;          // number of the last publication
  std::uint64_t fresh_from_;    // the first tick since the last pause
  std::uint64_t received_ = 0;  // the peer's last tick
  std::optional<peer_report> peer_;
  std::optional<promotion> promotion_;  // waits until its epoch is stored
  std::optional<event> notified_;       // the last state event of the peer, which is not repeated
  bool answered_ = false;  // answered a report that was not fresh, since the last heartbeat
  time_point started_at_;
  time_point awake_at_;  // time of the last publication, or when the last pause was detected
  time_point publish_at_;
  time_point retry_at_;      // no attempt to store an epoch before
  time_point settled_at_;    // messages that arrive later were not pending during the last pause
  time_point silent_since_;  // time of the peer's last report, or of a new countdown
  std::optional<time_point>
      doubted_at_;          // time of the first check that found the peer unresponsive
  bool silent_ = false;     // the second check confirmed it
  bool lack_told_ = false;  // event::data_lost was reported for this silence
};

}  // namespace bstar
