#pragma once
// Everything that can be wrong with a state message, an epoch file or a call, one enumerator per distinct
// fault.

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <type_traits>

namespace bstar {

enum class errc {
  // State messages of a peer.
  not_a_state = 1,  // not one frame that begins with a digit from 1 to 4
  bad_account,      // what stands behind the digit is not ours
  epoch_too_large,  // an epoch that no node takes

  // Calls of the local user.
  bad_option,    // see validate()
  voter_taken,   // a second voter of one node
  node_stopped,  // a call of a node that is stopped, or whose context is gone

  // The epoch file.
  bad_epoch_file,  // its content is no epoch
};

inline constexpr std::size_t errc_count = static_cast<std::size_t>(errc::bad_epoch_file) + 1;

[[nodiscard]] const boost::system::error_category& bstar_category() noexcept;

[[nodiscard]] inline boost::system::error_code make_error_code(errc e) noexcept {
  return {static_cast<int>(e), bstar_category()};
}

}  // namespace bstar

template <>
struct boost::system::is_error_code_enum<bstar::errc> : std::true_type {};
