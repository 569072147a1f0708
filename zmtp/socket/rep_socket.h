#pragma once
// REP: one request, then its reply. Public type over zmtp/routing/rep_state.h.

#include "zmtp/options.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/receiving_from.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"

namespace zmtp {

// Receives the next request only after the reply to the last one. Drops and counts a reply if its
// client has disconnected or its queue is full.
//
// Thread safety, executor and lifetime: see zmtp::socket.
class rep_socket : public sending<receiving_from<receiving<socket>>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit rep_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option.
  rep_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
