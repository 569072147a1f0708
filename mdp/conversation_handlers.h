#pragma once
// Handlers of a Majordomo worker or client for observers.

#include "zmtp/message.h"

#include <functional>

namespace mdp {

// Handlers for observers, in the order of events. They run in the executor of the worker or client,
// some of them inside one of its calls, and must not call it. An exception that they throw
// propagates out of `io_context::run()`. Each handler may be empty.
struct conversation_handlers {
  // A message as it is on the wire, with the empty frame of 0.1.
  std::function<void(const zmtp::message& m)> on_received{};  // before the receiver reads it
  std::function<void(const zmtp::message& m)> on_send{};      // before it is queued
  // Called when the worker or client leaves its connection and opens another, for example after a
  // disconnect or a timeout. A client calls it only while a request is in flight.
  std::function<void()> on_lost{};
};

}  // namespace mdp
