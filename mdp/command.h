#pragma once
// Parser and builder of the commands of MDP/0.1 (7/MDP) and MDP/0.2 (18/MDP). Pure.

#include "mdp/error.h"
#include "zmtp/message.h"

#include <boost/system/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace mdp {

enum class version : std::uint8_t {
  v01,  // 7/MDP, as in the Guide
  v02,  // 18/MDP, with partial replies
};

// The framing of a peer's messages. Replies to the peer use the same one.
enum class dialect : std::uint8_t {
  v01,            // 0.1, always after an empty frame
  v02,            // 0.2
  v02_delimited,  // 0.2 after an empty frame, as a REQ socket sends it
};

[[nodiscard]] constexpr version version_of(dialect how) noexcept {
  return how == dialect::v01 ? version::v01 : version::v02;
}
[[nodiscard]] constexpr dialect dialect_of(version v) noexcept {
  return v == version::v01 ? dialect::v01 : dialect::v02;
}

inline constexpr std::size_t max_service_size = 255;
// Limit of a body's frames, which leaves space for the frames of the envelope.
inline constexpr std::size_t max_frames = zmtp::message::max_parts - 8;

// An idempotency key: 128 random bits that a client draws for one request and sends with each
// attempt. A broker that announces `idempotency` (announcement.h) recognizes the request by its
// key.
using request_key = std::array<char, 16>;

// The key frame of a REQUEST. Its place is after the command frame in 0.2, and after the header in
// 0.1, in front of the service name. Only a broker that announces `idempotency` gets one.
struct keyed_attempt {
  request_key key{};
  std::uint32_t number = 1;  // number of the attempt
  // If the broker does not know the key, it may start the request. False: the request may have been
  // executed already, and the broker may have forgotten it.
  bool may_begin = true;

  friend bool operator==(const keyed_attempt&, const keyed_attempt&) = default;
};

// Extensions for principals, between peers that announce `principal` (announcement.h):
// - A client may add an on-behalf frame, `mmi.for:` and a principal. Its place is that of the key
//   frame, or in front of it.
// - The broker puts the principal of the client, without a prefix, in front of the address of each
//   REQUEST. A client cannot forge this frame, because the broker writes the envelope.

// Commands that a broker receives. The views refer to the first parts of the message, and are valid
// until it changes.
struct client_request {
  dialect how;
  std::string_view service;  // the message keeps: service, body …
  std::optional<keyed_attempt> attempt{};
  std::optional<std::string> on_behalf_of{};  // a principal; empty: anonymous
};
struct worker_ready {
  dialect how;
  std::string_view service;  // the message keeps: service
};
struct worker_reply {
  dialect how;
  bool final;                // REPLY or FINAL; else PARTIAL
  std::string_view address;  // the message keeps: address, empty frame, body …
};
// The reason of a NACK. NACK and DRAIN are extensions to both versions. Only a broker that
// announces `nack` gets them.
enum class nack_reason : std::uint8_t {
  refused,  // the request was not executed, and may go to another worker
  failed,   // executed, at least in part, without a reply
};
// NACK: the worker will not answer a request.
struct worker_nack {
  dialect how;
  nack_reason reason;
  std::string_view address;  // the message keeps: address, empty frame, reason
};
// DRAIN: the worker takes no more requests. The broker sends DISCONNECT when the worker has none.
struct worker_drain {
  dialect how;
};
struct worker_heartbeat {
  dialect how;
};
struct worker_disconnect {
  dialect how;
};
using broker_input = std::variant<client_request, worker_reply, worker_ready, worker_nack,
                                  worker_drain, worker_heartbeat, worker_disconnect>;

// Commands that a worker receives.
struct broker_request {
  std::string_view address;                // the message keeps: address, empty frame, body …
  std::optional<std::string> principal{};  // the client's; empty: anonymous
};
struct broker_heartbeat {};
struct broker_disconnect {};
using worker_input = std::variant<broker_request, broker_heartbeat, broker_disconnect>;

// Commands that a client receives.
struct broker_reply {
  bool final;                // REPLY or FINAL; else PARTIAL
  std::string_view service;  // the message keeps: service, body …
};

template <class T>
using parsed = boost::system::result<T, errc>;

// The parsers remove the frames that they have read from the front of the message, up to those
// named above. After an error the content of the message is unspecified. The peer's routing id is
// not a frame.
[[nodiscard]] parsed<broker_input> parse_for_broker(zmtp::message& m);
// `with_principal`: worker and broker have announced `principal`.
[[nodiscard]] parsed<worker_input> parse_for_worker(zmtp::message& m, dialect how,
                                                    bool with_principal = false);
[[nodiscard]] parsed<broker_reply> parse_for_client(zmtp::message& m, version v);

// The builders put the frames of a command in front of `body`, which must have at least one frame.
void push_client_request(zmtp::message& body, version v, std::string_view service,
                         const std::optional<keyed_attempt>& attempt = {},
                         std::optional<std::string_view> on_behalf_of = {});
void push_client_reply(zmtp::message& body, dialect how, bool final, std::string_view service);
void push_worker_request(zmtp::message& body, dialect how, std::string_view address,
                         std::optional<std::string_view> principal = {});
// In 0.1, `final` must be true.
void push_worker_reply(zmtp::message& body, version v, bool final, std::string_view address);

[[nodiscard]] zmtp::message make_ready(version v, std::string_view service);
[[nodiscard]] zmtp::message make_nack(version v, nack_reason reason, std::string_view address);
[[nodiscard]] zmtp::message make_drain(version v);
[[nodiscard]] zmtp::message make_heartbeat(dialect how);
[[nodiscard]] zmtp::message make_disconnect(dialect how);

// Returns whether the broker reserves this service (8/MMI).
[[nodiscard]] constexpr bool is_reserved(std::string_view service) noexcept {
  return service.starts_with("mmi.");
}

}  // namespace mdp
