#pragma once
// SUB: receives messages that match its subscriptions. Public type over zmtp/routing/sub_state.h.

#include "zmtp/options.h"
#include "zmtp/socket/announcing.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/receiving_from.h"
#include "zmtp/socket/socket.h"
#include "zmtp/socket/subscribing.h"

namespace zmtp {

// Stops reading when its queue is full, and drops nothing. Only a publisher drops messages, when
// its own queue is full.
//
// Thread safety, executor and lifetime: see zmtp::socket.
class sub_socket : public subscribing<announcing<receiving_from<receiving<socket>>>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit sub_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option.
  sub_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
