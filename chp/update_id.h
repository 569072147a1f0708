#pragma once
// What makes an update itself, however often it is sent: the UUID of KVSET and KVPUB. Pure.

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

namespace chp {

// Sixteen octets. Those of our clients are UUIDs of version 8 (RFC 9562): 64 bits of a session, of which
// four are the version, then the variant and a counter of 62 bits that begins with 1. So a server keeps
// one counter for a session instead of all its ids.
class update_id {
public:
  static constexpr std::size_t size = 16;
  static constexpr std::uint64_t max_counter = (std::uint64_t{1} << 62) - 1;

  // Sixteen octets of zero, which is that of no update.
  constexpr update_id() noexcept = default;
  // `session` as make_session() returns it; `counter` from 1 to the largest.
  [[nodiscard]] static update_id of_session(std::uint64_t session, std::uint64_t counter) noexcept;
  // A session of random bits.
  [[nodiscard]] static constexpr std::uint64_t make_session(std::uint64_t random) noexcept {
    return (random & ~std::uint64_t{0xf000}) | 0x8000;
  }
  // One that nobody else has made, of 128 random bits: a UUID of version 4.
  [[nodiscard]] static update_id of_random(std::uint64_t high, std::uint64_t low) noexcept;
  // From a frame. Sixteen octets are the id; none are no id; another length, which peers are allowed
  // (protocols C5), stands for an id that no session has, the same for the same octets everywhere.
  [[nodiscard]] static update_id of_frame(std::string_view octets) noexcept;

  // Of no update, so that it is not to be compared.
  [[nodiscard]] bool empty() const noexcept { return *this == update_id{}; }
  // Whether it is made as by of_session(), and then of which and the how manieth.
  [[nodiscard]] bool has_session() const noexcept;
  [[nodiscard]] std::uint64_t session() const noexcept;
  [[nodiscard]] std::uint64_t counter() const noexcept;

  [[nodiscard]] std::string_view octets() const noexcept {
    return {reinterpret_cast<const char*>(octets_.data()), octets_.size()};
  }
  // As UUIDs are written: 8-4-4-4-12 hexadecimal digits, for people.
  [[nodiscard]] std::array<char, 36> text() const noexcept;

  friend bool operator==(const update_id&, const update_id&) noexcept = default;
  friend auto operator<=>(const update_id&, const update_id&) noexcept = default;

private:
  std::array<std::uint8_t, size> octets_{};
};

}  // namespace chp
