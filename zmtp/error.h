#pragma once
// Everything that can go wrong, one enumerator per distinct fault.

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <cstddef>
#include <type_traits>

namespace zmtp {

using boost::system::error_code;
template <class T>
using result = boost::system::result<T>;

enum class errc {
  // The peer's greeting (RFC 37 "Greeting").
  not_zmtp = 1,        // the first octets are no ZMTP greeting at all (HTTP, TLS, telnet …)
  version_1_refused,   // a ZMTP 1.0 peer
  version_2_refused,   // a ZMTP 2.0 peer
  mechanism_mismatch,  // the peer's security mechanism is not ours
  bad_mechanism_name,  // not NUL-padded, or octets that no mechanism name has

  // Frames.
  frame_too_large,    // above limits::frame_size
  message_too_large,  // above limits::message_size
  too_many_parts,     // above limits::message_parts
  bad_frame_size,     // a size with its top bit set
  bad_frame_flags,    // a command with MORE

  // Commands.
  command_too_large,    // above limits::handshake_command_size or limits::command_size
  bad_command,          // no name, or a body that ends before its fields
  unexpected_command,   // a command or message that the handshake's state does not allow
  command_in_message,   // between the parts of a message, and not PING, PONG, SUBSCRIBE or CANCEL
  too_many_commands,    // between the parts of a message, above limits::message_commands
  bad_metadata,         // a property that is cut short, or octets behind the last
  bad_property_name,    // empty, or characters that RFC 37 does not allow
  duplicate_property,   // the same name twice
  too_many_properties,  // above limits::metadata_properties
  refused_by_peer,      // the peer sent ERROR
  bad_ping,             // a PING that ends before its TTL does
  ping_flood,           // more PINGs a second than limits::pings_per_second
  topic_too_long,       // above limits::topic_size
  // above limits::subscriptions, subscription_octets or topic_size: the subscription is refused
  too_many_subscriptions,

  // Who the peer is.
  bad_socket_type,       // a Socket-Type that ours does not talk to
  routing_id_too_long,   // above 255 octets
  duplicate_routing_id,  // another living peer has this routing id
  not_admitted,          // the authenticator refused the peer
  already_paired,        // a PAIR has a peer, and takes no other

  // The life of a connection.
  too_many_handshakes,   // socket_options::pending_handshakes are under way: newcomers wait
  handshake_timeout,     // not finished within limits::handshake_time
  connection_lost,       // the peer closed, or the network did
  out_of_memory,         // there was none for what the peer sent
  handshake_evicted,     // silent for limits::handshake_silence, it gave way to a newcomer
  address_share_taken,   // its address has a quarter of socket_options::pending_handshakes already
  half_message_evicted,  // the largest half message, when all held more than the memory_budget
  probe_unanswered,      // neither an octet nor a TCP acknowledgement after a PING
  heartbeat_timeout,  // no octet after a PING, though TCP acknowledged it (heartbeat_options::strict)
  too_slow,           // a subscriber had no room for a message (socket_options::disconnect_slow)
  ttl_expired,        // no octet within the TTL of the peer's own PING (heartbeat_options::strict)

  // What the local user asked.
  bad_endpoint,       // not transport://address
  unknown_transport,  // a transport that this build does not have
  address_too_long,   // a path or name with more octets than its transport allows
  unknown_interface,  // neither an address of this machine nor the name of an interface
  path_taken,         // where a socket is to be, there is a file that is none
  bad_option,         // a socket option out of its range
  socket_closed,      // the socket was closed
  host_unreachable,   // no peer of that routing id
  endpoint_stopped,  // every endpoint was given up (reconnect_options), and nobody is left to send to
  would_block,       // the queue is full
  timed_out,         // the operation's deadline passed
  bad_message,       // a message that cannot be sent as it is (no parts, or too many)
  out_of_turn,       // a second request before the reply, a reply without a request
};

inline constexpr std::size_t errc_count = static_cast<std::size_t>(errc::out_of_turn) + 1;

// Faults as conditions, for who does not need the distinct ones.
enum class condition {
  protocol_violation = 1,  // the peer broke ZMTP
  limit_exceeded,          // the peer went over one of our limits
  version_refused,         // the peer is no ZMTP 3.x peer
};

[[nodiscard]] const boost::system::error_category& zmtp_category() noexcept;
[[nodiscard]] const boost::system::error_category& zmtp_condition_category() noexcept;

[[nodiscard]] inline error_code make_error_code(errc e) noexcept {
  return {static_cast<int>(e), zmtp_category()};
}
[[nodiscard]] inline boost::system::error_condition make_error_condition(condition c) noexcept {
  return {static_cast<int>(c), zmtp_condition_category()};
}

}  // namespace zmtp

template <>
struct boost::system::is_error_code_enum<zmtp::errc> : std::true_type {};
template <>
struct boost::system::is_error_condition_enum<zmtp::condition> : std::true_type {};
