#pragma once
// What workers and queues of the Simple and the Paranoid Pirate (6/PPP) say to each other, without I/O.

#include "zmtp/message.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zmtp {

enum class pirate_protocol : std::uint8_t {
  simple,    // workers are as a REQ is: READY, and then requests and replies in turn
  paranoid,  // 6/PPP: both sides send heartbeats, so that each learns of the other's death
};

// What a worker announces that takes bodies of several parts. Workers of the Guide do not, and answer
// nothing else than one part.
inline constexpr std::string_view multipart_name = "ppp-multipart";

enum class pirate_kind : std::uint8_t {
  ready,      // [01]
  heartbeat,  // [02], not in the simple protocol
  request,    // an address stack, an empty frame and a body; and so is a reply
};

// What `m` is, whoever it is from; nothing if it is none of them. It is left without the empty frame in front
// of all that the simple protocol has.
[[nodiscard]] std::optional<pirate_kind> parse_pirate(message& m, pirate_protocol how) noexcept;

[[nodiscard]] message make_ready(pirate_protocol how);
[[nodiscard]] message make_heartbeat();

// How many frames an address stack and the empty frame behind it are; zero if there is no empty frame, or no
// body behind it.
[[nodiscard]] std::size_t envelope_size(const message& m) noexcept;
// Takes so many parts from the front of `m`.
[[nodiscard]] message take_front(message& m, std::size_t parts);

// A request to a worker, or its reply.
void wrap_pirate(message& body, const message& envelope, pirate_protocol how);

}  // namespace zmtp
