#pragma once
// Errors of messages and calls of the clustered hashmap. Each distinct fault has one enumerator.

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <type_traits>

namespace chp {

enum class errc {
  // Faults of a peer's message (12/CHP).
  unknown_command = 1,  // a command that this side does not accept
  wrong_frame_count,    // more or fewer frames than the command has
  wrong_sequence_size,  // a sequence of other than 8 bytes, or 4 where they are allowed
  sequence_too_large,   // an epoch above max_epoch: no later update could follow
  key_empty,            // an empty key
  key_too_long,         // a key above 255 bytes
  key_with_zero,        // a key with a zero byte, at which peers in C would cut it
  key_reserved,         // a key that is a command: HUGZ or KTHXBAI
  id_too_long,          // a UUID above 64 bytes
  properties_too_long,  // properties above the limit
  value_too_long,       // a value above the limit
  malformed_lineage,    // reigns that do not follow each other, or too many
  malformed_entry,      // an invalid entry of the log
  malformed_session,    // an invalid record of a client's session
  wrong_number_size,    // a number between servers of other than 8 bytes
  malformed_piece,      // a piece of a snapshot for a backup of an unknown kind
  entry_out_of_order,   // an entry that does not follow the one before

  // The map is full.
  too_many_keys,   // the map has max_keys keys
  too_many_bytes,  // keys and values have max_bytes bytes

  // Faults of a local call.
  malformed_subtree,  // neither empty nor /…/
  value_empty,        // setting a key to an empty value, which would erase it
  ttl_too_short,      // a time to live below one second
  not_in_kvsimple,    // a deletion or a time to live, which kvsimple cannot express

  // Outcomes of a client's update that is not committed, or not as the caller required.
  not_sent,           // not sent before the deadline; no server has it
  unconfirmed,        // sent and not committed before the deadline; may be committed later
  session_forgotten,  // the servers have forgotten the client's session; the update may be made
  lost,               // one server had it, and its history was lost before the other server had it
  not_on_both,        // committed, but not known to be on both servers, which the caller required
  refused,            // the server refused it for a reason that this version does not know
  forbidden,          // the server's rules do not allow this client to write the key

  subtree_forbidden,  // the server's rules do not allow this client to read its whole subtree
};

inline constexpr std::size_t errc_count = static_cast<std::size_t>(errc::subtree_forbidden) + 1;

[[nodiscard]] const boost::system::error_category& chp_category() noexcept;

[[nodiscard]] inline boost::system::error_code make_error_code(errc e) noexcept {
  return {static_cast<int>(e), chp_category()};
}

}  // namespace chp

template <>
struct boost::system::is_error_code_enum<chp::errc> : std::true_type {};
