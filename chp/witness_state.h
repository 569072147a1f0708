#pragma once
// The record of a witness as one server of the pair knows it, and the next change to ask for. Pure.

#include "chp/witness.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace chp {

// The outcome of an answer of the witness.
enum class witness_outcome : std::uint8_t {
  nothing,   // next() may have another attempt
  acquired,  // the epoch is this server's
  refused,   // the epoch was not granted
};

// The active server is always in sync. It is alone in the set, or the backup is in sync too.
//
// - After the backup has left, the active server commits alone only when the removal was granted.
// - Before add(), the backup has confirmed all that is committed. From then on, nothing is committed
//   without its confirmation, whatever the answer is.
// - An attempt without an answer may have been carried out, or may be carried out later. A later
//   attempt that is granted ends this doubt, because the revision has changed. Until then the server
//   counts as not alone.
class witness_state {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // A call of witness::replace(). Equal records only ask for the present one.
  struct attempt {
    membership from;
    membership to;
    friend bool operator==(const attempt&, const attempt&) = default;
  };

  // `retry` is the pause after an attempt without an answer.
  witness_state(member_id self, std::chrono::milliseconds retry) noexcept
      : self_{self}, retry_{retry} {}

  // Asks for an epoch, with this server alone in the set.
  void acquire(std::uint64_t epoch) noexcept { wanted_epoch_ = epoch; }
  // The active server's backup has confirmed all that is committed.
  void add(member_id backup) noexcept { wanted_ = backup; }
  // The backup has left.
  void remove() noexcept { wanted_.reset(); }
  // The server is passive. It keeps nothing of its epoch.
  void release() noexcept;

  // Returns whether this server has an epoch. It ends when another server takes over.
  [[nodiscard]] bool owns_epoch() const noexcept { return epoch_ != 0; }
  // Returns whether this server may commit alone, because no other server can take over.
  [[nodiscard]] bool is_alone() const noexcept {
    return epoch_ != 0 && is_certain_ && !granted_ && !wanted_;
  }
  // Returns whether the backup is in the set, so that it can take over.
  [[nodiscard]] bool has_backup() const noexcept {
    return epoch_ != 0 && is_certain_ && granted_ && granted_ == wanted_;
  }
  // Returns whether this server may take over, by the record as it was seen last. A server that has
  // not seen the record may not.
  [[nodiscard]] bool is_member() const noexcept {
    return is_seen_ && (known_.in_sync.empty() || known_.has(self_));
  }
  // An operator has emptied the record, because all members were lost.
  [[nodiscard]] bool is_emptied() const noexcept {
    return known_.epoch != 0 && known_.in_sync.empty();
  }
  // Returns false if the pair is new: no other incarnation of a server has had an epoch.
  [[nodiscard]] bool had_data() const noexcept {
    return !is_seen_ || (known_.epoch != 0 && known_.active != self_);
  }
  // The record as it was seen last.
  [[nodiscard]] const membership& known() const noexcept { return known_; }

  // Returns the attempt to make now, if there is one. The next one waits for its answer.
  [[nodiscard]] std::optional<attempt> next(time_point now);
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // `now_record` means nothing after an error.
  [[nodiscard]] witness_outcome on_answer(boost::system::error_code ec,
                                          const membership& now_record, time_point now);
  void on_changed(const membership& record);

private:
  [[nodiscard]] bool wants_change() const noexcept {
    return epoch_ != 0 && !(is_certain_ && granted_ == wanted_);
  }
  void check_owner();

  member_id self_;
  std::chrono::milliseconds retry_;
  membership known_;
  bool is_seen_ = false;
  std::uint64_t epoch_ = 0;                    // the own one, while active
  std::optional<std::uint64_t> wanted_epoch_;  // until it is granted or refused
  std::optional<member_id> wanted_;            // the backup to add
  std::optional<member_id> granted_;           // the backup that was, if is_certain_
  bool is_certain_ = false;
  struct pending {
    attempt what;
    std::optional<std::uint64_t> epoch;  // acquires it
    std::optional<member_id> backup;
    bool is_overtaken = false;  // by a notice of a later record
  };
  std::optional<pending> pending_;
  time_point retry_at_{};
};

}  // namespace chp
