#include "zmtp/conversation/graceful_close.h"

#include <algorithm>

namespace zmtp {

namespace {

// The pause between two checks doubles. A peer that reads slowly may take any time.
constexpr std::chrono::milliseconds first_pause{5};
constexpr std::chrono::milliseconds longest_pause{160};

}  // namespace

graceful_close::verdict graceful_close::on_read(received what) noexcept {
  switch (what) {
    case received::bytes:
    case received::nothing: return verdict::stays;
    // If the peer closes before the local end does, it cannot have read everything.
    case received::end: peer_ended_ = shut_; return shut_ ? verdict::closed : verdict::left_unread;
    case received::failure: break;
  }
  return verdict::left_unread;
}

// TCP tells whether the peer read everything before it closed: it acknowledges the bytes, or it
// resets the connection.
graceful_close::outcome graceful_close::look(clock::time_point now, bool send_broken, bool reset,
                                             std::size_t unacknowledged) noexcept {
  next_look_.reset();
  if (send_broken || reset) {
    return outcome::left_unread;
  }
  if (unacknowledged == 0) {
    return outcome::read_all;
  }
  pause_ = std::clamp<clock::duration>(pause_ * 2, first_pause, longest_pause);
  next_look_ = now + pause_;
  return outcome::unknown;
}

}  // namespace zmtp
