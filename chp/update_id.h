#pragma once
// The identity of an update, however often it is sent: the UUID of KVSET and KVPUB. Pure.

#include <boost/endian/conversion.hpp>

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <string_view>

namespace chp {

// Sixteen bytes. The ids of Zinc's clients are UUIDs of version 8 (RFC 9562). They have 64 bits of a
// session, four of which are the version, then the variant and a counter of 62 bits that starts at
// 1. So a server stores the outcomes of a session in a row instead of all ids.
class update_id {
public:
  static constexpr std::size_t size = 16;
  static constexpr std::uint64_t max_counter = (std::uint64_t{1} << 62) - 1;

  // Sixteen zero bytes, which no update has.
  constexpr update_id() noexcept = default;
  // `session` is a result of make_session(). `counter` is from 1 to max_counter.
  [[nodiscard]] static update_id of_session(std::uint64_t session, std::uint64_t counter) noexcept;
  // Returns a session of random bits.
  [[nodiscard]] static constexpr std::uint64_t make_session(std::uint64_t random) noexcept {
    return (random & ~std::uint64_t{0xf000}) | 0x8000;
  }
  // Returns a unique id of 128 random bits: a UUID of version 4.
  [[nodiscard]] static update_id of_random(std::uint64_t high, std::uint64_t low) noexcept;
  // Converts a frame. Sixteen bytes are the id itself, an empty frame is the empty id. Any other
  // length, which is allowed for peers (protocols C5), becomes an id without a session, the same
  // for equal bytes everywhere.
  [[nodiscard]] static update_id of_frame(std::string_view bytes) noexcept;

  // Returns whether all bytes are zero. Such ids must not be compared.
  [[nodiscard]] bool empty() const noexcept {
    const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(bytes_);
    return (halves[0] | halves[1]) == 0;
  }
  // Returns whether the id has the form of of_session(). session() and counter() need this form.
  [[nodiscard]] bool has_session() const noexcept {
    return bytes_[6] >> 4 == 8 && bytes_[8] >> 6 == 2 && counter() != 0;
  }
  [[nodiscard]] std::uint64_t session() const noexcept {
    return boost::endian::load_big_u64(bytes_.data());
  }
  [[nodiscard]] std::uint64_t counter() const noexcept {
    return boost::endian::load_big_u64(bytes_.data() + 8) & max_counter;
  }

  [[nodiscard]] std::string_view bytes() const noexcept {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }
  // Returns the written form of a UUID: 8-4-4-4-12 hexadecimal digits.
  [[nodiscard]] std::array<char, 36> text() const noexcept;

  friend bool operator==(const update_id&, const update_id&) noexcept = default;
  friend auto operator<=>(const update_id&, const update_id&) noexcept = default;

private:
  std::array<std::uint8_t, size> bytes_{};
};

}  // namespace chp
