#pragma once
// What Freelance clients and servers say to each other (the Guide, chapter 4; 10/FLP), without I/O.

#include "zmtp/message.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zmtp {

// 10/FLP: whether a server lives. One frame each.
inline constexpr std::string_view freelance_ping = "PING";
inline constexpr std::string_view freelance_pong = "PONG";

// What a client of this project announces: its control frames are its own in all the world, so that a server
// knows one that it has seen, whichever connection it comes over.
inline constexpr std::string_view freelance_session_name = "freelance-session";

// The control frame of a call, which servers send back as it is: a random session and a number, 8 octets each,
// most significant first. Not taken for PING, nor for the number of a client of the Guide, which are shorter.
struct control_frame {
  std::uint64_t session = 0;
  std::uint64_t number = 0;

  static constexpr std::size_t size = 16;
  [[nodiscard]] std::array<char, size> octets() const noexcept;
  [[nodiscard]] static std::optional<control_frame> parse(std::string_view octets) noexcept;

  friend bool operator==(const control_frame&, const control_frame&) = default;
};

}  // namespace zmtp
