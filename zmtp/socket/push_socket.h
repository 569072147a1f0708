#pragma once
// PUSH: sends each message to the next PULL peer that has room. Face of
// zmtp/routing/round_robin_state.h.

#include "zmtp/options.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"

namespace zmtp {

class push_socket : public sending<socket> {
public:
  // With the options' defaults. No default argument: GCC 12 destroys one twice if the executor is
  // awaited in the same expression.
  explicit push_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error with errc::bad_option.
  push_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
