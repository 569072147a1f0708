#pragma once
// Tracks how much of the active server's updates the backup has. Pure.

#include "chp/command.h"
#include "chp/sequence.h"
#include "zmtp/peer.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace chp {

// The progress of a backup. After a backup has applied its snapshot, it catches up, and updates
// wait for it. It is in sync when it also has the updates that were committed without it. A backup
// that disconnects, or does not report everything within `timeout`, is no longer in sync until it
// has everything again.
class backup_mark {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit backup_mark(std::chrono::milliseconds timeout) : timeout_{timeout} {}

  // The backup gets a snapshot of this number, with the refusals up to this notice. It replaces an
  // earlier backup.
  void on_snapshot(zmtp::peer_id backup, sequence number, std::uint64_t notices) {
    clear();
    backup_ = backup;
    wanted_ = number;
    notices_ = notices;
  }
  // `last` is the last update, `last_notice` the last notice.
  void on_report(zmtp::peer_id from, const position_report& said, sequence last,
                 std::uint64_t last_notice, time_point now) {
    const auto applied = said.applied;
    if (backup_ != from || applied < (awaited_ ? mark_ : wanted_) || applied > last ||
        said.notices > last_notice) {
      return;
    }
    if (!std::exchange(awaited_, true)) {
      wanted_ = last;
    }
    mark_ = applied;
    in_sync_ = applied >= wanted_;
    notices_ = std::max(notices_, said.notices);
    behind_since_ = applied < last || notices_ < last_notice ? std::optional{now} : std::nullopt;
  }
  void on_detached(zmtp::peer_id peer) {
    if (backup_ == peer) {
      clear();
    }
  }
  // Another update or notice exists.
  void on_update(time_point now) {
    if (awaited_ && !behind_since_) {
      behind_since_ = now;
    }
  }
  void on_deadline(sequence last, time_point now) {
    if (const auto due = next_deadline(); due && now >= *due) {
      in_sync_ = false;
      awaited_ = false;
      wanted_ = last;
      behind_since_.reset();
    }
  }
  void clear() {
    backup_.reset();
    in_sync_ = false;
    awaited_ = false;
    behind_since_.reset();
  }

  // The backup has everything that was committed.
  [[nodiscard]] bool in_sync() const noexcept { return in_sync_; }
  // The backup is or was in sync, or catches up. New updates are committed when it has them.
  [[nodiscard]] bool awaited() const noexcept { return awaited_; }
  // The backup has everything up to here.
  [[nodiscard]] sequence number() const noexcept { return mark_; }
  // The backup knows the refusals up to this notice.
  [[nodiscard]] std::uint64_t notices() const noexcept { return notices_; }
  // Sets what both servers have when this server becomes active.
  void begin(sequence number) noexcept {
    clear();
    mark_ = number;
  }
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept {
    return behind_since_ ? std::optional{*behind_since_ + timeout_} : std::nullopt;
  }

private:
  std::chrono::milliseconds timeout_;
  std::optional<zmtp::peer_id> backup_;
  sequence wanted_ = 0;
  sequence mark_ = 0;
  std::uint64_t notices_ = 0;
  bool in_sync_ = false;
  bool awaited_ = false;
  std::optional<time_point> behind_since_;
};

}  // namespace chp
