#pragma once
// Options of a node of a Binary Star pair.

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace bstar {

// The role of a node. Two new nodes that meet have no newer data, so the role decides.
enum class role : std::uint8_t {
  primary,  // waits for the backup; becomes active when they meet
  backup,   // waits for the primary; becomes passive when they meet
};

// The condition under which a node takes over when its peer has been unresponsive for the expiry.
enum class takeover : std::uint8_t {
  on_request,  // a client sends a request, which shows that clients cannot reach the peer either
  on_expiry,   // no other condition; a broken link between the nodes makes both active
};

// Options of a pair. Both nodes must have the same heartbeat and expiry.
struct pair_options {
  role as = role::primary;
  // Interval between two state messages to the peer.
  std::chrono::milliseconds heartbeat{1'000};
  // Time without a message before the peer is declared dead. Absent: twice the heartbeat, as in the
  // Guide.
  std::optional<std::chrono::milliseconds> expiry{};
  takeover take_over = takeover::on_request;
  // Time after which a node becomes active although its peer has never sent a message. Counts for a
  // backup, and for either node that has lost its data. Absent: such a node waits without limit, as
  // a backup does in the Guide.
  std::optional<std::chrono::milliseconds> promote_alone_after{};
  // A primary serves the first request, as in the Guide's proof of concept, even if it has not yet
  // waited for the expiry. After a restart, both nodes are active until the primary receives a
  // message from its peer.
  bool primary_serves_at_once = false;

  [[nodiscard]] std::chrono::milliseconds expiry_or_default() const noexcept {
    return expiry.value_or(2 * heartbeat);
  }
};

// Checks the options.
// Errors: errc::bad_option if the heartbeat is below 1 ms or above a day, the expiry below one and
// a half heartbeats or above two days, or promote_alone_after negative or above a day.
[[nodiscard]] boost::system::error_code validate(const pair_options& options) noexcept;

}  // namespace bstar
