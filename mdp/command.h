#pragma once
// The commands of MDP/0.1 (7/MDP) and MDP/0.2 (18/MDP), recognised and built. Pure.

#include "mdp/error.h"
#include "zmtp/message.h"

#include <boost/system/result.hpp>

#include <cstddef>
#include <cstdint>
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

// What a broker hears. The views are of the message's front part and hold until it is changed.
struct client_request {
  dialect how;
  std::string_view service;  // left in the message: service, body …
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
struct worker_heartbeat {
  dialect how;
};
struct worker_disconnect {
  dialect how;
};
using broker_input =
    std::variant<client_request, worker_reply, worker_ready, worker_heartbeat, worker_disconnect>;

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
void push_client_request(zmtp::message& body, version v, std::string_view service);
void push_client_reply(zmtp::message& body, dialect how, bool final, std::string_view service);
void push_worker_request(zmtp::message& body, dialect how, std::string_view address);
// A reply that is not final exists only in 0.2.
void push_worker_reply(zmtp::message& body, version v, bool final, std::string_view address);

[[nodiscard]] zmtp::message make_ready(version v, std::string_view service);
[[nodiscard]] zmtp::message make_heartbeat(dialect how);
[[nodiscard]] zmtp::message make_disconnect(dialect how);

// The services that the broker keeps for itself (8/MMI).
[[nodiscard]] constexpr bool is_reserved(std::string_view service) noexcept {
  return service.starts_with("mmi.");
}

}  // namespace mdp
