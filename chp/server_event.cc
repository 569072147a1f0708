#include "chp/server_event.h"

namespace chp {

const char* to_string(server_event what) noexcept {
  using enum server_event;
  switch (what) {
    case active: return "active";
    case passive: return "passive";
    case backup_in_sync: return "backup_in_sync";
    case backup_lost: return "backup_lost";
    case synchronized: return "synchronized";
    case gap: return "gap";
    case diverged: return "diverged";
    case stopped: return "stopped";
    case handing_over: return "handing_over";
    case epoch_used_up: return "epoch_used_up";
    case stored: return "stored";
    case store_full: return "store_full";
    case store_failed: return "store_failed";
  }
  return "";
}

}  // namespace chp
