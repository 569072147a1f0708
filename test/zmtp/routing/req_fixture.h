#pragma once
// Options of a REQ, and replies to it.

#include "test/support/routing.h"
#include "zmtp/routing/lock_step_state.h"

#include <string_view>
#include <utility>

namespace zmtp::test {

inline socket_options with_options(bool relaxed, bool correlate) {
  socket_options options;
  options.relaxed = relaxed;
  options.correlate = correlate;
  return options;
}

inline message reply(std::string_view text) { return {"", text}; }

// The peer has taken its messages, and then sends.
inline void peer_answers(req_state& req, peer_id from, message m) {
  write(req, from);
  peer_sends(req, from, std::move(m));
}

}  // namespace zmtp::test
