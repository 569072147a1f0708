#pragma once
// A ring of slots with a cursor for the next one. All operations take constant time for any number
// of peers.

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
  // Returns the slot at the cursor. The ring must not be empty.
  [[nodiscard]] slot current() const noexcept { return cursor_; }
  void advance() noexcept { cursor_ = links_[cursor_].next; }

  // Returns the slot after `s`, which must be in the ring.
  [[nodiscard]] slot after(slot s) const noexcept { return links_[s].next; }
  // Returns the slot `places` steps after `s`.
  [[nodiscard]] slot after(slot s, int places) const noexcept {
    for (; places != 0; --places) {
      s = after(s);
    }
    return s;
  }
  // Moves the cursor to `s`, which must be in the ring.
  void turn_to(slot s) noexcept { cursor_ = s; }

  // Inserts a slot at the end, just before the cursor. Does nothing if it is in the ring.
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

  // Removes a slot. If the cursor is at this slot, moves it to the next one.
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
