#pragma once
// The updates that a former active server had accepted, and offers to the active server. Pure.

#include "chp/sequence.h"
#include "chp/settlement.h"
#include "chp/store.h"
#include "chp/tombstones.h"
#include "zmtp/message.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace chp {

// The old map. The server offers everything in it that the other server did not have when it became
// active. If the active server has a later number than `base` for a key, the key has changed since
// both had the same. After the map, the server sends its old register: applied updates that are no
// longer in the map were overwritten, and are settled with the offer. Everything is kept until the
// other server confirms that it has processed the offer, and is offered again on each new
// connection before that.
class reconciliation {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // An offered update.
  struct item {
    std::string_view key;
    update_id id;
    std::string_view value;  // empty: the key was erased
    std::optional<time_point> deadline;
  };

  // Starts an offer of everything after `from`. `erased` has the erasures after it, as far as the
  // other server does not have them.
  void begin(std::unique_ptr<store> map, sequence from, sequence base,
             std::deque<tombstones::erasure> erased, std::unique_ptr<update_register> applied);
  // Returns whether an offer is not yet settled.
  [[nodiscard]] bool pending() const noexcept { return map_ != nullptr; }
  [[nodiscard]] sequence base() const noexcept { return base_; }

  // Starts again from the beginning, for a new connection.
  void rewind() noexcept;
  // Visits the next items, `visit(const item&)`, and looks at no more than `most` entries. Returns
  // true if there are more.
  template <class Visit>
  [[nodiscard]] bool read(std::size_t most, Visit&& visit);
  // Appends the next piece for the active server. Returns true if there is more to write.
  [[nodiscard]] bool write(std::size_t bytes, time_point now, std::vector<zmtp::message>& out);
  // The active server has processed `count` items. Returns true if these are all. take_map() then
  // returns the map, which must be dismantled.
  [[nodiscard]] bool on_end(std::uint64_t count) const noexcept {
    return pending() && ended_ && count == offered_;
  }
  [[nodiscard]] std::unique_ptr<store> take_map() noexcept {
    rewind();
    erased_.clear();
    settlement_ = {};
    return std::move(map_);
  }
  // Must be called before take_map().
  [[nodiscard]] settlement take_settlement() noexcept { return std::move(settlement_); }

private:
  std::unique_ptr<store> map_;
  std::deque<tombstones::erasure> erased_;
  settlement settlement_;
  std::optional<update_register::image> applied_;  // the part not yet written
  sequence from_ = 0;
  sequence base_ = 0;
  std::optional<store::snapshot> cursor_;
  std::size_t next_erased_ = 0;
  std::uint64_t offered_ = 0;
  bool ended_ = false;
};

template <class Visit>
bool reconciliation::read(std::size_t most, Visit&& visit) {
  if (!cursor_) {
    cursor_.emplace(map_->open_snapshot());
  }
  cursor_->read(most, [&](const store::entry& e) {
    if (e.number() > from_) {
      ++offered_;
      settlement_.add(e.id());
      visit(item{e.key(), e.id(), e.value(), e.deadline()});
    }
    return true;
  });
  for (; cursor_->at_end() && next_erased_ < erased_.size() && most != 0; ++next_erased_, --most) {
    const auto& one = erased_[next_erased_];
    // A key that was set again is among the entries.
    if (one.number > from_ && map_->find(one.key) == nullptr) {
      ++offered_;
      settlement_.add(one.id);
      visit(item{one.key, one.id, {}, {}});
    }
  }
  return !cursor_->at_end() || next_erased_ < erased_.size();
}

}  // namespace chp
