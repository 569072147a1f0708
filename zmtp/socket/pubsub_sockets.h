#pragma once
// PUB, SUB, XPUB and XSUB (RFC 29): messages to all peers that subscribe to their topic.

#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"
#include "zmtp/socket/subscribing.h"

#include <string_view>

namespace zmtp {

class last_values;
class xpub_state;

// PUB: sends each message to all SUB peers with a matching subscription.
//
// Sending never waits. A subscriber with a full queue misses messages, and the socket counts them.
// With socket_options::no_drop, sending waits for the slowest subscriber instead. With
// disconnect_slow, the socket disconnects a subscriber that is too slow.
//
// Options: those of every type, and conflate, disconnect_slow, no_drop.
//
// Executor: a handler runs in its associated executor, or in the executor of the socket, and never
// inside the call that starts its operation. Thread safety and lifetime: see zmtp::socket.
class pub_socket : public publishing<sending<socket>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit pub_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option, with a text that names the option.
  pub_socket(asio::any_io_executor executor, const socket_options& options);
};

// SUB: receives messages that match its subscriptions.
//
// Stops reading when its queue is full, and drops nothing. Only a publisher drops messages, when
// its own queue is full.
//
// Options: those of every type, and announce_peers, conflate.
//
// Executor: a handler runs in its associated executor, or in the executor of the socket, and never
// inside the call that starts its operation. Thread safety and lifetime: see zmtp::socket.
class sub_socket : public subscribing<receiving_from<receiving<socket>>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit sub_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option, with a text that names the option.
  sub_socket(asio::any_io_executor executor, const socket_options& options);
};

// XPUB: a PUB that receives the subscriptions and messages of its peers, and can send to one peer.
//
// Sends to all matching peers, as PUB does. Receives subscriptions, with the peer beside each: one
// part with byte 1 for a subscription or byte 0 for its end, and then the topic.
// socket_options::xpub selects which ones the user receives. When a peer disconnects, its topics
// that no other peer has end before its detach. The user receives all other messages of peers
// unchanged. If the user does not receive, new subscriptions wait after the receive mark is
// reached.
//
// Options: those of every type, and announce_peers, disconnect_slow, mandatory, no_drop, xpub.
//
// Executor: a handler runs in its associated executor, or in the executor of the socket, and never
// inside the call that starts its operation. Thread safety and lifetime: see zmtp::socket.
class xpub_socket : public sending<addressing<receiving<socket, routed_message>>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit xpub_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option, with a text that names the option.
  xpub_socket(asio::any_io_executor executor, const socket_options& options);

  using addressing::async_send;
  using addressing::async_wait_writable;
  using addressing::try_send;
  using sending::async_send;
  using sending::async_wait_writable;
  using sending::try_send;

  // With xpub_options::manual: subscribe this peer to `topic`, or end the subscription.
  // Errors: errc::host_unreachable (no such peer), bad_option (`manual` is not set).
  void subscribe(peer_id peer, std::string_view topic, error_code& ec);
  void cancel(peer_id peer, std::string_view topic, error_code& ec);

  // Returns the stored messages of xpub_options::last_values. Returns nullptr if the option is not
  // set, or before the first message. Valid until the options of the socket change.
  [[nodiscard]] const zmtp::last_values* last_values() const noexcept;

private:
  xpub_state* state_;
};

// XSUB: a SUB without a filter, whose user may send subscriptions as messages.
//
// A sent message of one part that begins with byte 1 subscribes to the topic after that byte. Byte
// 0 unsubscribes. Neither waits, and both go before queued messages. A topic above
// limits::topic_size fails with errc::topic_too_long. Every other message goes to all publishers. A
// publisher with a full queue misses it, and the socket counts that. When its own queue is full,
// the socket stops reading and drops nothing.
//
// Options: those of every type, and disconnect_message, immediate.
//
// Executor: a handler runs in its associated executor, or in the executor of the socket, and never
// inside the call that starts its operation. Thread safety and lifetime: see zmtp::socket.
class xsub_socket : public sending<subscribing<receiving_from<receiving<socket>>>> {
public:
  // Uses default options. Not a default argument, because GCC 12 destroys it twice if the executor
  // is awaited in the same expression.
  explicit xsub_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error: errc::bad_option, with a text that names the option.
  xsub_socket(asio::any_io_executor executor, const socket_options& options);
};

}  // namespace zmtp
