#include "zmtp/monitor_event.h"

namespace zmtp {

std::string_view to_string(monitor_event::kind what) noexcept {
  using kind = monitor_event::kind;
  switch (what) {
    case kind::listening: return "listening";
    case kind::bind_failed: return "bind_failed";
    case kind::unbound: return "unbound";
    case kind::accepted: return "accepted";
    case kind::accept_paused: return "accept_paused";
    case kind::connecting: return "connecting";
    case kind::connected: return "connected";
    case kind::connect_failed: return "connect_failed";
    case kind::connect_delayed: return "connect_delayed";
    case kind::stopped: return "stopped";
    case kind::handshake_failed: return "handshake_failed";
    case kind::refused: return "refused";
    case kind::attached: return "attached";
    case kind::detached: return "detached";
    case kind::not_reading: return "not_reading";
    case kind::subscription_refused: return "subscription_refused";
    case kind::certificate_kept: return "certificate_kept";
    case kind::closed: return "closed";
  }
  return "unknown";
}

}  // namespace zmtp
