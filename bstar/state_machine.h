#pragma once
// Decides which node of a Binary Star pair is active: the Guide's state machine, with epochs. Pure; the
// shell around it is `node`.

#include "bstar/options.h"
#include "bstar/state_message.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace bstar {

enum class state : std::uint8_t {
  primary,    // waits for the backup
  backup,     // waits for the primary
  active,     // serves
  passive,    // stands by
  suspended,  // was active, and stood still for so long that the peer may be by now: serves nobody
};

// Why a node is not active any more, or does not become so.
enum class passive_reason : std::uint8_t {
  peer_active,  // a node that waited, or stood still, met an active peer
  superseded,   // the peer knows of a later epoch than ours
  yielded,      // both were active, the peer says no epoch, and we are the backup
};

// What people should hear of.
enum class event : std::uint8_t {
  same_role,         // both nodes are primaries, or both are backups
  dual_active,       // the peer was active too
  dual_passive,      // the peer was passive too
  suspended,         // see state::suspended
  resumed,           // active again
  epochs_exhausted,  // there is no epoch left to become active with
  data_lost,         // the peer is silent, and its place is not taken: see set_data_lost()
};

// Appended to by the machine, carried out and cleared by the shell, in the order of the members.
struct machine_actions {
  // To be made to outlive a crash, instead of an earlier one; then on_persisted() or on_not_persisted()
  // is told of it.
  std::optional<epoch> persist;
  // At most one of the two. An active that resumes after the peer may have taken over, or whose epoch is used
  // up, becomes active anew, with a later epoch and without having been passive.
  std::optional<epoch> became_active;
  std::optional<passive_reason> became_passive;
  bool publish = false;  // tell the peer report()
  std::vector<event> events;

  void clear() noexcept {
    persist.reset();
    became_active.reset();
    became_passive.reset();
    publish = false;
    events.clear();
  }
};

// The Guide's table (protocols of bstar.c), but for what follows.
// - No two nodes are active in one epoch, and an epoch is used only once it is persisted.
// - Whoever is active and hears of a later epoch gives way; of two actives, that is the one of the
//   earlier epoch. To an active without epochs the backup gives way, and the primary does not.
// - Of two nodes of this project that are not active the one with the newer data becomes active: by
//   position, then by epoch. What is equal is decided by the table, and between two passives for the
//   primary. A peer without epochs has no data to compare: the table, and of two passives it is we.
// - For that a peer of this project must have heard us lately: an old message, left over from before a
//   standstill or another life of the peer, makes nobody active.
// - Who has not told its state for almost the expiry, because it stood still, cannot know whether the peer
//   has taken over meanwhile. An active is suspended then: until a peer that is not active has heard it
//   since, or until the peer has been silent for an expiry since, like a passive.
// - A peer is silent only if we have looked: a quarter of a heartbeat before the expiry is over, and then.
//   Who stood still looks twice again, so that what has waited is read first.
// - A node that knows that it has lost its data takes nobody's place, whatever its role: its peer may have
//   them, and cannot be heard. It waits as a backup does that is alone, until it has them again or meets a
//   peer that has no newer ones.
//
// A regular value, so that a checker can hold many of them.
class state_machine {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = machine_actions;

  // `persisted`: the epoch last persisted, 0 if none. `random` makes ticks that a peer heard of an earlier
  // life of this node not count. The options are valid.
  state_machine(const pair_options& options, epoch persisted, std::uint32_t random, time_point now);

  // The peer's report has come.
  void on_peer(const peer_report& report, time_point now, actions& out);
  // A client asks for something. True: serve it. False: drop it, unless serving() once the actions are
  // carried out.
  [[nodiscard]] bool on_client_request(time_point now, actions& out);
  // May come early.
  void on_deadline(time_point now, actions& out);
  [[nodiscard]] time_point next_deadline() const noexcept;

  // The answer to actions::persist, perhaps later. If it took as long as the expiry, what it was for is
  // given up, until there is another reason.
  void on_persisted(epoch which, time_point now, actions& out);
  void on_not_persisted(time_point now) noexcept;

  // An active one has used up its epoch, or nearly so: it becomes active anew, in the next of its own. Nothing
  // happens if it is not active, or one could not be persisted a moment ago.
  void renew_epoch(time_point now, actions& out);

  // How far the data of this node are: of two nodes the one with the greater position has the newer
  // data. Comparable across epochs, as a sequence number with the epoch in its high bits is.
  void set_position(std::uint64_t position) noexcept { position_ = position; }

  // The data that this node had before it was started are gone. It becomes active if a peer that is not
  // lets it, which then has none that are newer, or after promote_alone_after if it has heard nobody;
  // by no request and no silence. Until it is active, or this is taken back, because it has its peer's.
  void set_data_lost(bool lost) noexcept { data_lost_ = lost; }
  [[nodiscard]] bool data_lost() const noexcept { return data_lost_; }

  // The data of this node are of this epoch, of which the peer has not spoken perhaps: its next one is later.
  void on_data_of(epoch of) noexcept { seen_ = of > seen_ && of <= max_epoch ? of : seen_; }

  [[nodiscard]] state current() const noexcept { return state_; }
  [[nodiscard]] bool serving() const noexcept { return state_ == state::active; }
  // Its own if active or suspended, else that of the last active it followed.
  [[nodiscard]] epoch current_epoch() const noexcept { return epoch_; }
  // What the peer is to be told. Changes when a publication is asked for, and with the position.
  [[nodiscard]] peer_report report() const noexcept;
  // What the peer said last; none until it has been heard.
  [[nodiscard]] const std::optional<peer_report>& peer() const noexcept { return peer_; }
  // It has been heard within the expiry.
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
  epoch seen_;       // the latest that the peer has spoken of
  epoch persisted_;  // or later
  std::uint64_t position_ = 0;
  bool data_lost_ = false;
  std::uint64_t tick_;        // of the last publication
  std::uint64_t fresh_from_;  // the first tick since the last standstill
  std::uint64_t heard_ = 0;   // the peer's last tick
  std::optional<peer_report> peer_;
  std::optional<promotion> promotion_;  // waits for its epoch to be persisted
  std::optional<event> told_;  // of the peer's state, so that it is not told again and again
  bool answered_ = false;      // a report that was not fresh, since the last heartbeat
  time_point started_at_;
  time_point awake_at_;  // when it last told its state, or found out that it had stood still
  time_point publish_at_;
  time_point retry_at_;      // what could not be persisted is not tried before
  time_point settled_at_;    // what comes later has not waited since the last standstill
  time_point silent_since_;  // when the peer was heard last, or the count of its silence began anew
  std::optional<time_point> doubted_at_;  // the first of two looks that found it silent for long
  bool silent_ = false;                   // the second, too
  bool lack_told_ = false;                // of that it does not take the peer's place then
};

}  // namespace bstar
