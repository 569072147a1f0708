#pragma once
// Errors of calls in the pirate and Freelance patterns, one enumerator per distinct fault.

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace zmtp {

enum class call_errc {
  // Ends of a call without an answer.
  not_sent = 1,  // no server was available: no server executed the call
  no_answer,     // no answer in time: a server may have executed the call

  // Mistakes of the local user.
  no_servers,       // a client without an endpoint
  call_in_flight,   // a second call on a client that supports one at a time
  too_many_calls,   // above the limit of calls in flight
  no_request,       // a reply without its request: already answered, or the client has disconnected
  bad_call_option,  // a duration or a number is out of range
};

inline constexpr std::size_t call_errc_count =
    static_cast<std::size_t>(call_errc::bad_call_option) + 1;

[[nodiscard]] const boost::system::error_category& call_category() noexcept;

[[nodiscard]] inline boost::system::error_code make_error_code(call_errc e) noexcept {
  return {static_cast<int>(e), call_category()};
}

// The outcome of a call.
enum class call_outcome : std::uint8_t {
  answered,  // the call was answered
  refused,   // no server executed the call
  unknown,   // a server may have executed the call
};
// Returns the outcome for an error code from a call.
[[nodiscard]] call_outcome outcome_of(const boost::system::error_code& ec) noexcept;

}  // namespace zmtp

template <>
struct boost::system::is_error_code_enum<zmtp::call_errc> : std::true_type {};
