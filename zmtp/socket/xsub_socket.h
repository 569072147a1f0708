#pragma once
// XSUB: a SUB without a filter, whose user may send subscriptions as messages. Public type over
// zmtp/routing/xsub_state.h.

#include "zmtp/options.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/receiving_from.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"
#include "zmtp/socket/subscribing.h"

namespace zmtp {

// A sent message of one part that begins with byte 1 subscribes to the topic after that byte. Byte
// 0 unsubscribes. Neither waits, and both go before queued messages. A topic above
// limits::topic_size fails with errc::topic_too_long. Every other message goes to all publishers. A
// publisher with a full queue misses it, and the socket counts that. When its own queue is full,
// the socket stops reading and drops nothing.
//
// Thread safety, executor and lifetime: see zmtp::socket.
class xsub_socket : public sending<subscribing<receiving_from<receiving<socket>>>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit xsub_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option.
  xsub_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
