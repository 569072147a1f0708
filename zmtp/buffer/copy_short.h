#pragma once
// Copies a few bytes whose number is known only at run time. For a bounded memcpy, compilers
// generate code whose setup takes longer than the copy.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zmtp {

namespace detail {

template <class Word>
inline void copy_ends(std::byte* to, const std::byte* from, std::size_t count) noexcept {
  Word first;
  Word last;
  std::memcpy(&first, from, sizeof(Word));
  std::memcpy(&last, from + count - sizeof(Word), sizeof(Word));
  std::memcpy(to, &first, sizeof(Word));
  std::memcpy(to + count - sizeof(Word), &last, sizeof(Word));
}

}  // namespace detail

// The ranges must not overlap. Correct for any count, fast for up to about 100 bytes. Always
// inline, because it runs for every message and compilers consider it too long.
[[gnu::always_inline]] inline void copy_short(std::byte* to, const std::byte* from,
                                              std::size_t count) noexcept {
  struct sixteen {
    std::uint64_t low;
    std::uint64_t high;
  };
  if (count >= sizeof(sixteen)) {
    for (std::size_t at = 0; at < count - sizeof(sixteen); at += sizeof(sixteen)) {
      std::memcpy(to + at, from + at, sizeof(sixteen));
    }
    std::memcpy(to + count - sizeof(sixteen), from + count - sizeof(sixteen), sizeof(sixteen));
  } else if (count >= 8) {
    detail::copy_ends<std::uint64_t>(to, from, count);
  } else if (count >= 4) {
    detail::copy_ends<std::uint32_t>(to, from, count);
  } else if (count >= 2) {
    detail::copy_ends<std::uint16_t>(to, from, count);
  } else if (count == 1) {
    *to = *from;
  }
}

}  // namespace zmtp
