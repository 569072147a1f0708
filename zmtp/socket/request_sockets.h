#pragma once
// REQ, REP, DEALER and ROUTER (RFC 28): requests and replies. PAIR (RFC 31): one peer.

#include "zmtp/options.h"
#include "zmtp/peer.h"
#include "zmtp/socket/enveloping.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"

#include <optional>
#include <string_view>

namespace zmtp {

class router_state;

// REQ: one request, then its reply.
//
// A second send before the reply fails with errc::out_of_turn, unless socket_options::relaxed is
// set. The socket waits for the reply of the peer that got the request, even if that peer has
// disconnected, so use a deadline. The socket does not resend requests.
//
// Options: those of every type, and correlate, immediate, probe_router, relaxed, routing_id.
//
// Executor: a handler runs in its associated executor, or in the executor of the socket, and never
// inside the call that starts its operation. Thread safety and lifetime: see zmtp::socket.
class req_socket : public sending<receiving_from<receiving<socket>>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit req_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option, with a text that names the option.
  req_socket(asio::any_io_executor executor, const socket_options& options);
};

// REP: one request, then its reply.
//
// Receives the next request only after the reply to the last one. Drops and counts a reply if its
// client has disconnected or its queue is full.
//
// Options: those of every type.
//
// Executor: a handler runs in its associated executor, or in the executor of the socket, and never
// inside the call that starts its operation. Thread safety and lifetime: see zmtp::socket.
class rep_socket : public sending<receiving_from<receiving<socket>>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit rep_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option, with a text that names the option.
  rep_socket(asio::any_io_executor executor, const socket_options& options);
};

// DEALER: sends each message to the next ready peer, and receives fairly from all peers.
//
// Options: those of every type, and announce_peers, conflate, disconnect_message, hello_message,
// immediate, policy, probe_router, routing_id.
//
// Executor: a handler runs in its associated executor, or in the executor of the socket, and never
// inside the call that starts its operation. Thread safety and lifetime: see zmtp::socket.
class dealer_socket : public sending<receiving_from<receiving<socket>>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit dealer_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option, with a text that names the option.
  dealer_socket(asio::any_io_executor executor, const socket_options& options);
};

// ROUTER: receives from all peers with the sender of each message, and sends to a named peer.
//
// A peer_id names a peer. The peer_id is beside the message, not a part of it. The operations with
// a plain message use an envelope: the first part is the routing id. With
// socket_options::announce_peers, the user also receives attach and detach of peers, in order.
//
// Options: those of every type, and announce_peers, disconnect_message, handover, hello_message,
// immediate, mandatory, probe_router, routing_id.
//
// Executor: a handler runs in its associated executor, or in the executor of the socket, and never
// inside the call that starts its operation. Thread safety and lifetime: see zmtp::socket.
class router_socket : public enveloping<addressing<receiving<socket, routed_message>>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit router_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option, with a text that names the option.
  router_socket(asio::any_io_executor executor, const socket_options& options);

  using addressing::async_send;
  using addressing::try_receive;
  using addressing::try_send;
  using enveloping::try_receive;
  using enveloping::try_send;

  // Returns the live peer with this routing id, or nothing.
  [[nodiscard]] std::optional<peer_id> find(std::string_view routing_id) const noexcept;

private:
  router_state* state_;
};

// PAIR: one peer, in both directions.
//
// While there is a peer, the socket rejects others (errc::already_paired). An endpoint from
// connect() is the peer until disconnect(). Sending waits while there is no peer or its queue is
// full. The socket never drops a message for a full queue.
//
// Options: those of every type, and disconnect_message, hello_message, immediate.
//
// Executor: a handler runs in its associated executor, or in the executor of the socket, and never
// inside the call that starts its operation. Thread safety and lifetime: see zmtp::socket.
class pair_socket : public sending<receiving_from<receiving<socket>>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit pair_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option, with a text that names the option.
  pair_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
