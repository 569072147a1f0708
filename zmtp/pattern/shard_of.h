#pragma once
// Maps a topic to a shard, with the same result in every run and on every machine.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zmtp {

// Returns a number below `shards`, which must not be zero. Uses FNV-1a with the 64-bit mix of
// MurmurHash3. Without the mix, the last bytes of a topic would have too little effect. Publishers
// of a stream that is split earlier can use this function too.
[[nodiscard]] constexpr std::size_t shard_of(std::string_view topic, std::size_t shards) noexcept {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
  for (const char octet : topic) {
    hash = (hash ^ static_cast<unsigned char>(octet)) * 0x100'0000'01b3;
  }
  hash ^= hash >> 33;
  hash *= 0xff51'afd7'ed55'8ccd;
  hash ^= hash >> 33;
  return static_cast<std::size_t>(hash % shards);
}

}  // namespace zmtp
