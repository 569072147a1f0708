#pragma once
// What a server had accepted that lost its active role, offered to the one that has it. Pure.

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

// The map as it was, of which everything is offered that the other server had not when it became active. What
// has a later number there than `base` has been changed since both had the same. Behind it goes the register as it
// was: what else was applied has been overwritten, and is settled with what is offered. All is kept until the other
// one says that it has looked at it, and offered again on each new connection before.
class reconciliation {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // One update that is offered.
  struct item {
    std::string_view key;
    update_id id;
    std::string_view value;  // empty: it was erased
    std::optional<time_point> deadline;
  };

  // What is behind `from` is offered; `erased` are those behind it, as far as the other one did not have them.
  void begin(std::unique_ptr<store> map, sequence from, sequence base,
             std::deque<tombstones::erasure> erased, std::unique_ptr<update_register> applied);
  // Something is left to be settled.
  [[nodiscard]] bool pending() const noexcept { return map_ != nullptr; }
  [[nodiscard]] sequence base() const noexcept { return base_; }

  // From the beginning again: there is another connection.
  void rewind() noexcept;
  // Visits the next ones, `visit(const item&)`, having looked at so many entries at most; true if there
  // are more.
  template <class Visit>
  [[nodiscard]] bool read(std::size_t most, Visit&& visit);
  // Appends the next piece for the active server; true if there is more to write.
  [[nodiscard]] bool write(std::size_t octets, time_point now, std::vector<zmtp::message>& out);
  // The active server has looked at so many. True if that is all; and then the map is given back, to be
  // dismantled.
  [[nodiscard]] bool on_end(std::uint64_t count) const noexcept {
    return pending() && ended_ && count == offered_;
  }
  [[nodiscard]] std::unique_ptr<store> take_map() noexcept {
    rewind();
    erased_.clear();
    settlement_ = {};
    return std::move(map_);
  }
  // To be called before that.
  [[nodiscard]] settlement take_settlement() noexcept { return std::move(settlement_); }

private:
  std::unique_ptr<store> map_;
  std::deque<tombstones::erasure> erased_;
  settlement settlement_;
  std::optional<update_register::image> applied_;  // how far it has been written
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
    // One that was set again is above.
    if (one.number > from_ && map_->find(one.key) == nullptr) {
      ++offered_;
      settlement_.add(one.id);
      visit(item{one.key, one.id, {}, {}});
    }
  }
  return !cursor_->at_end() || next_erased_ < erased_.size();
}

}  // namespace chp
