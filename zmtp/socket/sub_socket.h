#pragma once
// SUB: receives what it has subscribed to. Face of
// zmtp/routing/sub_state.h.

#include "zmtp/options.h"
#include "zmtp/socket/announcing.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/receiving_from.h"
#include "zmtp/socket/socket.h"
#include "zmtp/socket/subscribing.h"

namespace zmtp {

// When its queue is full it stops reading and drops nothing; what it misses, a publisher has dropped.
class sub_socket : public subscribing<announcing<receiving_from<receiving<socket>>>> {
public:
  // With the options' defaults. No default argument: GCC 12 destroys one twice if the executor is
  // awaited in the same expression.
  explicit sub_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error with errc::bad_option.
  sub_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
