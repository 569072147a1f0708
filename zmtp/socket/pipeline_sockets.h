#pragma once
// PUSH and PULL (RFC 30): messages to one of several peers, in one direction.

#include "zmtp/options.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"

namespace zmtp {

// PUSH: sends each message to the next ready PULL peer.
//
// Options: those of every type, and conflate, hello_message, immediate, policy.
//
// Executor: a handler runs in its associated executor, or in the executor of the socket, and never
// inside the call that starts its operation. Thread safety and lifetime: see zmtp::socket.
class push_socket : public sending<socket> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit push_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option, with a text that names the option.
  push_socket(asio::any_io_executor executor, const socket_options& options);
};

// PULL: receives fairly from all PUSH peers.
//
// Options: those of every type, and conflate, disconnect_message.
//
// Executor: a handler runs in its associated executor, or in the executor of the socket, and never
// inside the call that starts its operation. Thread safety and lifetime: see zmtp::socket.
class pull_socket : public receiving_from<receiving<socket>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit pull_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option, with a text that names the option.
  pull_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
