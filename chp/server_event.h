#pragma once
// The events of a server.

#include <cstdint>

namespace chp {

// An event of a server, for logs and programs.
enum class server_event : std::uint8_t {
  active,          // it accepts updates
  passive,         // it follows the active server
  backup_in_sync,  // the backup has everything; from now on nothing is committed without it
  backup_lost,     // no backup is in sync any more
  synchronized,    // passive: it has what the active server had, and follows
  gap,           // passive, beside a server of the Guide: updates are missing; copies the map again
  diverged,      // passive: it has updates that the active server does not have; see lost_updates
  stopped,       // passive: the active server lacks what both had; an operator must decide
  handing_over,  // active: the store has failed, and the backup takes over
  epoch_used_up,  // updates are rejected: no numbers are left, and no new epoch has come
  stored,         // the store is complete again
  store_full,     // the store is full; nothing is committed until it has space
  store_failed,   // the store has failed; nothing is committed any more
};

// Returns the name of the enumerator.
[[nodiscard]] const char* to_string(server_event what) noexcept;

}  // namespace chp
