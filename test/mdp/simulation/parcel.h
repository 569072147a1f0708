#pragma once
// The content of requests and replies of a simulation: the call, its run, the part, and bytes that follow from
// these, so that every change of a message is detected.

#include "zmtp/message.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mdp::simulation {

// A request's body: two parts.
[[nodiscard]] zmtp::message wrap_call(std::uint32_t call, std::size_t bytes);
// Returns the call of a body that is complete and starts at part `at`.
[[nodiscard]] std::optional<std::uint32_t> call_of(const zmtp::message& body, std::size_t at = 0);

// A reply is a sequence of pieces, four parts each.
struct piece {
  std::uint32_t call;
  std::uint32_t run;
  unsigned number;  // from 0
  unsigned of;      // how many
};
inline constexpr std::size_t parts_of_piece = 4;
[[nodiscard]] zmtp::message wrap_piece(const piece& what);
// Nothing if there is anything in it that is none.
[[nodiscard]] std::optional<std::vector<piece>> pieces_of(const zmtp::message& body);

}  // namespace mdp::simulation
