#pragma once
// How far the updates of an active server are committed. Pure.

#include "chp/sequence.h"

#include <algorithm>
#include <optional>

namespace chp {

// The backup is in sync when it has confirmed the end of the log as of FOLLOW, and all that was
// committed alone since. From then on nothing is committed without it, until it leaves.
class commit_tracker {
public:
  struct progress {
    sequence commit = 0;
    sequence both = 0;
  };

  // A backup follows. `mark` is the end of the log, `confirmed` is what its HELLO names as durable.
  void join(sequence mark, sequence confirmed) noexcept {
    mark_ = mark;
    confirmed_ = confirmed;
    in_sync_ = false;
  }
  void leave() noexcept {
    confirmed_.reset();
    in_sync_ = false;
  }
  void confirm(sequence durable) noexcept {
    if (confirmed_) {
      confirmed_ = std::max(*confirmed_, durable);
    }
  }

  [[nodiscard]] bool has_backup() const noexcept { return confirmed_.has_value(); }
  [[nodiscard]] bool in_sync() const noexcept { return in_sync_; }
  // Returns the number that the backup has confirmed, or 0.
  [[nodiscard]] sequence confirmed() const noexcept { return confirmed_.value_or(0); }

  // Returns the new progress. `own` is what the own disk has. `alone` allows commits by this server
  // while no backup is in sync.
  [[nodiscard]] progress advance(const progress& before, sequence own, bool alone) noexcept {
    auto now = before;
    if (confirmed_) {
      now.both = std::max(now.both, std::min(own, *confirmed_));
      in_sync_ = in_sync_ || *confirmed_ >= std::max(mark_, before.commit);
    }
    if (in_sync_) {
      now.commit = std::max(now.commit, std::min(own, *confirmed_));
    } else if (alone) {
      now.commit = std::max(now.commit, own);
    }
    return now;
  }

private:
  std::optional<sequence> confirmed_;
  sequence mark_ = 0;
  bool in_sync_ = false;
};

}  // namespace chp
