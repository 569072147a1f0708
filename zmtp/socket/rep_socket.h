#pragma once
// REP: one request, then its reply. Face of
// zmtp/routing/rep_state.h.

#include "zmtp/options.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/receiving_from.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"

namespace zmtp {

// Receives the next request once it has replied to the last one; whose replies nobody can take are
// dropped and counted.
class rep_socket : public sending<receiving_from<receiving<socket>>> {
public:
  // With the options' defaults. No default argument: GCC 12 destroys one twice if the executor is
  // awaited in the same expression.
  explicit rep_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error with errc::bad_option.
  rep_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
