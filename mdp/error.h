#pragma once
// Everything that can be wrong with a Majordomo message or call, one enumerator per distinct fault.

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <type_traits>

namespace mdp {

enum class errc {
  // Messages of a peer (7/MDP, 18/MDP).
  no_header = 1,          // nothing where MDPC01, MDPW01, MDPC02 or MDPW02 must be
  unknown_header,         // something else there
  not_delimited,          // a 0.1 header without the empty frame before it
  no_command,             // the message ends behind its header
  unknown_command,        // a command octet that this version does not have
  misdirected_command,    // a command that only the other side may send
  no_service,             // no service name, or an empty one
  service_too_long,       // a service name above 255 octets
  no_address,             // no client address, or an empty one
  address_not_delimited,  // no empty frame behind the one client address
  no_body,                // not one frame of body
  surplus_frames,         // frames behind a command that has no body
  unknown_reason,         // a NACK that is neither refused nor failed
  too_many_frames,        // no room for the frames of an envelope
  role_changed,           // a client's command from a worker, or the other way round
  version_changed,        // a worker that goes on in another version than its READY

  unsolicited_reply,  // a reply that nobody waits for, or of another service
  surplus_request,    // a request above the worker's capacity

  // Calls of the local user.
  service_reserved,      // registering mmi.*
  no_request,            // a reply to no request in hand: answered already, or its broker was lost
  partial_not_possible,  // a PARTIAL to a 0.1 broker
  request_in_flight,     // a second request on a connection that awaits a reply

  // How a request ends that is not answered.
  not_connected,    // never sent: there was no connection to the broker
  no_reply,         // sent, but not answered in time: it may have been carried out
  reply_cut_short,  // answered in part, but not to the end
  // The same, where the broker says so.
  not_offered,      // nobody offers the service: it was not carried out
  not_taken,        // no worker had time for it: it was not carried out
  worker_lost,      // the workers that had it were lost: it may have been carried out
  request_refused,  // its workers refused it: it was not carried out
  request_failed,   // its worker carried it out, and failed
  reply_too_large,  // it was carried out, and the reply cannot be passed on

  // How a request ends that must not run twice and had to be repeated.
  broker_replaced,    // the broker that got it is gone: it may have been carried out
  request_forgotten,  // that broker does not know it any more: it may have been carried out
};

inline constexpr std::size_t errc_count = static_cast<std::size_t>(errc::request_forgotten) + 1;

[[nodiscard]] const boost::system::error_category& mdp_category() noexcept;

[[nodiscard]] inline boost::system::error_code make_error_code(errc e) noexcept {
  return {static_cast<int>(e), mdp_category()};
}

}  // namespace mdp

template <>
struct boost::system::is_error_code_enum<mdp::errc> : std::true_type {};
