#pragma once
// Options of a socket: plain values with safe defaults.

#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/socket_type.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ratio>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace zmtp {

class authenticator;
class mechanism;
class metadata;
enum class handshake_role : std::uint8_t;

// Limits for one peer. All of them apply per connection.
struct limits {
  std::size_t handshake_command_size = 4 * 1024;    // bytes of one handshake command
  std::chrono::milliseconds handshake_time{5'000};  // from accept to READY; also for connecting
  // If all handshake slots are taken, the listener may evict a handshake that has been idle for
  // this time.
  std::chrono::milliseconds handshake_silence{1'000};
  std::size_t command_size = 64 * 1024;         // bytes of one command after the handshake
  std::size_t frame_size = 64 * 1024 * 1024;    // bytes of one part
  std::size_t message_size = 64 * 1024 * 1024;  // bytes of one message with its frame headers
  std::size_t message_parts = 1'024;
  std::size_t message_commands = 1'024;  // between the parts of one message
  std::size_t metadata_properties = 32;
  std::size_t topic_size = 1'024;  // bytes of a subscription
  std::size_t subscriptions = 100'000;
  std::size_t subscription_bytes = 8 * 1024 * 1024;  // bytes of all topics together
  std::size_t ping_context_size = 16;  // bytes of a PING's context that the PONG repeats
  unsigned pings_per_second = 50;
};

// A queue is full when it reaches either limit. It exceeds a limit by at most one message. Absent:
// no limit of that kind.
struct high_water_mark {
  std::optional<std::size_t> messages = 1'000;
  std::optional<std::size_t> bytes = 64 * 1024 * 1024;
};

// Detection of dead peers. The socket sends a PING before it declares a peer dead. While the peer's
// kernel acknowledges data, the peer is alive but slow, and the socket keeps the connection. For
// peers that receive no PING, TCP keepalive does this.
struct heartbeat_options {
  using deciseconds = std::chrono::duration<std::int32_t, std::deci>;  // the unit of PING

  // The socket sends a PING to a ZMTP 3.1 peer after this time without a received byte. Absent: no
  // PINGs.
  std::optional<std::chrono::milliseconds> interval = std::chrono::milliseconds{10'000};
  // If no byte has arrived for this time after a PING, the socket queries TCP. The peer is dead if
  // its kernel has acknowledged nothing since the PING. If the kernel has acknowledged the PING,
  // the socket keeps the connection and reports the peer as not reading.
  std::chrono::milliseconds timeout{30'000};
  // TTL in the PINGs of this socket. The peer may close the connection after this time without
  // traffic. At most 65.5 s, because larger values overflow in libzmq. Zero: no TTL. Must be longer
  // than `interval`, or the peer closes idle connections.
  deciseconds ttl{0};
  // Closes a peer that sends nothing for `timeout` after a PING, or for the TTL of its own PINGs,
  // whatever TCP reports. libzmq behaves this way.
  bool strict = false;
};

// Delay before the next connection attempt: random, between half of a bound and the bound. The bound
// doubles from `initial` to `maximum`, and to `refused_maximum` while the peer rejects the
// connection. It starts again at `initial` after a connection has lasted `stable` past its
// handshake. When the socket stops retrying an endpoint, it notifies monitors and treats the
// endpoint as disconnected.
struct reconnect_options {
  std::chrono::milliseconds initial{100};
  std::chrono::milliseconds maximum{2'000};
  std::chrono::milliseconds refused_maximum{30'000};
  std::chrono::milliseconds stable{1'000};
  // Number of consecutive failed attempts after which the socket stops retrying. A connection that
  // did not last `stable` counts as failed. Absent: unlimited.
  std::optional<std::size_t> stop_after{};
  // Stops retrying immediately when the peer rejects the connection.
  bool stop_on_refusal = false;
};

// TCP keepalive. TCP sends the first probe after `idle` without a received byte, then one every
// `interval`. The connection is lost after `count` unanswered probes. Ranges: 1 to 32,767 s, 1 to
// 127 probes.
struct keepalive_options {
  std::chrono::seconds idle{30};
  std::chrono::seconds interval{10};
  int count = 3;
};

// The certificates of tls+tcp:// and wss://, as paths of PEM files. A socket reads the files when it
// binds or connects, and again before a handshake after they have changed. If the new files have a
// fault, the socket keeps the old certificates and monitors get the fault.
struct tls_options {
  // The certificate of this socket, and after it those of its issuers without the root. A socket
  // that binds needs one. A socket that connects shows it if the server asks.
  std::string certificate{};
  // The private key of the certificate, without a password. Empty: the file of the certificate has
  // the key.
  std::string private_key{};
  // The authorities whose certificates are trusted. When connecting, empty: those of the system.
  // When binding: each peer must show a certificate of them, whose name becomes
  // peer_info::user_id. Empty: peers are not asked for a certificate.
  std::string trusted{};
  // When connecting: the name or address that the server's certificate must have, which is also
  // sent as SNI. Empty: the host of the endpoint.
  std::string server_name{};
};

// Options that Zinc passes to the kernel. A socket reads them when it binds or connects.
struct transport_options {
  std::optional<keepalive_options> keepalive = keepalive_options{};  // absent: off
  // SO_SNDBUF and SO_RCVBUF of each connection, in bytes. Absent: the kernel chooses a size and
  // grows it on demand. A fixed size does not grow, and the kernel has its own maximum.
  std::optional<int> send_buffer{};
  std::optional<int> receive_buffer{};
  // TCP: the traffic class of each packet, 0 to 255: IP_TOS or IPV6_TCLASS.
  std::optional<int> type_of_service{};
  // TCP: a connection is lost if sent data is not acknowledged for this time (TCP_USER_TIMEOUT).
  // This includes peers that are alive and only read slowly. 1 ms to 24 days.
  std::optional<std::chrono::milliseconds> user_timeout{};
  // TCP, when binding: "*" and [::] mean every IPv4 and IPv6 address. If false, "*" means every
  // IPv4 address and [::] every IPv6 address.
  bool ipv6 = false;
  // ws, when binding: the origins of web pages that may connect, such as https://example.org, or "*"
  // for every page. Pages of the host and port of the socket, and programs that send no origin,
  // may always connect.
  std::vector<std::string> websocket_origins{};
  tls_options tls{};  // for tls+tcp:// and wss://
  // ipc: the mode of the socket files, independent of the umask. A connecting process needs write
  // access.
  unsigned file_mode = 0600;
};

// Selects the peer for a message that may go to any ready peer.
enum class send_policy : std::uint8_t {
  round_robin,  // the next ready peer
  // the ready peer with the fewest unwritten messages; the next one if several are equal
  least_queued,
};

// Limits of XPUB's last-value store. At a limit, XPUB evicts the topic that was published least
// recently.
struct last_value_limits {
  std::size_t topics = 100'000;
  std::size_t bytes = 64 * 1024 * 1024;  // bytes of all messages with frame headers and topics
};

// Options that only XPUB has.
struct xpub_options {
  enum class notices : std::uint8_t {
    changes,        // the first subscription of all peers to a topic, and the end of the last
    subscriptions,  // every subscription, and the end of the last
    all,            // every subscription and the end of each
  };
  // Subscription changes that the user receives. With `manual`, always all of them.
  notices notifications = notices::changes;
  // The user decides what each peer is subscribed to. The subscriptions of peers have no effect by
  // themselves.
  bool manual = false;
  // Announces PUB to peers, for protocols that do not know XPUB (12/CHP).
  bool announce_as_pub = false;
  // A message that each new peer receives first, whatever its subscriptions. Without parts: none.
  message welcome{};
  // XPUB stores the last message of each topic. The topic is the first part. A peer that subscribes
  // receives the stored messages that match its subscription. Absent: off.
  std::optional<last_value_limits> last_values{};
  enum class matching : std::uint8_t {
    prefix,  // all stored topics that start with the subscription
    topic,   // only the topic that equals the subscription
  };
  // Selects the stored messages that a subscription delivers.
  matching last_values_of = matching::prefix;
};

// The NULL mechanism (RFC 37): no encryption, and peers show no credentials.
struct null_security {};

// The two sides of PLAIN (RFC 24): the client sends a name and a password, and nothing is encrypted.
// Either side may bind. A server needs an authenticator.
struct plain_client_security {
  std::string username;  // at most 255 bytes, as the password
  std::string password;
};
struct plain_server_security {};

// Fills its argument with bytes that no other process can predict.
using random_bytes = std::function<void(std::span<std::byte>)>;

// A mechanism that the program brings itself, or CURVE (zmtp/mechanism/curve.h). `make` is called
// for each connection, in the executor of the socket. It must not return null. The random_bytes may
// be copied, and are valid as long as the mechanism. A mechanism that encrypts also returns a
// framing (zmtp/mechanism/mechanism.h).
struct custom_security {
  std::function<std::unique_ptr<mechanism>(handshake_role, metadata own, const limits&,
                                           const random_bytes&)>
      make;
  // Binding and connecting fail without an authenticator (errc::authenticator_missing), except over
  // inproc. For a mechanism that reveals who the peer is, and does not decide whether it may come.
  bool needs_authenticator = false;
};

// Returns the path of the file with the fault, if `fault` is that of a file of `options`. Otherwise
// returns an empty string.
[[nodiscard]] std::string_view file_with_fault(const tls_options& options,
                                               error_code fault) noexcept;

// The security mechanism of a socket, and its keys. Both peers must use the same mechanism. A change
// applies to later handshakes.
using security_options =
    std::variant<null_security, plain_client_security, plain_server_security, custom_security>;

// A comment that begins with socket types names the types that have the option. The other options
// are those of every type. find_fault() names an option that a type does not have. The comment of
// each socket class lists its options.
struct socket_options {
  // REQ, DEALER, ROUTER: announced to peers as Identity. At most 255 bytes, and the first must not
  // be zero. Empty: a ROUTER peer generates an id.
  std::string routing_id{};
  high_water_mark send_mark{};     // per peer
  high_water_mark receive_mark{};  // per peer
  // How long a closed or destroyed socket continues to write queued messages. Absent: no limit.
  std::optional<std::chrono::milliseconds> linger{5'000};
  reconnect_options reconnect{};
  heartbeat_options heartbeat{};
  limits limit{};
  transport_options transport{};
  security_options security{};
  // Decides which peers may use the socket (zmtp/authenticator.h). A change applies to later
  // handshakes. Null: every peer may, and a PLAIN or CURVE server does not bind.
  std::shared_ptr<zmtp::authenticator> authenticator{};
  int backlog = 4'096;  // connections in a listener's accept queue; the kernel has a maximum too
  // Limit per listener. When it is reached, accepting pauses. One address may take a quarter of it,
  // except loopback.
  std::size_t pending_handshakes = 1'024;
  // ROUTER, XPUB: sending to an unknown peer is an error, and sending to a peer with a full queue
  // waits. If false, the socket drops such messages.
  bool mandatory = false;
  // ROUTER: a new peer takes over the routing id of a live peer. The socket closes the old
  // connection. With CURVE, the new peer must have the same key, and otherwise the same user id.
  bool handover = false;
  // REQ: allows a new request before the reply. The socket then receives only replies to the newest
  // request. A late reply of the same peer to an earlier request looks the same, unless `correlate`
  // distinguishes them.
  bool relaxed = false;
  // REQ: adds a number to each request, which its reply must repeat.
  bool correlate = false;
  // PUB, XPUB: sending waits for the slowest subscriber. If false, the socket drops messages for
  // subscribers whose queue is full.
  bool no_drop = false;
  // PUB, XPUB: disconnects a subscriber (errc::too_slow) when its queue is full, instead of
  // dropping the message. So a subscriber misses nothing on one connection, and a reconnect tells
  // it that it may have missed messages. Messages queued for the connection are dropped. Cannot be
  // combined with no_drop or conflate, which never drop a message for a full queue.
  bool disconnect_slow = false;
  // ROUTER, DEALER, REQ: sends each new peer a message of one empty part first, so that a ROUTER
  // learns about this socket.
  bool probe_router = false;
  // PUB, SUB, PUSH, PULL, DEALER: keeps only the last message to and from each peer, and counts the
  // replaced ones. High-water marks do not apply.
  bool conflate = false;
  // PUSH, DEALER, REQ, PAIR, ROUTER, XSUB: queues messages for an endpoint only while it is
  // connected. Messages that were queued before a disconnect remain. A ROUTER does not know the
  // routing id of a disconnected endpoint, and its peer_id is not writable.
  bool immediate = false;
  // PUSH, DEALER.
  send_policy policy = send_policy::round_robin;
  // ROUTER, DEALER, PUSH, PAIR: a message that each new peer receives first. Without parts: none.
  message hello_message{};
  // ROUTER, DEALER, PULL, PAIR, XSUB: a message that the user receives when a peer disconnects,
  // after the peer's last message. Without parts: none.
  message disconnect_message{};
  // After each turn the socket keeps its executor busy for this time instead of letting the thread
  // sleep. Messages that arrive during this time, from any peer, do not have to wait until the
  // thread wakes up. This takes one core for that time, and delays each other handler on the
  // executor by less than a microsecond. io_context::poll() returns only after this time. Zero:
  // off.
  std::chrono::microseconds spin{0};
  // DEALER, ROUTER, SUB, XPUB: the user receives attach and detach of peers as routed messages, in
  // order with the other messages (libzmq's notify).
  bool announce_peers = false;
  xpub_options xpub{};
  // Extensions for other Zinc peers, announced as X-Zinc. Each is `name` or `name=value` in
  // printable ASCII without commas and blanks. At most 255 bytes, with the commas between them.
  std::vector<std::string> extensions{};
};

// An option with a value that it may not have.
struct option_fault {
  std::string_view option;  // its name in socket_options, such as "limit.frame_size"
  std::string_view rule;    // the broken rule, such as "must be positive"
};

// Checks the values. Returns the first option that is out of its range.
[[nodiscard]] std::optional<option_fault> find_fault(const socket_options& options) noexcept;
// Also checks that every option that is set applies to this socket type. Use xpub even if the
// socket announces itself as PUB.
[[nodiscard]] std::optional<option_fault> find_fault(const socket_options& options,
                                                     socket_type type) noexcept;
// Checks a change of options. `used`: the socket has been bound or connected. Then options that
// peers or queues already rely on cannot change: routing_id, extensions, announce_peers, correlate,
// conflate, xpub.announce_as_pub.
[[nodiscard]] std::optional<option_fault> find_change_fault(const socket_options& from,
                                                            const socket_options& to,
                                                            socket_type type, bool used) noexcept;
// Returns whether the security needs an authenticator, and there is none.
[[nodiscard]] bool lacks_authenticator(const socket_options& options) noexcept;
// Throws boost::system::system_error: errc::bad_option, with a text that names `where`, the option
// and the rule.
[[noreturn]] void refuse(const option_fault& fault, std::string_view where);

}  // namespace zmtp
