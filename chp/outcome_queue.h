#pragma once
// The outcomes of consecutive updates of one session. Pure.

#include "chp/error.h"
#include "chp/sequence.h"

#include <cstddef>
#include <vector>

namespace chp {

// The outcome of an update.
struct entry_outcome {
  sequence number = 0;  // the number of its entry
  errc why{};           // errc{}: it was made; otherwise the reason of its refusal
  friend bool operator==(const entry_outcome&, const entry_outcome&) = default;
};

// A queue in one block of memory, which a steady client never allocates again.
class outcome_queue {
public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const entry_outcome& operator[](std::size_t index) const noexcept {
    return ring_[(first_ + index) & (ring_.size() - 1)];
  }
  void push_back(const entry_outcome& added) {
    if (size_ == ring_.size()) {
      grow();
    }
    ring_[(first_ + size_) & (ring_.size() - 1)] = added;
    ++size_;
  }
  // Removes the first `count`, which must exist.
  void drop(std::size_t count) noexcept {
    size_ -= count;
    first_ = size_ == 0 ? 0 : (first_ + count) & (ring_.size() - 1);
  }

private:
  void grow() {
    std::vector<entry_outcome> larger(ring_.empty() ? 2 : 2 * ring_.size());
    for (std::size_t i = 0; i < size_; ++i) {
      larger[i] = (*this)[i];
    }
    ring_.swap(larger);
    first_ = 0;
  }

  std::vector<entry_outcome> ring_;  // a power of two
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace chp
