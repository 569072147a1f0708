#pragma once
// PAIR: one peer, in both directions. Public type over zmtp/routing/pair_state.h.

#include "zmtp/options.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/receiving_from.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"

namespace zmtp {

// While there is a peer, the socket rejects others (errc::already_paired). An endpoint from
// connect() is the peer until disconnect(). Sending waits while there is no peer or its queue is
// full. The socket never drops a message for a full queue.
//
// Thread safety, executor and lifetime: see zmtp::socket.
class pair_socket : public sending<receiving_from<receiving<socket>>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit pair_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option.
  pair_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
