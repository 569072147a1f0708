#pragma once
// Which of several shards a topic is for: the same in every run and on every machine.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zmtp {

// Below `shards`, which is not zero. FNV-1a, and MurmurHash3's mix of 64 bits, without which the octets that topics
// end with would decide too little. Publishers of a stream that is split further up may use it too.
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
