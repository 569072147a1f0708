#pragma once
// The properties of KVSET, KVPUB and KVSYNC: name=value, each ended by a line end. Pure.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace chp {

struct property {
  std::string_view name;
  std::string_view value;
  friend bool operator==(const property&, const property&) = default;
};

// A view of a frame, read as protocols C1-7 has it: the first '=' divides, the last line end may be
// missing, a line without '=' or without a name is no property.
class properties {
public:
  class const_iterator;

  explicit properties(std::string_view frame) noexcept : frame_{frame} {}

  [[nodiscard]] const_iterator begin() const noexcept;
  [[nodiscard]] const_iterator end() const noexcept;
  // The value of the first of this name.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;

private:
  std::string_view frame_;
};

class properties::const_iterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = property;
  using difference_type = std::ptrdiff_t;
  using pointer = const property*;
  using reference = const property&;

  const_iterator() noexcept = default;
  [[nodiscard]] const property& operator*() const noexcept { return here_; }
  [[nodiscard]] const property* operator->() const noexcept { return &here_; }
  const_iterator& operator++() noexcept {
    advance();
    return *this;
  }
  const_iterator operator++(int) noexcept {
    auto before = *this;
    advance();
    return before;
  }
  friend bool operator==(const const_iterator& a, const const_iterator& b) noexcept {
    return a.at_end_ == b.at_end_ && a.rest_.size() == b.rest_.size();
  }

private:
  friend class properties;
  explicit const_iterator(std::string_view rest) noexcept : rest_{rest}, at_end_{false} {
    advance();
  }
  void advance() noexcept;

  std::string_view rest_;  // behind the line of here_
  property here_;
  bool at_end_ = true;
};

inline properties::const_iterator properties::begin() const noexcept {
  return const_iterator{frame_};
}
inline properties::const_iterator properties::end() const noexcept { return {}; }

// Whether a property is read as it is written: a name, and no '=' or line end anywhere (Python's peers
// drop a line with more than one '='), no zero, 255 octets each at most (C's peers).
[[nodiscard]] bool is_well_formed(const property& p) noexcept;
// It must be well-formed.
void append_property(std::string& to, std::string_view name, std::string_view value);
void append_property(std::string& to, std::string_view name, std::uint64_t value);
// A number in decimal digits, and what it is; nothing if it is none.
void append_number(std::string& to, std::uint64_t number);
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text) noexcept;

namespace property_name {
inline constexpr std::string_view ttl = "ttl";            // 12/CHP: seconds to live, from KVSET on
inline constexpr std::string_view ttl_left = "ttl-left";  // ms to live, to a backup of ours
inline constexpr std::string_view counts = "d";           // see subtree.h
inline constexpr std::string_view begun = "begun";        // of a snapshot of ours: see snapshot_end
inline constexpr std::string_view shared = "shared";  // … to a backup: see replication::origin
inline constexpr std::string_view own = "own";        // … likewise
inline constexpr std::string_view ack = "ack";        // see acknowledgement.h
inline constexpr std::string_view gaps = "gaps";
inline constexpr std::string_view degraded = "degraded";
inline constexpr std::string_view refused = "refused";
inline constexpr std::string_view unsure = "unsure";
inline constexpr std::string_view notice = "notice";
inline constexpr std::string_view session = "session";
}  // namespace property_name

// Nobody waits longer; what is longer is this long.
inline constexpr std::chrono::milliseconds longest_ttl = std::chrono::hours{24} * 36'525;

// The value of `ttl` as a client sends it: seconds, with a fraction perhaps. Nothing, which is no
// expiry, if it is not above zero or not a number (protocols C1-8).
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_ttl(std::string_view value) noexcept;
// The value of `ttl` as a server of the Guide has it in a snapshot: milliseconds since 1970 (C), seconds
// since 1970 (Python) or seconds from now, by magnitude (protocols C1-2). `now` is the time of day since
// 1970. What has passed already has a millisecond left.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_guide_ttl(
    std::string_view value, std::chrono::milliseconds now) noexcept;
// The value of `ttl-left`.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_ttl_left(
    std::string_view value) noexcept;

// Appends `ttl` in whole seconds, of which one has begun at least.
void append_ttl(std::string& to, std::chrono::milliseconds ttl);
// Appends `ttl-left`.
void append_ttl_left(std::string& to, std::chrono::milliseconds left);

}  // namespace chp
