#pragma once
// What the nodes of a pair tell each other: one frame with one digit, as the Guide's bstar has it, and
// behind it, towards nodes of this project, an account. Pure.

#include "bstar/error.h"

#include <boost/system/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bstar {

// Counts who was active: each time a node becomes active it takes a new one, the primary an odd one, the
// backup an even one. 0: nobody yet.
using epoch = std::uint32_t;
// Small, so that one fits into the high bits of a sequence number beside 44 others.
inline constexpr epoch max_epoch = (1U << 19) - 1;

enum class peer_state : std::uint8_t {
  primary = 1,  // waits for its backup
  backup = 2,   // waits for its primary
  active = 3,
  passive = 4,
};

// What a node of this project adds to its state.
struct account {
  epoch of = 0;                // its own if it is active, else that of the last active it followed
  std::uint64_t position = 0;  // how far its data are
  std::uint64_t tick = 0;      // of this message; begins anywhere and grows
  std::uint64_t heard = 0;     // the tick of the peer's message that it heard last; 0 is none

  friend bool operator==(const account&, const account&) = default;
};

struct peer_report {
  peer_state state = peer_state::primary;
  std::optional<account> more{};  // absent: a node that is not of this project

  friend bool operator==(const peer_report&, const peer_report&) = default;
  friend std::size_t hash_value(const peer_report& of) noexcept;
};

// Reads `3` and `3 e=17 s=123 t=5 r=9` (epoch, position, tick, heard). Fields come in any order and
// each once; ones of other names are skipped, so that a later version can add some.
// Errors: errc::not_a_state, bad_account, epoch_too_large.
[[nodiscard]] boost::system::result<peer_report> parse_state(std::string_view frame) noexcept;

// The digit alone.
[[nodiscard]] std::string state_digit(peer_state state);
// With the account, if there is one.
[[nodiscard]] std::string state_text(const peer_report& report);

}  // namespace bstar
