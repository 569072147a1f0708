#pragma once
// PULL: receives fairly from all PUSH peers. Face of
// zmtp/routing/round_robin_state.h.

#include "zmtp/options.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/receiving_from.h"
#include "zmtp/socket/socket.h"

namespace zmtp {

class pull_socket : public receiving_from<receiving<socket>> {
public:
  // With the options' defaults. No default argument: GCC 12 destroys one twice if the executor is
  // awaited in the same expression.
  explicit pull_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error with errc::bad_option.
  pull_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
