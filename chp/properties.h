#pragma once
// The properties of KVSET, KVPUB and KVSYNC: name=value lines. Pure.

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

// A view of a frame, read as in protocols C1-7. The first '=' divides a line, and the last line end
// may be missing. A line without '=' or without a name is skipped.
class properties {
public:
  class const_iterator;

  explicit properties(std::string_view frame) noexcept : frame_{frame} {}

  [[nodiscard]] const_iterator begin() const noexcept;
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }
  // Returns the value of the first property with this name.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;

private:
  std::string_view frame_;
};

class properties::const_iterator {
public:
  explicit const_iterator(std::string_view frame) noexcept : rest_{frame} { ++*this; }
  [[nodiscard]] const property& operator*() const noexcept { return here_; }
  const_iterator& operator++() noexcept;
  friend bool operator==(const const_iterator& a, std::default_sentinel_t) noexcept {
    return a.at_end_;
  }

private:
  std::string_view rest_;  // after the line of here_
  property here_;
  bool at_end_ = false;
};

inline properties::const_iterator properties::begin() const noexcept {
  return const_iterator{frame_};
}

// So that every peer reads the property as it is written, it needs a name, and no '=', line end or
// zero byte. Name and value have at most 255 bytes, which is the limit of peers in C.
void append_property(std::string& to, std::string_view name, std::string_view value);
void append_property(std::string& to, std::string_view name, std::uint64_t value);
// A number in decimal digits. parse_number() returns nothing for other text.
void append_number(std::string& to, std::uint64_t number);
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text) noexcept;

namespace property_name {
inline constexpr std::string_view ttl = "ttl";   // 12/CHP: seconds to live, counted from KVSET
inline constexpr std::string_view counts = "d";  // see subtree.h
inline constexpr std::string_view ack = "ack";   // an earlier version; see answers.h
inline constexpr std::string_view degraded = "degraded";
inline constexpr std::string_view refused = "refused";
inline constexpr std::string_view unsure = "unsure";
inline constexpr std::string_view answers = "answers";  // HUGZ: see answers.h
inline constexpr std::string_view unknown = "unknown";  // HUGZ: see subscriber_notices.h
inline constexpr std::string_view low = "low";          // KVSET: see proposal.h
inline constexpr std::string_view since = "since";      // KVSET: see proposal.h
inline constexpr std::string_view asks = "asks";        // KVSET: see proposal.h
inline constexpr std::string_view previous = "prev";    // KVPUB: see publications.h
}  // namespace property_name

// The longest time to live. Longer ones are reduced to this value.
inline constexpr std::chrono::milliseconds longest_ttl = std::chrono::hours{24} * 36'525;

// Parses `ttl` as a client sends it: seconds, possibly with a fraction. Returns nothing, which
// means no expiry, for other values and for values not above zero (protocols C1-8).
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_ttl(std::string_view value) noexcept;
// Parses `ttl` of a Guide server's snapshot: milliseconds since 1970 (C), seconds since 1970
// (Python) or seconds from now, by magnitude (protocols C1-2). `now` is the time of day since 1970.
// A time in the past becomes one millisecond.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_guide_ttl(
    std::string_view value, std::chrono::milliseconds now) noexcept;

// Appends `ttl` in whole seconds, rounded up.
void append_ttl(std::string& to, std::chrono::milliseconds ttl);

}  // namespace chp
