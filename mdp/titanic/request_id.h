#pragma once
// The name of a stored request: 128 random bits, on the wire as 32 hexadecimal digits (9/TSP). Pure.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace mdp::titanic {

struct request_id {
  static constexpr std::size_t text_size = 32;

  std::array<std::uint8_t, 16> bytes{};

  // Accepts 32 hexadecimal digits of either case, and returns nothing for other text.
  [[nodiscard]] static std::optional<request_id> parse(std::string_view text) noexcept;
  // Returns upper case, because the Guide's C programs compare it so.
  [[nodiscard]] std::string to_string() const;

  friend auto operator<=>(const request_id&, const request_id&) = default;
};

// For random ids that no peer has chosen: any eight bytes are a good hash.
struct request_id_hash {
  [[nodiscard]] std::size_t operator()(const request_id& id) const noexcept {
    std::size_t value = 0;
    std::memcpy(&value, id.bytes.data(), sizeof value);
    return value;
  }
};

}  // namespace mdp::titanic
