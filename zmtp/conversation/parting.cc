#include "zmtp/conversation/parting.h"

namespace zmtp {

parting::verdict parting::on_read(heard what) const noexcept {
  switch (what) {
    case heard::octets:
    case heard::nothing: return verdict::stays;
    // Before we said that there is no more, it cannot have waited for the end.
    case heard::end: return shut_ ? verdict::closed : verdict::left_unread;
    case heard::failure: break;
  }
  return verdict::left_unread;
}

// Whether it read to the end before it closed, its TCP says: it acknowledges, or resets.
parting::outcome parting::judge(bool deaf, bool reset, std::size_t unacknowledged) noexcept {
  if (deaf || reset) {
    return outcome::left_unread;
  }
  return unacknowledged == 0 ? outcome::read_all : outcome::unknown;
}

}  // namespace zmtp
