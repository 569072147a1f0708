#pragma once
// Errors of Majordomo messages, calls and requests. Each distinct fault has one enumerator.

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <type_traits>

namespace mdp {

enum class errc {
  // Faults of a peer's message (7/MDP, 18/MDP).
  no_header = 1,          // the message has no header MDPC01, MDPW01, MDPC02 or MDPW02
  unknown_header,         // the header is none of these
  not_delimited,          // a 0.1 header without the empty frame before it
  no_command,             // the message ends after its header
  unknown_command,        // a command byte that this version does not have
  misdirected_command,    // a command that only the opposite side may send
  no_service,             // no service name, or an empty one
  service_too_long,       // a service name above 255 bytes
  no_address,             // no client address, or an empty one
  address_not_delimited,  // no empty frame after the client address
  no_body,                // no frame of body
  surplus_frames,         // frames after a command that has no body
  unknown_reason,         // a NACK whose reason is neither `refused` nor `failed`
  too_many_frames,        // the envelope would exceed the limit of frames
  role_changed,           // a command of a client from a worker, or the reverse
  version_changed,        // a command in another version than the worker's READY

  unsolicited_reply,  // a reply without a request in flight, or from another service
  surplus_request,    // a request above the worker's capacity

  // Faults of a local call.
  service_reserved,      // a worker for a name that begins with `mmi.`
  no_request,            // the request has already ended, or its connection was lost
  partial_not_possible,  // a PARTIAL to a 0.1 broker
  request_in_flight,     // a second request on a connection that waits for a reply
  bad_option,            // an option is out of its range

  // Outcomes of a request without a reply, found by the client.
  not_connected,    // never sent, because no broker was connected
  no_reply,         // sent, and no reply in time; may have been executed
  reply_cut_short,  // PARTIALs arrived, but not the end of the reply
  // The same, reported by the broker.
  not_offered,      // no worker offers the service; not executed
  not_taken,        // no worker took it in time; not executed
  worker_lost,      // its workers were lost; may have been executed
  request_refused,  // its workers refused it; not executed
  request_failed,   // its worker executed it, and failed
  reply_too_large,  // executed, but the broker cannot pass the reply on

  // The same, for a request that must not run twice and was resent.
  broker_replaced,    // the broker that got it has ended; may have been executed
  request_forgotten,  // the broker no longer knows it; may have been executed

  forbidden,  // the broker's rules do not allow this client to call the service; not executed
};

inline constexpr std::size_t errc_count = static_cast<std::size_t>(errc::forbidden) + 1;

[[nodiscard]] const boost::system::error_category& mdp_category() noexcept;

[[nodiscard]] inline boost::system::error_code make_error_code(errc e) noexcept {
  return {static_cast<int>(e), mdp_category()};
}

}  // namespace mdp

template <>
struct boost::system::is_error_code_enum<mdp::errc> : std::true_type {};
