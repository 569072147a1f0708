#pragma once
// The frames of Freelance clients and servers (the Guide, chapter 4; 10/FLP), without I/O.

#include "zmtp/message.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zmtp {

// 10/FLP: liveness of a server. One frame each.
inline constexpr std::string_view freelance_ping = "PING";
inline constexpr std::string_view freelance_pong = "PONG";

// An extension that Zinc's clients announce. Their control frames are globally unique, so a server
// recognizes a repeated request on any connection.
inline constexpr std::string_view freelance_session_name = "freelance-session";

// The control frame of a call. Servers send it back unchanged. It has a random session and a
// number, 8 bytes each in big-endian order. PING and the numbers of the Guide's clients are
// shorter.
struct control_frame {
  std::uint64_t session = 0;
  std::uint64_t number = 0;

  static constexpr std::size_t size = 16;
  [[nodiscard]] std::array<char, size> bytes() const noexcept;
  [[nodiscard]] static std::optional<control_frame> parse(std::string_view bytes) noexcept;

  friend bool operator==(const control_frame&, const control_frame&) = default;
};

}  // namespace zmtp
