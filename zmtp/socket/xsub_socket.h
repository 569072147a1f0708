#pragma once
// XSUB: SUB whose subscriptions may be messages, without a filter of its own. Face of
// zmtp/routing/xsub_state.h.

#include "zmtp/options.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/receiving_from.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"
#include "zmtp/socket/subscribing.h"

namespace zmtp {

// A sent message of one part that begins with the octet 1 subscribes to what is behind it, with the octet
// 0 it unsubscribes. Neither ever waits, and both go before what is still queued; above
// limits::topic_size it is errc::topic_too_long. All else is sent to every publisher; one whose queue is
// full misses it, which is counted. When the socket's own queue is full it stops reading and drops
// nothing.
class xsub_socket : public sending<subscribing<receiving_from<receiving<socket>>>> {
public:
  // With the options' defaults. No default argument: GCC 12 destroys one twice if the executor is
  // awaited in the same expression.
  explicit xsub_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error with errc::bad_option.
  xsub_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
