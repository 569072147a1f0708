#pragma once
// How calls of the pirate and Freelance patterns fail, one enumerator per distinct fault.

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace zmtp {

enum class call_errc {
  // How a call ends that is not answered.
  not_sent = 1,  // no server was there: it was not carried out
  no_answer,     // it was sent, but not answered in time: it may have been carried out

  // Calls of the local user.
  no_servers,       // a client without an endpoint
  call_in_flight,   // a second call on a client that has one at a time
  too_many_calls,   // one more than the client may have in flight
  no_request,       // a reply to no request in hand: answered already, or who asked is lost
  bad_call_option,  // a time or a number that nothing can work with
};

inline constexpr std::size_t call_errc_count =
    static_cast<std::size_t>(call_errc::bad_call_option) + 1;

[[nodiscard]] const boost::system::error_category& call_category() noexcept;

[[nodiscard]] inline boost::system::error_code make_error_code(call_errc e) noexcept {
  return {static_cast<int>(e), call_category()};
}

// What is known of how a call ended.
enum class call_outcome : std::uint8_t {
  answered,  // there is an answer
  refused,   // it was not carried out
  unknown,   // it may have been carried out
};
// Of what a call completed with.
[[nodiscard]] call_outcome outcome_of(const boost::system::error_code& ec) noexcept;

}  // namespace zmtp

template <>
struct boost::system::is_error_code_enum<zmtp::call_errc> : std::true_type {};
