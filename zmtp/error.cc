#include "zmtp/error.h"

#include <optional>
#include <string>

namespace zmtp {

namespace {

namespace generic = boost::system::errc;

const char* text(errc e) noexcept {
  switch (e) {
    case errc::not_zmtp:
      return "not a ZMTP peer: unknown greeting; check that the endpoint belongs to a ZeroMQ "
             "socket";
    case errc::version_1_refused:
      return "peer rejected: it speaks ZMTP 1.0 (ZeroMQ 2.x); upgrade it to ZMTP 3.0 or later";
    case errc::version_2_refused:
      return "peer rejected: it speaks ZMTP 2.0 (ZeroMQ 3.x); upgrade it to ZMTP 3.0 or later";
    case errc::mechanism_mismatch:
      return "peer rejected: different security mechanisms; configure the same one on both sides";
    case errc::bad_mechanism_name:
      return "invalid greeting: no valid mechanism name; check which program listens at the "
             "endpoint";
    case errc::frame_too_large:
      return "part too large: above limits::frame_size; send smaller parts or raise the limit";
    case errc::message_too_large:
      return "message too large: above limits::message_size; split the message or raise the limit";
    case errc::too_many_parts:
      return "too many parts in a message: above limits::message_parts; join parts or raise the "
             "limit";
    case errc::bad_frame_size:
      return "invalid frame: size of 2^63 bytes or more; check the framing of the peer";
    case errc::bad_frame_flags:
      return "invalid frame: a command has the MORE flag; check the framing of the peer";
    case errc::command_too_large:
      return "command too large: above limits::handshake_command_size or limits::command_size; "
             "raise the limit";
    case errc::bad_command:
      return "invalid command: no name or truncated fields; check the encoding of the peer";
    case errc::unexpected_command:
      return "invalid handshake: unexpected command or message; configure the same mechanism on "
             "both sides";
    case errc::command_in_message:
      return "invalid command between the parts of a message: only PING, PONG, SUBSCRIBE and "
             "CANCEL are allowed; check the encoding of the peer";
    case errc::too_many_commands:
      return "too many commands between the parts of a message: above limits::message_commands; "
             "send them between messages or raise the limit";
    case errc::bad_metadata:
      return "invalid metadata: a truncated property, or bytes after the last one; check the "
             "encoding of the peer";
    case errc::bad_property_name:
      return "invalid metadata: a property name is empty or has characters other than letters, "
             "digits and -_.+; rename it";
    case errc::duplicate_property:
      return "invalid metadata: duplicate property; send each property once";
    case errc::too_many_properties:
      return "too many metadata properties: above limits::metadata_properties; send fewer or raise "
             "the limit";
    case errc::refused_by_peer:
      return "rejected by the peer: it sent ERROR; check the credentials and the access rules of "
             "the peer";
    case errc::bad_ping: return "invalid PING: truncated TTL; check the encoding of the peer";
    case errc::ping_flood:
      return "too many PINGs: above limits::pings_per_second; lengthen the heartbeat interval of "
             "the peer or raise the limit";
    case errc::topic_too_long:
      return "topic too long: above limits::topic_size; shorten the topic or raise the limit";
    case errc::too_many_subscriptions:
      return "subscription ignored: too many or too long; raise limits::subscriptions, "
             "limits::subscription_bytes or limits::topic_size";
    case errc::bad_websocket_frame:
      return "invalid WebSocket frame: fragmented, not binary, or masked by the wrong side; check "
             "that the peer speaks ZWS 2.0";
    case errc::bad_upgrade:
      return "no valid WebSocket upgrade with ZWS 2.0; check the peer's protocol and the path of "
             "the "
             "endpoint";
    case errc::upgrade_refused:
      return "the server refused the WebSocket upgrade; check the path of the endpoint, the "
             "security "
             "mechanism, and whether the server speaks ZWS 2.0";
    case errc::foreign_origin:
      return "the origin of a web page was refused; add the origin to "
             "transport.websocket_origins";
    case errc::not_tls:
      return "the peer does not speak TLS; use tls+tcp:// or wss:// on both sides, and check the "
             "port";
    case errc::bad_tls:
      return "the TLS handshake failed; check that both sides have TLS 1.2 or later and the same "
             "transport";
    case errc::tls_refused:
      return "the peer ended TLS with an alert; see the log of the peer for the reason";
    case errc::certificate_missing:
      return "the peer has shown no certificate; set transport.tls.certificate of the peer";
    case errc::certificate_expired:
      return "the certificate of the peer has expired or is not valid yet; renew it, and check the "
             "clocks";
    case errc::certificate_not_trusted:
      return "the certificate of the peer is not of a trusted authority or has another purpose; "
             "set "
             "transport.tls.trusted to the certificate of its authority, or renew it";
    case errc::certificate_name_wrong:
      return "the certificate of the server has another name; connect to a name of the "
             "certificate, or set transport.tls.server_name";
    case errc::certificate_refused:
      return "the peer refused the certificate of this socket, or needs one; set "
             "transport.tls.certificate to one of an authority that the peer trusts";
    case errc::bad_curve_version:
      return "invalid HELLO: not version 1.0 of CURVE; upgrade the peer, or check its encoding";
    case errc::box_not_opened:
      return "CURVE box not opened: altered on the way, or sealed with a different key; check the "
             "server key that the client uses";
    case errc::bad_cookie:
      return "invalid INITIATE: not the cookie of the WELCOME; check the encoding of the peer";
    case errc::bad_vouch:
      return "invalid INITIATE: the vouch does not prove the client's key; check the key pair of "
             "the client";
    case errc::nonce_not_increased:
      return "CURVE command replayed, doubled or reordered: its nonce is not above the last one; "
             "check the network for a program that alters traffic";
    case errc::bad_socket_type:
      return "peer rejected: incompatible socket types; check which endpoint is connected";
    case errc::routing_id_too_long: return "routing id too long: above 255 bytes; shorten it";
    case errc::duplicate_routing_id:
      return "peer rejected: another peer has its routing id; use unique ids or set "
             "socket_options::handover";
    case errc::not_admitted:
      return "peer rejected by the authenticator: not admitted; check its credentials and the "
             "local access rules";
    case errc::already_paired:
      return "peer rejected: the PAIR socket already has a peer; connect to another socket or use "
             "DEALER";
    case errc::too_many_handshakes:
      return "accepting paused: too many pending handshakes; raise "
             "socket_options::pending_handshakes";
    case errc::handshake_timeout:
      return "handshake timed out: above limits::handshake_time; check the network or raise the "
             "limit";
    case errc::connection_lost:
      return "connection lost: closed by the peer or the network; a connecting socket reconnects "
             "automatically";
    case errc::out_of_memory:
      return "out of memory: no memory for data from the peer; lower limits or high-water marks, "
             "or add memory";
    case errc::probe_unanswered:
      return "peer unresponsive: neither a PONG nor a TCP acknowledgement arrived; check that its "
             "host is running";
    case errc::handshake_evicted:
      return "handshake evicted: too many pending handshakes; raise "
             "socket_options::pending_handshakes, or find the client that connects and sends "
             "nothing";
    case errc::too_many_handshakes_from_address:
      return "connection rejected: too many pending handshakes from one address; raise "
             "socket_options::pending_handshakes, or find the client that starts handshakes and "
             "does not finish them";
    case errc::partial_message_evicted:
      return "connection closed: partial messages exceed memory_budget::partial_messages, and this "
             "one was the largest; send smaller messages, or raise the limit or the memory of the "
             "process";
    case errc::heartbeat_timeout:
      return "peer unresponsive: no PONG within heartbeat_options::timeout; lengthen the timeout, "
             "or clear heartbeat_options::strict to keep slow peers";
    case errc::too_slow:
      return "subscriber disconnected: its queue is full; read faster, raise "
             "socket_options::send_mark, or clear socket_options::disconnect_slow";
    case errc::ttl_expired:
      return "peer unresponsive: no data within the TTL of its own PING; lengthen that TTL or "
             "clear heartbeat_options::strict";
    case errc::bad_endpoint:
      return "invalid endpoint: malformed, or not valid for this operation; use tcp://host:port "
             "(IPv6 in brackets), ipc://path, ipc://@name or inproc://name";
    case errc::unknown_transport:
      return "invalid endpoint: unknown transport; use tcp://, tls+tcp://, ipc://, inproc://, "
             "ws:// or wss://";
    case errc::address_too_long:
      return "invalid endpoint: path or name too long; use at most 107 bytes for ipc and 255 for "
             "inproc";
    case errc::unknown_interface:
      return "unknown interface: the host is neither a local address nor an interface; use one of "
             "these, not a host name";
    case errc::path_taken:
      return "ipc path taken: it exists and is not a socket; choose another path or remove the "
             "file";
    case errc::bad_option: return "invalid socket option; see zmtp/options.h";
    case errc::authenticator_missing:
      return "cannot bind or connect a PLAIN or CURVE server without an authenticator; set "
             "socket_options::authenticator, or curve_server_options::allow_any_client";
    case errc::no_certificate:
      return "cannot bind with TLS without a certificate; set transport.tls.certificate";
    case errc::bad_certificate_file:
      return "cannot load the certificate of TLS; transport.tls.certificate must be a readable "
             "file with a certificate as PEM";
    case errc::bad_key_file:
      return "cannot load the private key of TLS; transport.tls.private_key must be a readable "
             "file with a key as PEM, without a password";
    case errc::foreign_key:
      return "the private key of TLS is not that of the certificate; set transport.tls.private_key "
             "to the key for which the certificate was made";
    case errc::bad_trusted_file:
      return "cannot load the trusted authorities of TLS; transport.tls.trusted must be a readable "
             "file with certificates as PEM";
    case errc::socket_closed:
      return "socket closed: the operation needs an open socket; create another one";
    case errc::host_unreachable:
      return "cannot send: no peer has this routing id; wait until the peer has connected";
    case errc::endpoint_stopped:
      return "cannot send: reconnect_options stopped all retries, and no peer is left; call "
             "connect again";
    case errc::would_block:
      return "cannot send: the queue is full; wait until the socket is writable or raise its "
             "high-water mark";
    case errc::timed_out:
      return "operation timed out: the deadline passed; try again or allow more time";
    case errc::bad_message:
      return "cannot send: the message has no parts, or too many to add an envelope; add a part, "
             "which may be empty, or join parts";
    case errc::out_of_turn:
      return "cannot send: REQ waits for a reply, or REP has no request; alternate both, set "
             "socket_options::relaxed, or use DEALER and ROUTER";
  }
  return "unknown zmtp error";
}

const char* text(condition c) noexcept {
  switch (c) {
    case condition::protocol_violation:
      return "protocol violation: the peer violated ZMTP; check its implementation";
    case condition::limit_exceeded:
      return "limit exceeded: the peer exceeded a limit of zmtp::limits; raise it if the peer is "
             "correct";
    case condition::version_refused:
      return "peer rejected: it does not speak ZMTP 3.x; upgrade it or check the endpoint";
  }
  return "unknown zmtp condition";
}

// Returns nothing for faults that are neither a violation by the peer nor over a limit: mismatched
// configuration, network failures and mistakes of the local user.
std::optional<condition> condition_of(errc e) noexcept {
  switch (e) {
    case errc::not_zmtp:
    case errc::version_1_refused:
    case errc::version_2_refused: return condition::version_refused;
    case errc::bad_mechanism_name:
    case errc::bad_frame_size:
    case errc::bad_frame_flags:
    case errc::bad_command:
    case errc::unexpected_command:
    case errc::command_in_message:
    case errc::bad_metadata:
    case errc::bad_property_name:
    case errc::duplicate_property:
    case errc::bad_ping:
    case errc::bad_websocket_frame:
    case errc::bad_upgrade:
    case errc::bad_tls:
    case errc::bad_curve_version:
    case errc::box_not_opened:
    case errc::bad_cookie:
    case errc::bad_vouch:
    case errc::nonce_not_increased:
    case errc::routing_id_too_long: return condition::protocol_violation;
    case errc::frame_too_large:
    case errc::message_too_large:
    case errc::too_many_parts:
    case errc::command_too_large:
    case errc::too_many_commands:
    case errc::too_many_properties:
    case errc::ping_flood:
    case errc::topic_too_long:
    case errc::too_many_subscriptions: return condition::limit_exceeded;
    case errc::upgrade_refused:
    case errc::foreign_origin:
    case errc::not_tls:
    case errc::tls_refused:
    case errc::certificate_missing:
    case errc::certificate_expired:
    case errc::certificate_not_trusted:
    case errc::certificate_name_wrong:
    case errc::certificate_refused:
    case errc::mechanism_mismatch:
    case errc::refused_by_peer:
    case errc::bad_socket_type:
    case errc::duplicate_routing_id:
    case errc::not_admitted:
    case errc::already_paired:
    case errc::too_many_handshakes:
    case errc::handshake_timeout:
    case errc::connection_lost:
    case errc::out_of_memory:
    case errc::handshake_evicted:
    case errc::too_many_handshakes_from_address:
    case errc::partial_message_evicted:
    case errc::probe_unanswered:
    case errc::heartbeat_timeout:
    case errc::too_slow:
    case errc::ttl_expired:
    case errc::bad_endpoint:
    case errc::unknown_transport:
    case errc::address_too_long:
    case errc::unknown_interface:
    case errc::path_taken:
    case errc::bad_option:
    case errc::authenticator_missing:
    case errc::no_certificate:
    case errc::bad_certificate_file:
    case errc::bad_key_file:
    case errc::foreign_key:
    case errc::bad_trusted_file:
    case errc::socket_closed:
    case errc::host_unreachable:
    case errc::endpoint_stopped:
    case errc::would_block:
    case errc::timed_out:
    case errc::bad_message:
    case errc::out_of_turn: break;
  }
  return std::nullopt;
}

// Returns the generic code of the same fault, so that code for Asio's errors recognizes it.
std::optional<generic::errc_t> system_word(errc e) noexcept {
  // Most faults have no generic code, so only the others are listed.
  if (e == errc::host_unreachable) {
    return generic::host_unreachable;
  }
  if (e == errc::would_block) {
    return generic::operation_would_block;
  }
  if (e == errc::timed_out || e == errc::handshake_timeout || e == errc::probe_unanswered ||
      e == errc::heartbeat_timeout || e == errc::ttl_expired) {
    return generic::timed_out;
  }
  if (e == errc::frame_too_large || e == errc::message_too_large) {
    return generic::message_size;
  }
  return std::nullopt;
}

class error_category final : public boost::system::error_category {
public:
  [[nodiscard]] const char* name() const noexcept override { return "zmtp"; }
  [[nodiscard]] std::string message(int value) const override {
    return text(static_cast<errc>(value));
  }
  [[nodiscard]] boost::system::error_condition default_error_condition(
      int value) const noexcept override {
    const auto e = static_cast<errc>(value);
    if (const auto c = condition_of(e)) {
      return *c;
    }
    if (const auto word = system_word(e)) {
      return generic::make_error_condition(*word);
    }
    return {value, *this};
  }
  // A fault may have both a condition of zmtp and a generic code.
  [[nodiscard]] bool equivalent(
      int value, const boost::system::error_condition& other) const noexcept override {
    const auto word = system_word(static_cast<errc>(value));
    return default_error_condition(value) == other ||
           (word && generic::make_error_condition(*word) == other);
  }
};

class condition_category final : public boost::system::error_category {
public:
  [[nodiscard]] const char* name() const noexcept override { return "zmtp.condition"; }
  [[nodiscard]] std::string message(int value) const override {
    return text(static_cast<condition>(value));
  }
};

}  // namespace

const boost::system::error_category& zmtp_category() noexcept {
  static const error_category category;
  return category;
}

const boost::system::error_category& zmtp_condition_category() noexcept {
  static const condition_category category;
  return category;
}

}  // namespace zmtp
