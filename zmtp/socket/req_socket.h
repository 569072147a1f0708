#pragma once
// REQ: one request, then its reply. Public type over zmtp/routing/req_state.h.

#include "zmtp/options.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/receiving_from.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"

namespace zmtp {

// A second send before the reply fails with errc::out_of_turn, unless socket_options::relaxed is
// set. The socket waits for the reply of the peer that got the request, even if that peer has
// disconnected, so use a deadline. The socket does not resend requests.
//
// Thread safety, executor and lifetime: see zmtp::socket.
class req_socket : public sending<receiving_from<receiving<socket>>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit req_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option.
  req_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
