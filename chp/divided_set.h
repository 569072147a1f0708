#pragma once
// A hash table in parts, which grows one part at a time. Pure.

#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>
#include <type_traits>
#include <utility>

namespace chp {

// A hash table that bounds the work of one call. An ordinary table moves all elements when it
// doubles. This one has many parts with about a thousand elements each, and divides one part at a
// time. `KeyOf{}(element)` is the key, which must not change. Other members may change if they are
// mutable. `Hash` must mix well: each bit must depend on the whole key. An element with a member
// `hash`, which must be that of its probe, is not read for its key when it moves.
template <class T, class KeyOf, class Hash>
class divided_set {
  static_assert(std::is_trivially_copyable_v<T>, "elements move where memory may be short");

public:
  using key_type = std::remove_cvref_t<std::invoke_result_t<KeyOf, const T&>>;
  // A key with its hash, for several look-ups.
  struct probe {
    key_type key;
    std::uint64_t hash;
  };

private:
  struct part_hash {
    using is_transparent = void;
    using is_avalanching = void;  // the table need not mix the hash again
    const Hash* hash;
    std::size_t operator()(const T& e) const noexcept {
      if constexpr (requires { e.hash; }) {
        return e.hash;
      } else {
        return (*hash)(KeyOf{}(e));
      }
    }
    std::size_t operator()(const probe& p) const noexcept { return p.hash; }
  };
  struct part_equal {
    using is_transparent = void;
    bool operator()(const T& a, const T& b) const noexcept { return KeyOf{}(a) == KeyOf{}(b); }
    bool operator()(const probe& a, const T& b) const noexcept { return a.key == KeyOf{}(b); }
    bool operator()(const T& a, const probe& b) const noexcept { return (*this)(b, a); }
  };
  using part = boost::unordered_flat_set<T, part_hash, part_equal>;

public:
  // The position of an element, until the next insertion.
  class place {
  public:
    explicit operator bool() const noexcept { return in_ != nullptr; }
    const T& operator*() const noexcept { return *at_; }
    const T* operator->() const noexcept { return &*at_; }

  private:
    friend divided_set;
    part* in_ = nullptr;
    typename part::iterator at_{};
  };

  // Starts with this number of parts. More parts delay the first division.
  explicit divided_set(const Hash& hash, std::size_t first_parts = 1)
      : hash_{hash}, first_parts_{first_parts}, parts_(first_parts, new_part(0)) {}
  divided_set(const divided_set&) = delete;
  divided_set& operator=(const divided_set&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] probe probe_of(const key_type& key) const noexcept { return {key, hash_(key)}; }

  // Returns null if no element has this key. The pointer is valid until the next insertion.
  [[nodiscard]] const T* find(const probe& p) const noexcept {
    const auto& in = parts_[part_number(p.hash)];
    const auto at = in.find(p);
    return at == in.end() ? nullptr : &*at;
  }
  [[nodiscard]] const T* find(const key_type& key) const noexcept { return find(probe_of(key)); }
  [[nodiscard]] bool contains(const key_type& key) const noexcept { return find(key) != nullptr; }
  [[nodiscard]] place place_of(const probe& p) noexcept {
    auto& in = parts_[part_number(p.hash)];
    place found;
    if (const auto at = in.find(p); at != in.end()) {
      found.in_ = &in;
      found.at_ = at;
    }
    return found;
  }
  [[nodiscard]] place place_of(const key_type& key) noexcept { return place_of(probe_of(key)); }

  // Inserts an element whose key is not in the set, and whose probe is `p`. Throws std::bad_alloc,
  // which leaves the set unchanged.
  const T& insert(const T& added, const probe& p) {
    if (size_ >= parts_.size() * elements_of_part) {
      divide_one();
    }
    const auto at = parts_[part_number(p.hash)].insert(added).first;
    ++size_;
    return *at;
  }
  const T& insert(const T& added) { return insert(added, probe_of(KeyOf{}(added))); }

  void erase(const place& at) noexcept {
    at.in_->erase(at.at_);
    --size_;
  }
  bool erase(const key_type& key) noexcept {
    const auto found = place_of(key);
    if (found) {
      erase(found);
    }
    return static_cast<bool>(found);
  }
  void clear() noexcept {
    std::size_t all = size_;
    dismantle(all);
  }
  // Removes at most `most` elements, and subtracts their number from `most`. Removes whole parts,
  // so the last one may exceed `most`. Returns true when the set is empty and has its first number
  // of parts.
  bool dismantle(std::size_t& most) noexcept {
    for (auto number = parts_.size(); number != 0; --number) {
      auto& each = parts_[number - 1];
      const auto count = each.size();
      if (count != 0) {
        if (most == 0) {
          return false;
        }
        new_part(0).swap(each);
        size_ -= count;
        most -= std::min(most, count);
      }
      if (number > first_parts_) {
        parts_.pop_back();
      }
    }
    return true;
  }

private:
  // Average number of elements of a part. Above it, one part is divided.
  static constexpr std::size_t elements_of_part = 1'024;

  [[nodiscard]] part new_part(std::size_t places) const { return part{places, part_hash{&hash_}}; }
  // Parts use other bits of the hash than the places within a part. If the number of parts is not a
  // power of two, the parts that are not yet divided use one bit less.
  [[nodiscard]] std::size_t part_number(std::uint64_t hash) const noexcept {
    const auto bits = std::bit_ceil(parts_.size()) - 1;
    const auto number = hash >> 16 & bits;
    return number < parts_.size() ? number : number & bits >> 1;
  }
  // Divides the next part in turn into itself and a new last part. If there is no memory, nothing
  // changes.
  void divide_one() noexcept {
    const auto undivided = std::bit_floor(parts_.size());
    auto& whole = parts_[parts_.size() - undivided];
    try {
      auto stays = new_part(whole.size() / 2);
      auto goes = new_part(whole.size() / 2);
      for (const auto& each : whole) {
        ((part_hash{&hash_}(each) >> 16 & undivided) == 0 ? stays : goes).insert(each);
      }
      parts_.push_back(std::move(goes));
      whole.swap(stays);
    } catch (const std::bad_alloc&) {
      // The part stays as it is, and is divided with a later insertion.
      return;
    }
  }

  Hash hash_;
  std::size_t first_parts_;
  std::deque<part> parts_;  // with stable addresses
  std::size_t size_ = 0;
};

}  // namespace chp
