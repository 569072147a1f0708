#pragma once
// The error codes of Zinc, one enumerator per distinct fault. error.cc has their texts.

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <cstddef>
#include <type_traits>

namespace zmtp {

using boost::system::error_code;
template <class T>
using result = boost::system::result<T>;

enum class errc {
  // Greeting (RFC 37 "Greeting").
  not_zmtp = 1,        // the first bytes are not a ZMTP greeting (HTTP, TLS, telnet …)
  version_1_refused,   // the peer speaks ZMTP 1.0
  version_2_refused,   // the peer speaks ZMTP 2.0
  mechanism_mismatch,  // the peer uses a different security mechanism
  bad_mechanism_name,  // not padded with NUL, or invalid characters in the name

  // Frames.
  frame_too_large,    // above limits::frame_size
  message_too_large,  // above limits::message_size
  too_many_parts,     // above limits::message_parts
  bad_frame_size,     // the top bit of a size is set
  bad_frame_flags,    // a command has the MORE flag

  // Commands.
  command_too_large,    // above limits::handshake_command_size or limits::command_size
  bad_command,          // no name, or truncated fields
  unexpected_command,   // a command or message that the handshake does not allow now
  command_in_message,   // between parts, and not PING, PONG, SUBSCRIBE or CANCEL
  too_many_commands,    // between the parts of a message, above limits::message_commands
  bad_metadata,         // a truncated property, or bytes after the last property
  bad_property_name,    // empty, or characters that RFC 37 does not allow
  duplicate_property,   // the same name twice
  too_many_properties,  // above limits::metadata_properties
  refused_by_peer,      // the peer sent ERROR
  bad_ping,             // a PING without a complete TTL
  ping_flood,           // more PINGs per second than limits::pings_per_second
  topic_too_long,       // above limits::topic_size
  // Above limits::subscriptions, subscription_bytes or topic_size. The socket ignores the
  // subscription.
  too_many_subscriptions,

  // WebSocket (RFC 6455) and ZWS 2.0 (RFC 45).
  // of the wrong kind or with unknown flags, fragmented, or masked by the wrong side
  bad_websocket_frame,
  bad_upgrade,      // a malformed HTTP request or response, or not for ZWS 2.0
  upgrade_refused,  // the server answered the request with an error
  foreign_origin,   // a web page whose origin is not in transport_options::websocket_origins

  // TLS.
  not_tls,                  // the peer's first bytes are not TLS
  bad_tls,                  // bytes that TLS does not allow, or no common version or cipher
  tls_refused,              // the peer ended TLS with an alert
  certificate_missing,      // the peer has shown no certificate, and must
  certificate_expired,      // the peer's certificate is not valid now
  certificate_not_trusted,  // the peer's certificate is not of an authority that is trusted
  certificate_name_wrong,   // the server's certificate is that of another name
  certificate_refused,      // the peer does not accept the certificate of this socket, or needs one

  // CURVE (RFC 26).
  bad_curve_version,    // a HELLO of a version other than 1.0
  box_not_opened,       // altered on the way, or sealed with a different key
  bad_cookie,           // the cookie of an INITIATE is not that of the WELCOME
  bad_vouch,            // the vouch of an INITIATE does not prove the key of the client
  nonce_not_increased,  // a replayed, doubled or reordered command

  // Identity and admission of the peer.
  bad_socket_type,       // a Socket-Type that is not compatible with the local socket
  routing_id_too_long,   // above 255 bytes
  duplicate_routing_id,  // another live peer has this routing id
  not_admitted,          // the authenticator rejected the peer
  already_paired,        // the PAIR socket already has a peer

  // The life of a connection.
  too_many_handshakes,               // socket_options::pending_handshakes reached: accepting pauses
  handshake_timeout,                 // the handshake exceeded limits::handshake_time
  connection_lost,                   // the peer or the network closed the connection
  out_of_memory,                     // not enough memory for data from the peer
  handshake_evicted,                 // idle for limits::handshake_silence, closed to free its slot
  too_many_handshakes_from_address,  // one address has a quarter of socket_options::pending_handshakes
  partial_message_evicted,  // the largest partial message when the memory_budget was exceeded
  probe_unanswered,         // after a PING, neither a byte nor a TCP acknowledgement arrived
  heartbeat_timeout,  // TCP acknowledged a PING, but no byte arrived (heartbeat_options::strict)
  too_slow,           // a subscriber's queue was full (socket_options::disconnect_slow)
  ttl_expired,        // no byte within the TTL of the peer's PING (heartbeat_options::strict)

  // Requests of the local user.
  bad_endpoint,       // not transport://address
  unknown_transport,  // a transport that this build does not support
  address_too_long,   // a path or name above the limit of its transport
  unknown_interface,  // neither a local address nor the name of an interface
  path_taken,         // the path of an ipc endpoint exists and is not a socket
  bad_option,         // a socket option has a value that it may not have
  // a PLAIN or CURVE server without an authenticator: binding and connecting fail
  authenticator_missing,
  no_certificate,        // binding with TLS, without tls_options::certificate
  bad_certificate_file,  // tls_options::certificate is not a file with a certificate
  bad_key_file,          // tls_options::private_key is not a file with a key
  foreign_key,           // tls_options::private_key is not the key of the certificate
  bad_trusted_file,      // tls_options::trusted is not a file with certificates
  socket_closed,         // the socket was closed
  host_unreachable,      // no peer has this routing id
  // the socket stopped retrying every endpoint (reconnect_options) and has no peer
  endpoint_stopped,
  would_block,  // the queue is full
  timed_out,    // the operation's deadline passed
  bad_message,  // a message that cannot be sent: no parts, or too many
  out_of_turn,  // REQ: a second request before the reply; REP: a reply without a request
};

inline constexpr std::size_t errc_count = static_cast<std::size_t>(errc::out_of_turn) + 1;

// Groups of faults, for code that does not need to distinguish them.
enum class condition {
  protocol_violation = 1,  // the peer violated ZMTP
  limit_exceeded,          // the peer exceeded a limit of the local socket
  version_refused,         // the peer does not speak ZMTP 3.x
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
