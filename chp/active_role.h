#pragma once
// The active server: it puts updates into the log, commits, publishes and answers them, and feeds
// its backup. Pure.

#include "chp/commit_tracker.h"
#include "chp/log_actions.h"
#include "chp/log_parts.h"
#include "chp/pair_messages.h"
#include "chp/proposal.h"
#include "chp/store.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace chp {

class active_role {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // Publishes the whole log, and begins a reign. It acknowledges nothing that is not committed.
  // Subscribers that stayed while the peer was active get what they have missed.
  active_role(log_parts& with, std::uint64_t epoch, std::uint64_t tag, time_point now);
  // Begins another reign, because the numbers of this one are nearly used up.
  void begin_reign(std::uint64_t epoch, std::uint64_t tag) { parts_.state.begin_reign(epoch, tag); }

  // The server becomes passive.
  void end(time_point now, log_actions& out);

  // The process was paused, and the peer may be active by now: nothing is accepted, dropped or
  // committed until resume().
  void suspend() noexcept { suspended_ = true; }
  void resume(log_actions& out) noexcept;
  [[nodiscard]] bool suspended() const noexcept { return suspended_; }

  void propose(const proposal& p, log_actions& out);

  void on(const hello& message, log_actions& out);
  void on(const confirmation& message);
  // The dialogue can take the next piece of a copy.
  void on_peer_writable(log_actions& out);
  // The connection of the backup is lost, or it is unresponsive for the expiry.
  void drop_backup(log_actions& out);

  // Erases expired keys.
  void on_deadline(time_point now);
  // A time in the past: the next turn has work to do.
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  void end_turn(time_point now, log_actions& out);

  // Returns whether no number is left.
  [[nodiscard]] bool is_used_up() const noexcept;
  [[nodiscard]] bool in_sync() const noexcept {
    return tracker_.in_sync() && (!parts_.witness || parts_.witness->has_backup());
  }
  // Returns whether clients see entries that the backup may not have.
  [[nodiscard]] bool degraded() const noexcept {
    return !in_sync() || parts_.state.both() < parts_.state.past().published();
  }
  // The store has failed, and the backup in sync gets the rest of the log.
  [[nodiscard]] bool hands_over() const noexcept {
    return in_sync() && parts_.state.store_failed();
  }

private:
  struct follower {
    std::uint64_t greeting;
    member_id member;
    bool has_store;
    entry_log::cursor sent;
    struct chunk {
      sequence last;
      std::size_t bytes;
    };
    std::deque<chunk> in_flight{};  // not confirmed
    std::size_t bytes = 0;
    std::optional<sequence> commit{};  // in the last ENTRIES
  };
  // A copy that is being sent.
  struct copy {
    store::snapshot map;
    std::size_t sessions_at = 0;
    bool has_sessions = false;
    std::uint64_t ids_at = 0;
  };

  void append(const proposal& p, errc why);
  [[nodiscard]] errc check(const proposal& p);
  [[nodiscard]] sequence begin_of_session(const proposal& p) const;
  // Outcomes of entries up to here can be answered.
  [[nodiscard]] sequence answered_up_to() const noexcept;
  [[nodiscard]] truth truth_of(sequence number) const noexcept;
  void answer_outcome(const update_id& id, const entry_outcome& of, log_actions& out) const;
  void answer_entry(const log_entry& e, log_actions& out) const;
  void answer_range(sequence from, sequence to, log_actions& out) const;
  // Returns the last entry that subscribers have, if they stayed while the peer was active.
  [[nodiscard]] sequence told() const noexcept {
    return told_ < inherited_ ? told_ : parts_.state.past().published();
  }
  [[nodiscard]] bool publish_missed(log_actions& out);
  void advance(time_point now, log_actions& out);
  void count_acknowledged(time_point now);
  void tell_upgraded(sequence to, log_actions& out);
  void feed(log_actions& out);
  void hand_over(log_actions& out);

  log_parts& parts_;
  time_point since_;
  bool suspended_ = false;
  bool handing_over_ = false;
  bool goes_on_ = false;  // the next turn commits more
  commit_tracker tracker_;
  std::optional<follower> follower_;
  std::optional<copy> copy_;
  // Updates of clients without an acknowledgement, by the turn that appended them.
  struct appended {
    sequence last;
    std::uint64_t count;
    time_point at;
  };
  std::deque<appended> not_acknowledged_;
  std::uint64_t updates_seen_;  // log_counters::updates at the last turn
  // The end of the log when this server became active. The peer may have had everything up to here,
  // because this server did not see it leave.
  sequence inherited_;
  sequence told_;  // up to inherited_; see told()
  sequence announced_both_ =
      0;  // answers up to here named both servers, as far as the log has the entries
};

}  // namespace chp
