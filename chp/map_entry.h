#pragma once
// An entry of the map: one block of memory with its key and its value. Pure.

#include "chp/sequence.h"
#include "chp/update_id.h"

#include <boost/intrusive/set.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace chp {

// The new content of a key.
struct map_change {
  std::string_view key;    // 1 to 255 bytes
  std::string_view value;  // less than 4 GiB
  update_id id = {};
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::chrono::milliseconds ttl{0};  // with a deadline
};

// The object begins the block. The entry of a key that never expires has no place for a deadline.
class map_entry {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using hook =
      boost::intrusive::set_member_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>,
                                        boost::intrusive::optimize_size<true>>;
  struct freer {
    void operator()(map_entry* e) const noexcept { ::operator delete(e); }
  };
  using ptr = std::unique_ptr<map_entry, freer>;

  // `at` is the sequence of the update. Throws std::bad_alloc.
  [[nodiscard]] static ptr make(const map_change& to, sequence at);
  map_entry(const map_entry&) = delete;
  map_entry& operator=(const map_entry&) = delete;

  [[nodiscard]] std::string_view key() const noexcept { return {bytes(), key_size_}; }
  [[nodiscard]] std::string_view value() const noexcept {
    return {bytes() + key_size_, value_size_};
  }
  // Returns the sequence of the update that set it.
  [[nodiscard]] sequence number() const noexcept { return number_; }
  [[nodiscard]] const update_id& id() const noexcept { return id_; }
  // Returns when the entry expires, if it does.
  [[nodiscard]] std::optional<time_point> deadline() const noexcept;
  // Returns the full time to live with which it was set, or 0.
  [[nodiscard]] std::chrono::milliseconds ttl() const noexcept;
  [[nodiscard]] bool is_expiring() const noexcept { return is_expiring_; }
  // Bytes of key and value.
  [[nodiscard]] std::size_t payload() const noexcept {
    return std::size_t{key_size_} + value_size_;
  }

  // Returns whether a block for this content would be as large, so that it can be overwritten.
  [[nodiscard]] bool fits(const map_change& to) const noexcept;
  // The content must fit. An expiring entry must not be in the order of deadlines meanwhile.
  void overwrite(const map_change& to, sequence at) noexcept;

private:
  friend struct map_orders;
  friend struct expiring_entry;
  map_entry() noexcept = default;
  ~map_entry() = default;
  // Key and value are stored after the object.
  [[nodiscard]] const char* bytes() const noexcept;
  [[nodiscard]] char* bytes() noexcept;
  void put_value(std::string_view value) noexcept;

  hook by_key_;
  sequence number_ = 0;
  update_id id_;
  std::uint32_t value_size_ = 0;
  std::uint8_t key_size_ = 0;
  bool is_expiring_ = false;
};

// An entry with a deadline.
struct expiring_entry : map_entry {
  hook by_deadline;
  time_point until;
  std::chrono::milliseconds full{0};
};

// The orders of entries.
struct map_orders {
  struct key_of {
    using type = std::string_view;
    type operator()(const map_entry& e) const noexcept { return e.key(); }
  };
  struct deadline_of {
    using type = map_entry::time_point;
    const type& operator()(const expiring_entry& m) const noexcept { return m.until; }
  };
  template <class T, map_entry::hook T::*Member, class KeyOf>
  using ordered_by =
      boost::intrusive::multiset<T, boost::intrusive::member_hook<T, map_entry::hook, Member>,
                                 boost::intrusive::key_of_value<KeyOf>,
                                 boost::intrusive::constant_time_size<false>>;
  using by_key = ordered_by<map_entry, &map_entry::by_key_, key_of>;
  using by_deadline = ordered_by<expiring_entry, &expiring_entry::by_deadline, deadline_of>;
};

inline const char* map_entry::bytes() const noexcept {
  return reinterpret_cast<const char*>(this) +
         (is_expiring_ ? sizeof(expiring_entry) : sizeof(map_entry));
}

inline std::optional<map_entry::time_point> map_entry::deadline() const noexcept {
  if (!is_expiring_) {
    return std::nullopt;
  }
  return static_cast<const expiring_entry*>(this)->until;
}

inline std::chrono::milliseconds map_entry::ttl() const noexcept {
  return is_expiring_ ? static_cast<const expiring_entry*>(this)->full
                      : std::chrono::milliseconds{0};
}

}  // namespace chp
