#pragma once
// The messages of workers and queues in the Simple and the Paranoid Pirate patterns (6/PPP),
// without I/O.

#include "zmtp/message.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zmtp {

enum class pirate_protocol : std::uint8_t {
  simple,    // workers behave as REQ: READY, then requests and replies in turn
  paranoid,  // 6/PPP: both sides send heartbeats, so that each detects a dead peer
};

// An extension that a worker announces if it accepts bodies of several parts. The Guide's workers
// do not, and treat only a body of one part as a request.
inline constexpr std::string_view multipart_name = "ppp-multipart";

enum class pirate_kind : std::uint8_t {
  ready,      // [01]
  heartbeat,  // [02], not in the simple protocol
  request,    // a request or a reply: an address stack, an empty frame and a body
};

// Returns the kind of `m` from either side, or nothing if `m` is not valid. Removes the empty frame
// that the simple protocol puts in front.
[[nodiscard]] std::optional<pirate_kind> parse_pirate(message& m, pirate_protocol how) noexcept;

[[nodiscard]] message make_ready(pirate_protocol how);
[[nodiscard]] message make_heartbeat();

// Returns the number of frames of an address stack and the empty frame after it. Returns zero if
// there is no empty frame, or no body after it.
[[nodiscard]] std::size_t envelope_size(const message& m) noexcept;
// Removes the first `parts` parts of `m` and returns them.
[[nodiscard]] message take_front(message& m, std::size_t parts);

// Wraps a request for a worker, or its reply.
void wrap_pirate(message& body, const message& envelope, pirate_protocol how);

}  // namespace zmtp
