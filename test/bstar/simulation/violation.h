#pragma once
// Violations that a simulation of a Binary Star pair can detect.

#include <cstdint>
#include <string_view>

namespace bstar::simulation {

enum class violation : std::uint8_t {
  epoch_of_both,     // both servers were active in one epoch
  epoch_went_back,   // a server knows of an earlier epoch, or uses one again, after a restart
  epoch_not_stored,  // a server became active before the epoch was in its file
  two_served,        // both servers served at the same time, although the link between them works
  unasked,           // a server took over without a request of a client
  too_early,         // a server took over before the expiry, or from a peer that was well
  none_active,       // all is well, and no server is active in time
  both_active,       // all is well, and both are
  unsteady,          // all is well, and a server changes its role
  unserved,          // all is well, and a client is not served in time
};

[[nodiscard]] constexpr std::string_view to_string(violation v) noexcept {
  switch (v) {
    case violation::epoch_of_both: return "an epoch of both";
    case violation::epoch_went_back: return "an epoch went back";
    case violation::epoch_not_stored: return "an epoch not stored";
    case violation::two_served: return "two served";
    case violation::unasked: return "took over unasked";
    case violation::too_early: return "took over too early";
    case violation::none_active: return "none active";
    case violation::both_active: return "both active";
    case violation::unsteady: return "unsteady";
    case violation::unserved: return "unserved";
  }
  return {};
}

}  // namespace bstar::simulation
