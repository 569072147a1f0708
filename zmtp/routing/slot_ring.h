#pragma once
// A circle of slots with a cursor: who is next. Entering, leaving and moving on take constant time,
// whatever the number of peers.

#include <cstdint>
#include <vector>

namespace zmtp {

class slot_ring {
public:
  using slot = std::uint32_t;

  [[nodiscard]] bool empty() const noexcept { return cursor_ == none; }
  [[nodiscard]] bool contains(slot s) const noexcept {
    return s < links_.size() && links_[s].next != none;
  }
  // Whose turn it is. The ring must not be empty.
  [[nodiscard]] slot current() const noexcept { return cursor_; }
  void advance() noexcept { cursor_ = links_[cursor_].next; }

  // Who comes after this one, which must be in.
  [[nodiscard]] slot after(slot s) const noexcept { return links_[s].next; }
  // The same so many places further.
  [[nodiscard]] slot after(slot s, int places) const noexcept {
    for (; places != 0; --places) {
      s = after(s);
    }
    return s;
  }
  // It is the turn of this one, which must be in.
  void turn_to(slot s) noexcept { cursor_ = s; }

  // Enters as the last whose turn comes; nothing if it is in already.
  void insert(slot s) {
    if (contains(s)) {
      return;
    }
    if (s >= links_.size()) {
      links_.resize(s + 1);
    }
    if (empty()) {
      links_[s] = {s, s};
      cursor_ = s;
      return;
    }
    const auto last = links_[cursor_].previous;
    links_[s] = {cursor_, last};
    links_[last].next = s;
    links_[cursor_].previous = s;
  }

  // Leaves; if it was its turn, it is the next one's.
  void erase(slot s) noexcept {
    if (!contains(s)) {
      return;
    }
    const auto [next, previous] = links_[s];
    links_[previous].next = next;
    links_[next].previous = previous;
    links_[s] = {};
    if (cursor_ == s) {
      cursor_ = next == s ? none : next;
    }
  }

private:
  static constexpr slot none = 0xffff'ffff;
  struct link {
    slot next = none;
    slot previous = none;
  };

  std::vector<link> links_;
  slot cursor_ = none;
};

}  // namespace zmtp
