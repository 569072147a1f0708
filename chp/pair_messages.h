#pragma once
// The messages between the two servers of a pair, and their frames. Pure.

#include "chp/command.h"
#include "chp/error.h"
#include "chp/lineage.h"
#include "chp/sequence.h"
#include "chp/witness.h"
#include "zmtp/message.h"

#include <boost/system/result.hpp>

#include <cstdint>
#include <string_view>
#include <variant>

namespace chp {

// All messages use one connection, a DEALER of the passive server to the ROUTER of the active
// server's snapshot port. A number is a frame of 8 bytes in network order. `greeting` is a random
// number of the HELLO to which a message belongs. A server ignores messages with another one.
//
//     passive = HELLO *CONFIRM
//     active  = FOLLOW [*COPY COPY-END] *ENTRIES
//
//     HELLO    = "CHP-HELLO" greeting end durable lacks member lineage store
//     lacks    = %x00 / %x01   ; %x01: counts as without data
//     store    = %x00 / %x01   ; %x01: the sender has a store
//     FOLLOW   = "CHP-FOLLOW" greeting common needed start kind store
//     kind     = %x00 / %x01   ; %x00: entries, %x01: copy
//     COPY     = "CHP-COPY" greeting kind rows    ; %x01 map, %x02 sessions, %x03 ids, %x04 entries
//     COPY-END = "CHP-COPY-END" greeting commit forgotten lineage
//     ENTRIES  = "CHP-ENTRIES" greeting commit records
//     CONFIRM  = "CHP-CONFIRM" greeting durable
//
// Lineages are in lineage.h, records in log_entry.h, rows of sessions in sessions.h and ids in
// known_ids.h. Rows of the map are records of kind `set`.
//
// Until the passive server has the log up to `needed`, it must not become active.
//
// FOLLOW with entries: those above `common` follow. FOLLOW with a copy: the map as of `start`
// follows, then sessions and ids, then the entries above `start`. COPY-END has the lineage as of the
// last entry. The copy replaces everything at once.
struct hello {
  std::uint64_t greeting = 0;
  sequence end = 0;
  sequence durable = 0;
  bool lacks_data = false;
  member_id member = 0;  // for the witness
  lineage reigns{};
  bool has_store = false;
};
struct follow {
  std::uint64_t greeting = 0;
  sequence common = 0;
  sequence needed = 0;
  sequence start = 0;
  bool is_copy = false;
  bool has_store = false;
};
enum class copied : std::uint8_t { map = 1, sessions = 2, ids = 3, entries = 4 };
struct copy_piece {
  std::uint64_t greeting = 0;
  copied kind = copied::map;
  std::string_view rows{};
};
struct copy_end {
  std::uint64_t greeting = 0;
  sequence commit = 0;
  sequence forgotten = 0;
  lineage reigns{};
};
struct entries {
  std::uint64_t greeting = 0;
  sequence commit = 0;
  std::string_view records{};
};
struct confirmation {
  std::uint64_t greeting = 0;
  sequence durable = 0;
};
using pair_message = std::variant<hello, follow, copy_piece, copy_end, entries, confirmation>;

// Views refer to the message. Records and rows are not parsed.
// Errors: unknown_command, wrong_frame_count, wrong_number_size, sequence_too_large,
// malformed_lineage, malformed_piece.
[[nodiscard]] parsed<pair_message> parse_pair_message(const zmtp::message& m);
// Returns whether the message begins with one of the names.
[[nodiscard]] bool is_pair_message(const zmtp::message& m) noexcept;

[[nodiscard]] zmtp::message make_message(const hello& of);
[[nodiscard]] zmtp::message make_message(const follow& of);
[[nodiscard]] zmtp::message make_message(const copy_piece& of);
[[nodiscard]] zmtp::message make_message(const copy_end& of);
[[nodiscard]] zmtp::message make_message(const entries& of);
[[nodiscard]] zmtp::message make_message(const confirmation& of);

}  // namespace chp
