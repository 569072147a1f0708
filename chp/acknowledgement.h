#pragma once
// What a server of ours tells a client of ours of its updates, as properties of a HUGZ. Pure.

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace chp {

// Counters from the first to the last, both of them included.
struct counter_range {
  std::uint64_t first;
  std::uint64_t last;
  friend bool operator==(const counter_range&, const counter_range&) = default;
};

// A list of ranges is never longer, be it in a frame or in a server's memory.
inline constexpr std::size_t max_gaps = 64;

// All updates of the session up to this counter are committed but for those in the gaps, which rise and
// do not touch.
struct acknowledgement {
  std::uint64_t counter = 0;
  boost::container::small_vector<counter_range, 2> gaps;
  bool degraded = false;  // committed by one of a pair alone, while the other one is away
};

// Appends ack=<counter>, gaps=<first>-<last>,… and degraded=1, the latter two where there are any.
void append_acknowledgement(std::string& to, std::uint64_t counter,
                            std::span<const counter_range> gaps, bool degraded);
// Nothing if there is none, or it makes no sense.
[[nodiscard]] std::optional<acknowledgement> find_acknowledgement(std::string_view properties);

}  // namespace chp
