#pragma once
// How a call of Titanic's client ends (9/TSP).

#include <boost/system/error_code.hpp>

#include <type_traits>

namespace mdp::titanic {

enum class errc {
  bad_request = 1,  // 400: refused, not to be repeated
  unknown_id,       // 400: no request of this id, or not any more
  not_stored,       // 500: try again later
  request_failed,   // 500: stored and given up, or its reply cannot be read
  pending,          // 300: there is no reply yet
  bad_reply,        // nothing that 9/TSP knows
};

[[nodiscard]] const boost::system::error_category& titanic_category() noexcept;

[[nodiscard]] inline boost::system::error_code make_error_code(errc e) noexcept {
  return {static_cast<int>(e), titanic_category()};
}

}  // namespace mdp::titanic

template <>
struct boost::system::is_error_code_enum<mdp::titanic::errc> : std::true_type {};
