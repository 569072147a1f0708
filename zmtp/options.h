#pragma once
// Options of a socket: plain values, safe as they are.

#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/socket_type.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ratio>
#include <string>
#include <vector>

namespace zmtp {

// What one peer may take of us. All per connection.
struct limits {
  std::size_t handshake_command_size = 4 * 1024;    // octets of one handshake command
  std::chrono::milliseconds handshake_time{5'000};  // from accept to READY; and to connect
  // Without an octet, after which a handshake gives way to a newcomer, if there are too many.
  std::chrono::milliseconds handshake_silence{1'000};
  std::size_t command_size = 64 * 1024;         // octets of one later command
  std::size_t frame_size = 64 * 1024 * 1024;    // octets of one part
  std::size_t message_size = 64 * 1024 * 1024;  // octets of one message as framed
  std::size_t message_parts = 1'024;
  std::size_t message_commands = 1'024;  // between the parts of one message
  std::size_t metadata_properties = 32;
  std::size_t topic_size = 1'024;  // octets of a subscription
  std::size_t subscriptions = 100'000;
  std::size_t subscription_octets = 8 * 1024 * 1024;  // of all topics together
  std::size_t ping_context_size = 16;  // bytes of a PING's context that its PONG repeats
  unsigned pings_per_second = 50;
};

// A queue is full when either is reached; it never exceeds a mark by more than one message.
// Absent: no mark of that kind.
struct high_water_mark {
  std::optional<std::size_t> messages = 1'000;
  std::optional<std::size_t> octets = 64 * 1024 * 1024;
};

// Finding out whether a silent peer still lives. A peer is asked before it is judged, and as long as its
// kernel acknowledges what is sent, it is alive but slow, and is kept. (TCP keepalive looks after those
// that are never asked.)
struct heartbeat_options {
  using deciseconds = std::chrono::duration<std::int32_t, std::deci>;  // as in PING

  // A PING goes to a peer of ZMTP 3.1 from which no octet has come for so long. Absent: none.
  std::optional<std::chrono::milliseconds> interval = std::chrono::milliseconds{10'000};
  // So long after a PING, without an octet since, TCP is asked: a peer whose kernel has acknowledged
  // nothing since then is dead. Who has only not answered is kept, and reported as not reading.
  std::chrono::milliseconds timeout{30'000};
  // What our PING says: the peer may give us up after so long without traffic. Up to 65.5 s (longer
  // ones overflow in libzmq), zero is none. Longer than `interval`, or it cuts us off.
  deciseconds ttl{0};
  // A peer that is silent for `timeout` after a PING, or for longer than the TTL of its own PINGs, is
  // closed, whatever TCP says: as libzmq does.
  bool strict = false;
};

// Waiting before connecting again: doubles from `initial` to `maximum`, ± 50 %; starts over once a
// completed handshake has lasted `stable`. Up to `refused_maximum` while the peer refuses us. An endpoint
// that is given up is reported to monitors and is then as if it had been disconnected.
struct reconnect_options {
  std::chrono::milliseconds initial{100};
  std::chrono::milliseconds maximum{2'000};
  std::chrono::milliseconds refused_maximum{30'000};
  std::chrono::milliseconds stable{1'000};
  // Attempts in a row that came to nothing (a handshake that was completed but did not last `stable` is
  // one, too), after which an endpoint is given up. Absent: never.
  std::optional<std::size_t> stop_after{};
  // An endpoint whose peer refuses us is given up at once.
  bool stop_on_refusal = false;
};

// TCP asks the other host whether it is still there: first after `idle` without an octet, then every
// `interval`; after `count` questions without an answer the connection is lost. 1 to 32,767 s, 1 to 127.
struct keepalive_options {
  std::chrono::seconds idle{30};
  std::chrono::seconds interval{10};
  int count = 3;
};

// What the kernel is asked for. Read when a socket binds or connects.
struct transport_options {
  std::optional<keepalive_options> keepalive = keepalive_options{};  // absent: off
  // SO_SNDBUF and SO_RCVBUF of each connection, octets. Absent: the kernel's choice, which grows as
  // needed; a size that is set does not, and the kernel has a maximum of its own.
  std::optional<int> send_buffer{};
  std::optional<int> receive_buffer{};
  // TCP: the octet of each packet that routers may treat it by, 0 to 255: IP_TOS, or IPV6_TCLASS.
  std::optional<int> type_of_service{};
  // TCP: a connection is lost when what was sent is not acknowledged for so long (TCP_USER_TIMEOUT).
  // That includes peers that are alive and only slow to read. 1 ms to 24 days.
  std::optional<std::chrono::milliseconds> user_timeout{};
  // TCP, to bind: "*" is every address of both IPv4 and IPv6, and [::] is too. Without it "*" is every
  // IPv4 address, [::] every IPv6 address.
  bool ipv6 = false;
  // ipc: the mode of the files that are made, whatever the umask. Who connects must be able to write.
  unsigned file_mode = 0600;
};

// Which of the peers that have room a message goes to, where it may go to any.
enum class send_policy : std::uint8_t {
  round_robin,   // the next one
  least_queued,  // the one with the fewest messages still to be written; of several, the next
};

// What an XPUB keeps of last values. The topic that has rested longest gives way to a new one.
struct last_value_limits {
  std::size_t topics = 100'000;
  std::size_t octets = 64 * 1024 * 1024;  // of all messages as framed, with their topics
};

// What XPUB alone has.
struct xpub_options {
  enum class notices : std::uint8_t {
    changes,        // the first subscription of all peers to a topic, and the end of the last
    subscriptions,  // every subscription, and the end of the last
    all,            // every subscription and the end of each
  };
  // What the user receives of his peers' subscriptions. By hand it is always all of them.
  notices told = notices::changes;
  // Peers are sent what the user subscribes them to, not what they asked for.
  bool manual = false;
  // Peers see a PUB, as protocols want it that do not know XPUB (12/CHP).
  bool announce_as_pub = false;
  // Sent to each new peer before anything else, whatever it subscribes to. Without parts: nothing.
  message welcome{};
  // The last message of each topic, which is its first part, is kept, and sent to each peer that
  // subscribes to it, or to how it begins, when it does.
  std::optional<last_value_limits> last_values{};
  enum class matching : std::uint8_t {
    prefix,  // the topics that begin as the subscription does: all that it will hear of
    topic,   // the topic that is the subscription, to the octet
  };
  // Which last values a subscription brings.
  matching last_values_of = matching::prefix;
};

struct socket_options {
  // REQ, DEALER, ROUTER: announced to peers as Identity; up to 255 octets, the first not zero. Empty: a
  // ROUTER peer makes one up.
  std::string routing_id{};
  high_water_mark send_mark{};     // per peer
  high_water_mark receive_mark{};  // per peer
  // How long a closed or destroyed socket goes on writing what is queued. Absent: for ever.
  std::optional<std::chrono::milliseconds> linger{5'000};
  reconnect_options reconnect{};
  heartbeat_options heartbeat{};
  limits limit{};
  transport_options transport{};
  int backlog = 4'096;  // of the kernel's queue of a listener; it has a limit of its own
  // Per listener; full: accepting pauses. Up to a quarter may be of one address, but for loopback.
  std::size_t pending_handshakes = 1'024;
  // ROUTER, XPUB: sending to one peer that is unknown is an error and a full one is waited for, instead
  // of dropping the message.
  bool mandatory = false;
  // ROUTER: a newcomer takes over the routing id of a living peer, which is closed.
  bool handover = false;
  // REQ: a request may follow one that was not answered. Only its own reply is received then; but a late
  // reply of the same peer to an earlier request looks like that, unless `correlate` tells them apart.
  bool relaxed = false;
  // REQ: requests carry a number that their replies must bring back.
  bool correlate = false;
  // PUB, XPUB: sending waits for the slowest subscriber, instead of dropping what one has no room for.
  bool no_drop = false;
  // PUB, XPUB: a subscriber that has no room for a message which it wants is disconnected
  // (errc::too_slow), instead of missing it: on one connection nobody misses anything, and who connects
  // again knows that he did. What is queued for a connection goes with it. Neither with no_drop nor with
  // conflate, which never come to that.
  bool disconnect_slow = false;
  // ROUTER, DEALER, REQ: each new peer is sent a message of one empty part before anything else, which
  // tells a ROUTER of us.
  bool probe_router = false;
  // PUB, SUB, PUSH, PULL, DEALER: of what waits for, or has come from, one peer only the last message is
  // kept, whole; what gives way to it is counted. Marks do not apply.
  bool conflate = false;
  // PUSH, DEALER, REQ, PAIR, ROUTER, XSUB: nothing is queued for an endpoint whose connection is not up.
  // Messages that were queued before the connection was lost stay. A ROUTER does not know the routing id of
  // such an endpoint; its peer_id has no room.
  bool immediate = false;
  // PUSH, DEALER.
  send_policy policy = send_policy::round_robin;
  // ROUTER, DEALER, PUSH, PAIR: sent to each new peer before anything else. Without parts: nothing.
  message hello_message{};
  // ROUTER, DEALER, PULL, PAIR, XSUB: received from each peer when it goes, behind its last message.
  // Without parts: nothing.
  message disconnect_message{};
  // After each turn the socket keeps its executor busy for so long, instead of letting the thread sleep:
  // what comes in the meantime, from whatever peer, waits for no wake-up. It costs a core for that time
  // and delays others on the executor by well under a microsecond each; poll() of an io_context returns no
  // sooner. Zero: the thread sleeps at once.
  std::chrono::microseconds spin{0};
  // DEALER, ROUTER, SUB, XPUB: attach and detach of peers are received too, in their order with the messages,
  // by who receives routed messages (libzmq's notify).
  bool announce_peers = false;
  xpub_options xpub{};
  // Announced to peers as X-Zinc: what only peers of this project understand, each `name` or
  // `name=value`. Printable ASCII without commas and blanks; up to 255 octets with the commas
  // between them.
  std::vector<std::string> extensions{};
};

// Errors: errc::bad_option, for a value that no socket can work with: a routing id or extension
// that is not as above, a limit or mark of zero, sizes above 2 GiB, more than 65,535 parts, what the kernel is asked for out
// of its range, a file mode above 0777, a duration that is negative, zero where that means never, or longer than a year; a TTL
// that is negative or above 65.5 s.
[[nodiscard]] error_code validate(const socket_options& options) noexcept;
// The same, and nothing is set that a socket of this type does not have. A peer's view of an XPUB does
// not matter here: it is an XPUB.
[[nodiscard]] error_code validate(const socket_options& options, socket_type type) noexcept;
// Whether a socket may change from one to the other; `used` says that it was bound or connected before.
// Errors: errc::bad_option, as above; and once used, for a change of what peers have been told or what
// queues rely on: routing_id, extensions, announce_peers, correlate, conflate, xpub.announce_as_pub.
[[nodiscard]] error_code validate_change(const socket_options& from, const socket_options& to,
                                         socket_type type, bool used) noexcept;

}  // namespace zmtp
