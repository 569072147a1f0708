#pragma once
// Keys that were erased, and when: for as long as a server may be offered what another one had before.
// Pure.

#include "chp/sequence.h"
#include "chp/update_id.h"
#include "zmtp/routing/keyed_hash.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

namespace chp {

// The oldest goes when there are too many.
class tombstones {
public:
  struct erasure {
    std::string key;
    update_id id;
    sequence number;
  };

  // Peers choose the keys: `seed` is random.
  tombstones(std::uint64_t seed, std::size_t limit)
      : last_{0, hash{zmtp::keyed_hash{seed}}, equal{}}, limit_{limit} {}

  // Erased by this update, which is later than those before.
  void add(std::string_view key, const update_id& id, sequence number) {
    const auto at = last_.find(key);
    if (at != last_.end()) {
      at->second = {id, number};
    } else {
      last_.emplace(key, last_erasure{id, number});
    }
    order_.push_back({std::string{key}, id, number});
    if (order_.size() + needed_.size() <= limit_) {
      return;
    }
    if (!needed_.empty()) {
      drop_first(needed_);
    } else {
      forgotten_to_ = order_.front().number;
      drop_first(order_);
    }
  }
  // Who may ask has everything up to here. Those that are the last of their keys and `is_needed(erasure)` all the
  // same stay until they are not, or one before them is no longer; of those that go the last of their keys are
  // shown before, `forgotten(erasure)`.
  template <class IsNeeded, class Forgotten>
  void forget_to(sequence number, IsNeeded&& is_needed, Forgotten&& forgotten) {
    const auto forget_first = [&](std::deque<erasure>& of) {
      if (is_last(of.front())) {
        forgotten(std::as_const(of.front()));
      }
      drop_first(of);
    };
    const auto stays = [&](const erasure& one) { return is_last(one) && is_needed(one); };
    while (!needed_.empty() && !stays(needed_.front())) {
      forget_first(needed_);
    }
    while (!order_.empty() && order_.front().number <= number) {
      if (stays(order_.front())) {
        needed_.push_back(std::move(order_.front()));
        order_.pop_front();
      } else {
        forget_first(order_);
      }
    }
  }
  void clear() {
    last_.clear();
    order_.clear();
    needed_.clear();
    forgotten_to_ = 0;
  }
  // The last update that erased it; 0 if none did that is remembered.
  [[nodiscard]] sequence of(std::string_view key) const {
    const auto at = last_.find(key);
    return at == last_.end() ? 0 : at->second.number;
  }
  // That update; empty if none is remembered.
  [[nodiscard]] update_id id_of(std::string_view key) const {
    const auto at = last_.find(key);
    return at == last_.end() ? update_id{} : at->second.id;
  }
  // Whether what was erased behind this update has not had to be forgotten for want of room.
  [[nodiscard]] bool complete_from(sequence number) const noexcept {
    return number >= forgotten_to_;
  }
  // Those that have not been forgotten or been needed all the same, in order; a key comes as often as it was
  // erased.
  [[nodiscard]] const std::deque<erasure>& all() const noexcept { return order_; }
  [[nodiscard]] std::size_t size() const noexcept { return order_.size() + needed_.size(); }

private:
  struct hash {
    using is_transparent = void;
    using is_avalanching = void;
    zmtp::keyed_hash key;
    std::size_t operator()(std::string_view text) const noexcept { return key(text); }
  };
  struct equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const noexcept { return a == b; }
  };
  struct last_erasure {
    update_id id;
    sequence number;
  };
  [[nodiscard]] bool is_last(const erasure& one) const { return of(one.key) == one.number; }
  void drop_first(std::deque<erasure>& of) {
    if (is_last(of.front())) {
      last_.erase(of.front().key);
    }
    of.pop_front();
  }

  boost::unordered_flat_map<std::string, last_erasure, hash, equal> last_;
  std::deque<erasure> order_;
  std::deque<erasure> needed_;  // before those
  sequence forgotten_to_ = 0;
  std::size_t limit_;
};

}  // namespace chp
