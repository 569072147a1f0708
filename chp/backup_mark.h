#pragma once
// Up to where the backup has what the active server has accepted. Pure.

#include "chp/sequence.h"
#include "zmtp/routing/peer_id.h"

#include <chrono>
#include <optional>

namespace chp {

// A backup is in sync when it has applied the snapshot that it was sent. It is not any more when it goes,
// or has not reported that it has everything for `timeout`; then not until it has all of what there was.
class backup_mark {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit backup_mark(std::chrono::milliseconds timeout) : timeout_{timeout} {}

  // It is sent a snapshot of this number; it takes the place of another one.
  void on_snapshot(zmtp::peer_id backup, sequence number) {
    backup_ = backup;
    wanted_ = number;
    in_sync_ = false;
    behind_since_.reset();
  }
  // `last` is the last update that there is.
  void on_report(zmtp::peer_id from, sequence applied, sequence last, time_point now) {
    if (backup_ != from || applied < wanted_ || applied > last) {
      return;
    }
    in_sync_ = true;
    mark_ = applied;
    wanted_ = applied;
    behind_since_ = applied < last ? std::optional{now} : std::nullopt;
  }
  void on_detached(zmtp::peer_id peer) {
    if (backup_ == peer) {
      clear();
    }
  }
  // There is another update.
  void on_update(time_point now) {
    if (in_sync_ && !behind_since_) {
      behind_since_ = now;
    }
  }
  void on_deadline(sequence last, time_point now) {
    if (const auto due = next_deadline(); due && now >= *due) {
      in_sync_ = false;
      wanted_ = last;
      behind_since_.reset();
    }
  }
  void clear() {
    backup_.reset();
    in_sync_ = false;
    behind_since_.reset();
  }

  [[nodiscard]] bool in_sync() const noexcept { return in_sync_; }
  // Everything up to here was there when it was last in sync.
  [[nodiscard]] sequence number() const noexcept { return mark_; }
  // What both have when this server becomes active.
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
  bool in_sync_ = false;
  std::optional<time_point> behind_since_;
};

}  // namespace chp
