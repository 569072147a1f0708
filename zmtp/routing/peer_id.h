#pragma once
// Names one peer of one socket, in the process, not on the wire.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace zmtp {

// Valid from the peer's attach to its detach, and never given to another peer afterwards. Small and
// dense: `slot` indexes tables, `generation` tells successive users of a slot apart.
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
