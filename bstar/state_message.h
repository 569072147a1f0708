#pragma once
// The state message between the nodes of a pair: one frame with the digit of the Guide's bstar, and
// for Zinc's nodes an account after it. Pure.

#include "bstar/error.h"

#include <boost/system/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bstar {

// Number of an active period. A node takes a new epoch each time it becomes active: the primary an
// odd one, the backup an even one. 0: no node has been active yet.
using epoch = std::uint32_t;
// Small enough for the high bits of a sequence number, above 44 other bits.
inline constexpr epoch max_epoch = (1U << 19) - 1;

// The state of the sender, as the digit in the Guide's bstar.
enum class peer_state : std::uint8_t {
  primary = 1,  // new primary; waits for its backup
  backup = 2,   // new backup; waits for its primary
  active = 3,
  passive = 4,
};

// The account that Zinc's nodes add to the digit.
struct account {
  epoch of =
      0;  // the sender's own epoch if it is active, otherwise that of the last active node it followed
  std::uint64_t position = 0;  // position of its data
  std::uint64_t tick = 0;      // number of this message; starts at any value and increases
  std::uint64_t received = 0;  // the tick of the last message received from the peer; 0: none
  bool lacks_data = false;     // it has lost data; see state_machine::set_data_lost()
  bool declines = false;       // it does not become active; see state_machine::set_declines()

  friend bool operator==(const account&, const account&) = default;
};

// The content of a state message.
struct peer_report {
  peer_state state = peer_state::primary;
  std::optional<account> more{};  // absent: the sender is not a Zinc node

  friend bool operator==(const peer_report&, const peer_report&) = default;
  friend std::size_t hash_value(const peer_report& of) noexcept;
};

// Parses `3` and `3 e=17 s=123 t=5 r=9` (epoch, position, tick, heard), and after them `l=1` (lacks
// data) and `d=1` (declines). Fields may have any order, and each may occur once. Unknown fields are
// skipped, so that later versions can add fields.
// Errors: errc::not_a_state, bad_account, epoch_too_large.
[[nodiscard]] boost::system::result<peer_report> parse_state(std::string_view frame) noexcept;

// Returns only the digit.
[[nodiscard]] std::string state_digit(peer_state state);
// Returns the digit, and the account if there is one.
[[nodiscard]] std::string state_text(const peer_report& report);

}  // namespace bstar
