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

  // Returns the new commit. `own` is what the own disk has. `alone` allows commits by this server
  // while no backup is in sync.
  [[nodiscard]] sequence advance(sequence commit, sequence own, bool alone) noexcept {
    in_sync_ = in_sync_ || (confirmed_ && *confirmed_ >= std::max(mark_, commit));
    if (in_sync_) {
      return std::max(commit, std::min(own, *confirmed_));
    }
    return alone ? std::max(commit, own) : commit;
  }

private:
  std::optional<sequence> confirmed_;
  sequence mark_ = 0;
  bool in_sync_ = false;
};

}  // namespace chp
