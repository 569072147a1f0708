#pragma once
// Everything that can be wrong with a store of durable requests or with a call of Titanic's client.

#include <boost/system/error_code.hpp>

#include <type_traits>

namespace mdp::titanic {

enum class errc {
  // Of a store.
  not_a_store = 1,  // the file is something else
  store_version,    // of a version that is not known here
  store_in_use,     // another process has it
  store_damaged,    // rows are missing or altered
  store_full,       // no room: nothing was written, later there may be
  store_failed,     // it cannot be written any more; what was to be written may be there or not
  row_damaged,      // this row is missing or altered

  // How a call of the client ends (9/TSP).
  bad_request,     // 400: refused, not to be repeated
  unknown_id,      // 400: no request of this id, or not any more
  not_stored,      // 500: try again later
  request_failed,  // 500: stored and given up, or its reply cannot be read
  pending,         // 300: there is no reply yet
  bad_reply,       // nothing that 9/TSP knows
};

[[nodiscard]] const boost::system::error_category& titanic_category() noexcept;

[[nodiscard]] inline boost::system::error_code make_error_code(errc e) noexcept {
  return {static_cast<int>(e), titanic_category()};
}

}  // namespace mdp::titanic

template <>
struct boost::system::is_error_code_enum<mdp::titanic::errc> : std::true_type {};
