#pragma once
// Errors of Titanic's client (9/TSP).

#include <boost/system/error_code.hpp>

#include <type_traits>

namespace mdp::titanic {

enum class errc {
  bad_request = 1,  // 400: rejected; a retry fails as well
  unknown_id,       // 400: closed, or never stored
  not_stored,       // 500: retry later
  request_failed,   // 500: given up, or the reply cannot be read
  pending,          // 300: no reply yet
  bad_reply,        // an answer that 9/TSP does not define
};

[[nodiscard]] const boost::system::error_category& titanic_category() noexcept;

[[nodiscard]] inline boost::system::error_code make_error_code(errc e) noexcept {
  return {static_cast<int>(e), titanic_category()};
}

}  // namespace mdp::titanic

template <>
struct boost::system::is_error_code_enum<mdp::titanic::errc> : std::true_type {};
