#include "zmtp/error.h"

#include <optional>
#include <string>

namespace zmtp {

namespace {

namespace generic = boost::system::errc;

const char* text(errc e) noexcept {
  switch (e) {
    case errc::not_zmtp:
      return "the peer does not speak ZMTP; check that the endpoint names a ZeroMQ socket";
    case errc::version_1_refused:
      return "the peer speaks ZMTP 1.0 (ZeroMQ 2.x); upgrade it to ZMTP 3.0 or later";
    case errc::version_2_refused:
      return "the peer speaks ZMTP 2.0 (ZeroMQ 3.x); upgrade it to ZMTP 3.0 or later";
    case errc::mechanism_mismatch:
      return "the peer uses another security mechanism; configure the same one on both sides";
    case errc::bad_mechanism_name:
      return "the peer's greeting has no valid mechanism name; check what listens at the endpoint";
    case errc::frame_too_large:
      return "a frame is larger than allowed; send smaller parts or raise limits::frame_size";
    case errc::message_too_large:
      return "a message is larger than allowed; split it or raise limits::message_size";
    case errc::too_many_parts:
      return "a message has too many parts; join some or raise limits::message_parts";
    case errc::bad_frame_size:
      return "a frame declares a size of 2^63 octets or more; the peer's framing is broken";
    case errc::bad_frame_flags: return "a command has MORE; the peer's framing is broken";
    case errc::command_too_large:
      return "a command is larger than allowed; raise limits::handshake_command_size or "
             "limits::command_size";
    case errc::bad_command:
      return "a command has no name or ends before its fields; the peer's encoding is broken";
    case errc::unexpected_command:
      return "a command or message came when the handshake does not allow it; check that both "
             "sides use the same mechanism";
    case errc::command_in_message:
      return "a command other than PING, PONG, SUBSCRIBE and CANCEL came between the parts of a "
             "message; the peer is to send it before or behind the message";
    case errc::too_many_commands:
      return "too many commands came between the parts of a message; send them before or behind "
             "it, "
             "or raise limits::message_commands";
    case errc::bad_metadata:
      return "a metadata property is cut short, or octets follow the last; the peer's encoding "
             "is broken";
    case errc::bad_property_name:
      return "a metadata property has a name that is empty or not of letters, digits and -_.+; "
             "rename it";
    case errc::duplicate_property: return "a metadata property comes twice; send each once";
    case errc::too_many_properties:
      return "too many metadata properties; send fewer or raise limits::metadata_properties";
    case errc::refused_by_peer:
      return "the peer refused us with ERROR; check our credentials and its access rules";
    case errc::bad_ping: return "a PING ends before its TTL does; the peer's encoding is broken";
    case errc::ping_flood:
      return "too many PINGs a second; lengthen the peer's heartbeat interval or raise "
             "limits::pings_per_second";
    case errc::topic_too_long:
      return "a subscription's topic is too long; shorten it or raise limits::topic_size";
    case errc::too_many_subscriptions:
      return "a subscription was refused, because the peer has too many or too long ones; raise "
             "limits::subscriptions, limits::subscription_octets or limits::topic_size";
    case errc::bad_socket_type:
      return "the peer's socket type does not talk to ours; check which endpoint is connected";
    case errc::routing_id_too_long: return "a routing id has more than 255 octets; shorten it";
    case errc::duplicate_routing_id:
      return "another peer already has this routing id; make ids unique or allow handover";
    case errc::not_admitted:
      return "the authenticator refused the peer; check the peer's credentials and our access "
             "rules";
    case errc::already_paired:
      return "a PAIR has one peer and takes no other; connect to another socket, or use DEALER";
    case errc::too_many_handshakes:
      return "there are as many handshakes as allowed, and newcomers wait; raise "
             "socket_options::pending_handshakes";
    case errc::handshake_timeout:
      return "the handshake took too long; check the network or raise limits::handshake_time";
    case errc::connection_lost:
      return "the connection ended; a connecting socket connects again by itself";
    case errc::out_of_memory:
      return "there was no memory for what the peer sent; lower limits or marks, or add memory";
    case errc::probe_unanswered:
      return "the peer answered neither a PING nor TCP; check that its host is alive";
    case errc::handshake_evicted:
      return "a silent handshake gave way, because there were too many; raise "
             "socket_options::pending_handshakes or find out who connects without a word";
    case errc::address_share_taken:
      return "a quarter of the handshakes that are allowed are of one address, which gets no more; "
             "raise "
             "socket_options::pending_handshakes, or find out what connects there without going on";
    case errc::half_message_evicted:
      return "messages that had not come whole held too much memory, and the peer's was the "
             "largest; "
             "send smaller ones, or raise memory_budget::half_messages or the process's memory";
    case errc::heartbeat_timeout:
      return "the peer answered no PING in time; lengthen heartbeat_options::timeout or switch off "
             "its `strict`, which cuts peers that are only slow";
    case errc::too_slow:
      return "a subscriber did not read as fast as was published, and may not miss anything; read "
             "faster, raise socket_options::send_mark, or do without disconnect_slow";
    case errc::ttl_expired:
      return "the peer was silent for longer than its own PINGs promised; lengthen its TTL or "
             "switch "
             "off heartbeat_options::strict";
    case errc::bad_endpoint:
      return "not an endpoint, or none that this can be done with; write it as tcp://host:port, "
             "IPv6 addresses in brackets, ipc://path, ipc://@name or inproc://name";
    case errc::unknown_transport:
      return "an endpoint of a transport that this build does not have; use tcp:// or ipc://";
    case errc::address_too_long:
      return "an endpoint's path or name is too long; keep to 107 octets for ipc, 255 for inproc";
    case errc::unknown_interface:
      return "an endpoint's host is neither an address of this machine nor one of its interfaces; "
             "bind to those, not to the name of a host";
    case errc::path_taken:
      return "the path of an ipc endpoint is that of a file that is no socket; choose another, or "
             "remove the file";
    case errc::bad_option: return "a socket option is out of its range; see zmtp/options.h";
    case errc::socket_closed: return "the socket was closed; open another";
    case errc::host_unreachable: return "no peer has this routing id; wait until it has connected";
    case errc::endpoint_stopped:
      return "connecting was given up, as reconnect_options say, and nobody is left to send to; "
             "connect "
             "again";
    case errc::would_block:
      return "the queue is full; wait until the socket is writable or raise its mark";
    case errc::timed_out: return "the operation's deadline passed; try again or allow more time";
    case errc::bad_message:
      return "a message without parts, or with more than fit beside an envelope, cannot be sent; "
             "add at least one, which may be empty, or join some";
    case errc::out_of_turn:
      return "a REQ sends again only after the reply, a REP replies only to a request; keep the "
             "turns, set socket_options::relaxed, or use DEALER and ROUTER";
  }
  return "a number that is no zmtp error";
}

const char* text(condition c) noexcept {
  switch (c) {
    case condition::protocol_violation: return "the peer broke ZMTP; check its implementation";
    case condition::limit_exceeded:
      return "the peer went over a limit; raise it in zmtp::limits if the peer is right";
    case condition::version_refused:
      return "the peer speaks no ZMTP 3.x; upgrade it, or check the endpoint";
  }
  return "a number that is no zmtp condition";
}

// Nothing for what is neither the peer's mistake nor its size: configuration that does not match,
// the network, the local user.
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
    case errc::address_share_taken:
    case errc::half_message_evicted:
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

// The system's word for the same fault, so that code written against Asio's errors finds it.
std::optional<generic::errc_t> system_word(errc e) noexcept {
  // Most faults have none, so the list names only those that do.
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
  // A fault may have both a condition of ours and a word of the system's.
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
