#include "zmtp/socket/readiness.h"

#include "zmtp/engine/socket_core.h"

namespace zmtp::operations {

bool readable(socket_core& core) noexcept {
  const serial_check::scope alone{core.serial()};
  return core.state().readable();
}

bool writable(socket_core& core) noexcept {
  const serial_check::scope alone{core.serial()};
  return core.open() && !core.senders_wait() && core.state().writable();
}

}  // namespace zmtp::operations
