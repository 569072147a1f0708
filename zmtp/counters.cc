#include "zmtp/counters.h"

namespace zmtp {

error_code to_error(send_status status) noexcept {
  switch (status) {
    case send_status::queued:
    case send_status::full: break;
    case send_status::unknown: return errc::host_unreachable;
    case send_status::out_of_turn: return errc::out_of_turn;
    case send_status::too_long: return errc::topic_too_long;
    case send_status::closed: return errc::socket_closed;
    case send_status::bad_message: return errc::bad_message;
  }
  return {};
}

}  // namespace zmtp
