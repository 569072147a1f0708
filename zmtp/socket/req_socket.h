#pragma once
// REQ: one request, then its reply. Face of
// zmtp/routing/req_state.h.

#include "zmtp/options.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/receiving_from.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"

namespace zmtp {

// Sending again before the reply has come is out of turn, unless socket_options::relaxed. The reply is
// awaited from the peer that was asked, and for ever if that one is gone: give a deadline. What was asked
// is not asked again by itself.
class req_socket : public sending<receiving_from<receiving<socket>>> {
public:
  // With the options' defaults. No default argument: GCC 12 destroys one twice if the executor is
  // awaited in the same expression.
  explicit req_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error with errc::bad_option.
  req_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
