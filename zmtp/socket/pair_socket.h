#pragma once
// PAIR: one peer, in both directions. Face of
// zmtp/routing/pair_state.h.

#include "zmtp/options.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/receiving_from.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"

namespace zmtp {

// While there is a peer, others are refused (errc::already_paired); an endpoint that one has connected to
// is the peer until one disconnects from it. Sending waits while there is no peer or it has no room, and
// never discards.
class pair_socket : public sending<receiving_from<receiving<socket>>> {
public:
  // With the options' defaults. No default argument: GCC 12 destroys one twice if the executor is
  // awaited in the same expression.
  explicit pair_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error with errc::bad_option.
  pair_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
