#pragma once
// Options of a node of a Binary Star pair: plain values, safe as they are.

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace bstar {

enum class role : std::uint8_t {
  primary,  // waits for the backup, and is active when they meet
  backup,   // waits for the primary, and is passive when they meet
};

// What lets a node that has not heard its peer for the expiry take over.
enum class takeover : std::uint8_t {
  on_request,  // a client's request: its vote says that the peer cannot be reached by others either
  on_expiry,   // nothing more: also when only the link between the two is broken
};

// Both nodes of a pair must have the same heartbeat and expiry.
struct pair_options {
  role as = role::primary;
  // How often the peer is told our state.
  std::chrono::milliseconds heartbeat{1'000};
  // A peer that is silent for so long is taken for dead. Absent: twice the heartbeat, as in the Guide.
  std::optional<std::chrono::milliseconds> expiry{};
  takeover take_over = takeover::on_request;
  // A backup that has never heard a primary becomes active after so long, and so does either node that has
  // lost its data, with none. Absent: it waits for ever, as a backup does in the Guide.
  std::optional<std::chrono::milliseconds> promote_alone_after{};
  // A primary serves the first request that comes, as in the Guide's proof of concept, not only when it
  // has listened for the expiry. When it is restarted, two serve until it hears its peer.
  bool primary_serves_at_once = false;

  [[nodiscard]] std::chrono::milliseconds expiry_or_default() const noexcept {
    return expiry.value_or(2 * heartbeat);
  }
};

// Errors: errc::bad_option, for a heartbeat below 1 ms, an expiry below one and a half heartbeats, a
// negative wait, or any of them above a day.
[[nodiscard]] boost::system::error_code validate(const pair_options& options) noexcept;

}  // namespace bstar
