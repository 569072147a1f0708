#pragma once
// Everything that can be wrong with a message or call of the clustered hashmap, one enumerator per
// distinct fault.

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <type_traits>

namespace chp {

enum class errc {
  // Messages of a peer (12/CHP).
  unknown_command = 1,  // nothing that this side may be told
  wrong_frame_count,    // more or fewer frames than the command has
  wrong_sequence_size,  // a sequence of other than 8 octets, or 4 where they are allowed
  sequence_too_large,   // an epoch above the largest: no later update could follow it
  key_empty,            // a key without octets
  key_too_long,         // a key above 255 octets
  key_with_zero,        // a key with an octet of zero, at which peers in C would cut it
  key_reserved,         // a key that is a command: HUGZ or KTHXBAI
  id_too_long,          // a UUID above 64 octets
  properties_too_long,  // more properties than are taken
  value_too_long,       // a value above the limit
  malformed_register,   // a list of applied updates that is none

  // The map.
  too_many_keys,    // it has as many keys as it may have
  too_many_octets,  // its keys and values take as much as they may

  // Calls of the local user.
  malformed_subtree,   // neither empty nor /…/
  malformed_property,  // a name or value that would not be read as it was written
  value_empty,         // setting a key to nothing, which erases it
  ttl_too_short,       // a time to live below a second
  not_in_kvsimple,     // a deletion or a time to live, which those frames cannot say

  // How a client's update ends that is not committed.
  not_sent,     // in time: no server has it
  unconfirmed,  // it was sent, and not committed in time: it may be committed later
  refused,      // by the server, for a reason that this version does not know
};

inline constexpr std::size_t errc_count = static_cast<std::size_t>(errc::refused) + 1;

[[nodiscard]] const boost::system::error_category& chp_category() noexcept;

[[nodiscard]] inline boost::system::error_code make_error_code(errc e) noexcept {
  return {static_cast<int>(e), chp_category()};
}

}  // namespace chp

template <>
struct boost::system::is_error_code_enum<chp::errc> : std::true_type {};
