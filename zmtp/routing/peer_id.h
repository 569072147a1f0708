#pragma once
// Names one peer of one socket inside the process, not on the wire.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace zmtp {

// Valid from the attach of the peer to its detach, and never reused for another peer. `slot` is a
// small index for tables. `generation` distinguishes successive users of a slot.
struct peer_id {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;

  friend auto operator<=>(const peer_id&, const peer_id&) = default;
};

}  // namespace zmtp

template <>
struct std::hash<zmtp::peer_id> {
  std::size_t operator()(zmtp::peer_id id) const noexcept {
    return std::hash<std::uint64_t>{}(std::uint64_t{id.generation} << 32 | id.slot);
  }
};
