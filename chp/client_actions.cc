#include "chp/client_actions.h"

namespace chp {

const char* to_string(client_event::kind what) noexcept {
  using enum client_event::kind;
  switch (what) {
    case following: return "following";
    case server_lost: return "server_lost";
    case server_unreachable: return "server_unreachable";
    case server_silent: return "server_silent";
    case gap: return "gap";
    case too_large: return "too_large";
    case history_refused: return "history_refused";
    case forbidden: return "forbidden";
    case history_lost: return "history_lost";
    case lost: return "lost";
    case session_forgotten: return "session_forgotten";
    case degraded: return "degraded";
    case replicated: return "replicated";
  }
  return "";
}

}  // namespace chp
