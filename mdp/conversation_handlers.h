#pragma once
// What a Majordomo worker or client says and hears, for who looks on.

#include "zmtp/message.h"

#include <functional>

namespace mdp {

// Called in the executor, in the order of what happens. They may not call who tells them. What they throw
// reaches who runs the context. Absent: nothing is told.
struct conversation_handlers {
  // A message as it is on the wire, with the empty frame of 0.1.
  std::function<void(const zmtp::message& m)> on_received{};  // before it is looked at
  std::function<void(const zmtp::message& m)> on_send{};      // before it is queued
  // The broker is lost or silent, or sends its worker away, and is connected to anew; of a client: while it
  // has a request.
  std::function<void()> on_lost{};
};

}  // namespace mdp
