#pragma once
// DEALER: sends each message to the next peer that has room, receives fairly from all. Face of
// zmtp/routing/round_robin_state.h.

#include "zmtp/options.h"
#include "zmtp/socket/announcing.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/receiving_from.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"

namespace zmtp {

class dealer_socket : public sending<announcing<receiving_from<receiving<socket>>>> {
public:
  // With the options' defaults. No default argument: GCC 12 destroys one twice if the executor is
  // awaited in the same expression.
  explicit dealer_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error with errc::bad_option.
  dealer_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
