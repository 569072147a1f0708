#pragma once
// Erased keys and the numbers of their erasures, as long as another server may offer older updates.
// Pure.

#include "chp/divided_set.h"
#include "chp/sequence.h"
#include "chp/update_id.h"
#include "zmtp/routing/keyed_hash.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

namespace chp {

// Above the limit, the oldest erasure is dropped.
class tombstones {
public:
  struct erasure {
    std::string key;
    update_id id;
    sequence number;
  };

  // Peers choose the keys, so `seed` must be random.
  tombstones(std::uint64_t seed, std::size_t limit)
      : last_{zmtp::keyed_hash{seed}}, limit_{limit} {}

  // Adds an erasure, which must be later than those before.
  void add(std::string_view key, const update_id& id, sequence number) {
    order_.push_back({std::string{key}, id, number});
    const auto p = last_.probe_of(order_.back().key);
    if (const auto* const at = last_.find(p)) {
      at->of = &order_.back();
    } else {
      last_.insert({&order_.back()}, p);
    }
    if (size() <= limit_) {
      return;
    }
    if (!needed_.empty()) {
      drop_first(needed_);
    } else {
      forgotten_to_ = order_.front().number;
      drop_first(order_);
    }
  }
  // Forgets erasures up to `number`, which the other server has. Looks at no more than `most` of
  // them, and returns whether that was all. The last erasure of a key stays while
  // `is_needed(erasure)` is true, or while one before it stays. `forgotten(erasure)` is called
  // before the last erasure of a key is removed.
  template <class IsNeeded, class Forgotten>
  [[nodiscard]] bool forget_to(sequence number, std::size_t most, IsNeeded&& is_needed,
                               Forgotten&& forgotten) {
    const auto stays = [&](const erasure& one) { return is_last(one) && is_needed(one); };
    const auto forget_first = [&](std::deque<erasure>& of) {
      if (is_last(of.front())) {
        forgotten(std::as_const(of.front()));
      }
      drop_first(of);
    };
    for (; most != 0 && !needed_.empty() && !stays(needed_.front()); --most) {
      forget_first(needed_);
    }
    const auto is_left = [&] { return !order_.empty() && order_.front().number <= number; };
    for (; most != 0 && is_left(); --most) {
      if (stays(order_.front())) {
        keep_first();
      } else {
        forget_first(order_);
      }
    }
    return !is_left();
  }
  void clear() { take(); }
  // Returns the erasures in order, without those that only is_needed() kept, and removes all.
  std::deque<erasure> take() {
    last_.clear();
    needed_.clear();
    forgotten_to_ = 0;
    return std::exchange(order_, {});
  }
  // Returns the number of the last remembered erasure of the key, or 0.
  [[nodiscard]] sequence of(std::string_view key) const {
    const auto* const at = last_.find(key);
    return at == nullptr ? 0 : at->of->number;
  }
  // Returns the id of that erasure, or an empty one.
  [[nodiscard]] update_id id_of(std::string_view key) const {
    const auto* const at = last_.find(key);
    return at == nullptr ? update_id{} : at->of->id;
  }
  // Returns whether no erasure after this number was dropped at the limit.
  [[nodiscard]] bool complete_from(sequence number) const noexcept {
    return number >= forgotten_to_;
  }
  // Visits the erasures after `behind` up to `last`, in order, until `visit(const erasure&)`
  // returns false. A key is visited for each of its erasures.
  template <class Visit>
  void for_each(sequence behind, sequence last, Visit&& visit) const {
    for (const auto* const some : {&needed_, &order_}) {
      const auto first =
          std::partition_point(some->begin(), some->end(),
                               [behind](const erasure& one) { return one.number <= behind; });
      for (auto at = first; at != some->end() && at->number <= last; ++at) {
        if (!visit(*at)) {
          return;
        }
      }
    }
  }
  [[nodiscard]] std::size_t size() const noexcept { return order_.size() + needed_.size(); }

private:
  struct slot {
    mutable const erasure* of;
  };
  struct key_of_slot {
    std::string_view operator()(const slot& s) const noexcept { return s.of->key; }
  };

  [[nodiscard]] bool is_last(const erasure& one) const {
    const auto* const at = last_.find(one.key);
    return at != nullptr && at->of == &one;
  }
  void drop_first(std::deque<erasure>& of) {
    const auto& one = of.front();
    if (const auto found = last_.place_of(one.key); found && found->of == &one) {
      last_.erase(found);
    }
    of.pop_front();
  }
  void keep_first() {
    // Finds the slot while the key is still at its old address.
    const auto* const at = last_.find(order_.front().key);
    needed_.push_back(std::move(order_.front()));
    at->of = &needed_.back();
    order_.pop_front();
  }

  divided_set<slot, key_of_slot, zmtp::keyed_hash> last_;  // the last erasure of each key
  std::deque<erasure> order_;
  std::deque<erasure> needed_;  // those before order_
  sequence forgotten_to_ = 0;
  std::size_t limit_;
};

}  // namespace chp
