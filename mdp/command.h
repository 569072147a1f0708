#pragma once
// The commands of MDP/0.1 (7/MDP) and MDP/0.2 (18/MDP), recognised and built. Pure.

#include "mdp/error.h"
#include "zmtp/message.h"

#include <boost/system/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace mdp {

enum class version : std::uint8_t {
  v01,  // 7/MDP, as in the Guide
  v02,  // 18/MDP, with partial replies
};

// How a peer frames what it says, which is how it is answered.
enum class dialect : std::uint8_t {
  v01,            // 0.1, always behind an empty frame
  v02,            // 0.2
  v02_delimited,  // 0.2 behind an empty frame, as a REQ socket sends it
};

[[nodiscard]] constexpr version version_of(dialect how) noexcept {
  return how == dialect::v01 ? version::v01 : version::v02;
}
[[nodiscard]] constexpr dialect dialect_of(version v) noexcept {
  return v == version::v01 ? dialect::v01 : dialect::v02;
}

inline constexpr std::size_t max_service_size = 255;
// More frames than this leave no room for the frames that are put around a body.
inline constexpr std::size_t max_frames = zmtp::message::max_parts - 8;

// An idempotency key: 128 random bits that a client draws for one request and sends with each of its
// attempts. A broker that announces `idempotency` (announcement.h) recognises the request by it.
using request_key = std::array<char, 16>;

// The key frame of a REQUEST, between the command frame and the service name in 0.2, and between the
// header and the service name in 0.1. Only a broker that announces `idempotency` gets one.
struct keyed_attempt {
  request_key key{};
  std::uint32_t number = 1;  // number of the attempt
  // The broker may carry the request out if it does not know the key. Otherwise the request may have
  // been carried out already, and forgotten.
  bool may_begin = true;

  friend bool operator==(const keyed_attempt&, const keyed_attempt&) = default;
};

// What a broker hears. The views are of the message's front part and hold until it is changed.
struct client_request {
  dialect how;
  std::string_view service;  // left in the message: service, body …
  std::optional<keyed_attempt> attempt{};
};
struct worker_ready {
  dialect how;
  std::string_view service;  // left in the message: service
};
struct worker_reply {
  dialect how;
  bool final;                // REPLY or FINAL; else PARTIAL
  std::string_view address;  // left in the message: address, empty frame, body …
};
// Two commands that MDP does not have, in both versions. Only a broker that announces `nack` is sent them.
enum class nack_reason : std::uint8_t {
  refused,  // the request was not carried out, and may go to another worker
  failed,   // it was carried out, at least in part, and has no reply
};
// NACK: a request that the worker holds will not be answered.
struct worker_nack {
  dialect how;
  nack_reason reason;
  std::string_view address;  // left in the message: address, empty frame, reason
};
// DRAIN: the worker takes no more requests. The broker says DISCONNECT when the worker holds none.
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

// What a worker hears.
struct broker_request {
  std::string_view address;  // left in the message: address, empty frame, body …
};
struct broker_heartbeat {};
struct broker_disconnect {};
using worker_input = std::variant<broker_request, broker_heartbeat, broker_disconnect>;

// What a client hears.
struct broker_reply {
  bool final;                // REPLY or FINAL; else PARTIAL
  std::string_view service;  // left in the message: service, body …
};

template <class T>
using parsed = boost::system::result<T, errc>;

// Each removes the frames that it has understood from the front of the message, up to those named
// above; a message that is refused is left in any state. The peer's routing id is not a frame.
[[nodiscard]] parsed<broker_input> parse_for_broker(zmtp::message& m);
[[nodiscard]] parsed<worker_input> parse_for_worker(zmtp::message& m, dialect how);
[[nodiscard]] parsed<broker_reply> parse_for_client(zmtp::message& m, version v);

// Each puts the frames of a command in front of `body`, which must have a frame.
void push_client_request(zmtp::message& body, version v, std::string_view service,
                         const std::optional<keyed_attempt>& attempt = {});
void push_client_reply(zmtp::message& body, dialect how, bool final, std::string_view service);
void push_worker_request(zmtp::message& body, dialect how, std::string_view address);
// A reply that is not final exists only in 0.2.
void push_worker_reply(zmtp::message& body, version v, bool final, std::string_view address);

[[nodiscard]] zmtp::message make_ready(version v, std::string_view service);
[[nodiscard]] zmtp::message make_nack(version v, nack_reason reason, std::string_view address);
[[nodiscard]] zmtp::message make_drain(version v);
[[nodiscard]] zmtp::message make_heartbeat(dialect how);
[[nodiscard]] zmtp::message make_disconnect(dialect how);

// The services that the broker keeps for itself (8/MMI).
[[nodiscard]] constexpr bool is_reserved(std::string_view service) noexcept {
  return service.starts_with("mmi.");
}

}  // namespace mdp
