#pragma once
// The content of a message of zinc bench: what it is, its number and when it was due. Both ends read the
// same clock, so the one-way latency needs one machine. Pure.

#include "tools/zinc/bench/schedule.h"
#include "zmtp/frame.h"

#include <boost/endian/conversion.hpp>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace zinc::bench {

enum class stamp_kind : std::uint8_t {
  probe,  // finds out whether the peer is there
  measured,
  end,  // its number is that of all measured messages
};

struct stamp {
  stamp_kind kind = stamp_kind::probe;
  std::uint64_t number = 0;
  clock::time_point due{};
};

// Messages that are sent at once.
inline constexpr std::size_t most_of_a_batch = 256;

inline constexpr std::string_view stamp_mark{"zinc"};
inline constexpr std::size_t stamp_size = stamp_mark.size() + 1 + 8 + 8;

// Writes stamp_size bytes.
inline void put_stamp(char* to, const stamp& one) noexcept {
  to += stamp_mark.copy(to, stamp_mark.size());
  *to++ = static_cast<char>(one.kind);
  auto* const bytes = reinterpret_cast<unsigned char*>(to);
  boost::endian::store_big_u64(bytes, one.number);
  boost::endian::store_big_s64(bytes + 8,
                               std::chrono::nanoseconds{one.due.time_since_epoch()}.count());
}

// Returns nothing if the message is not one of zinc bench.
[[nodiscard]] inline std::optional<stamp> read_stamp(std::string_view body) noexcept {
  if (body.size() < stamp_size || !body.starts_with(stamp_mark)) {
    return std::nullopt;
  }
  zmtp::byte_reader reader{body.substr(stamp_mark.size())};
  const auto kind = *reader.number(1);
  const auto number = *reader.number(8);
  const auto due = static_cast<std::int64_t>(*reader.number(8));
  // A negative time can be too long ago for a difference.
  if (kind > static_cast<std::uint64_t>(stamp_kind::end) || due < 0) {
    return std::nullopt;
  }
  return stamp{static_cast<stamp_kind>(kind), number,
               clock::time_point{std::chrono::nanoseconds{due}}};
}

}  // namespace zinc::bench
