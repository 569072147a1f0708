#pragma once
// Errors of state messages, epoch files and calls. Each distinct fault has one enumerator.

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <type_traits>

namespace bstar {

enum class errc {
  // Faults of the peer's state message.
  not_a_state = 1,  // not one frame that starts with a digit from 1 to 4
  bad_account,      // invalid text after the digit
  epoch_too_large,  // an epoch above max_epoch

  // Faults of a local call.
  bad_option,    // see validate()
  voter_taken,   // a second voter of one node
  node_stopped,  // the node is stopped, or its context is destroyed

  // Faults of the epoch file.
  bad_epoch_file,  // the content is not an epoch
};

inline constexpr std::size_t errc_count = static_cast<std::size_t>(errc::bad_epoch_file) + 1;

[[nodiscard]] const boost::system::error_category& bstar_category() noexcept;

[[nodiscard]] inline boost::system::error_code make_error_code(errc e) noexcept {
  return {static_cast<int>(e), bstar_category()};
}

}  // namespace bstar

template <>
struct boost::system::is_error_code_enum<bstar::errc> : std::true_type {};
