#pragma once
// What a server of ours tells a client of ours of its updates, as properties of a HUGZ. Pure.

#include "chp/error.h"

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

// Updates that will never be made, and why.
struct refusal {
  counter_range updates;
  errc why;
  friend bool operator==(const refusal&, const refusal&) = default;
};

// As with gaps.
inline constexpr std::size_t max_refusals = 64;

// What a server refuses an update for, by its name on the wire and by its number there; errc::refused is of
// those that are unknown here.
[[nodiscard]] std::string_view refusal_name(errc why) noexcept;
[[nodiscard]] std::uint8_t refusal_code(errc why) noexcept;
[[nodiscard]] errc refusal_of(std::string_view name) noexcept;
[[nodiscard]] errc refusal_of(std::uint8_t code) noexcept;

// All updates of the session up to this counter are committed but for those in the gaps, which rise and
// do not touch, and those that are refused, which rise.
struct acknowledgement {
  std::uint64_t counter = 0;
  boost::container::small_vector<counter_range, 2> gaps;
  bool degraded = false;  // committed by one of a pair alone, while the other one is away
  boost::container::small_vector<refusal, 1> refused = {};
  std::uint64_t unsure = 0;  // up to here some that are not listed any more may be refused as well
};

// Appends ack=<counter>, and where there are any gaps=<first>-<last>,…, degraded=1,
// refused=<first>-<last>-<name>,… and unsure=<counter>.
void append_acknowledgement(std::string& to, std::uint64_t counter,
                            std::span<const counter_range> gaps, bool degraded,
                            std::span<const refusal> refused = {}, std::uint64_t unsure = 0);
// Nothing if there is none, or it makes no sense.
[[nodiscard]] std::optional<acknowledgement> find_acknowledgement(std::string_view properties);

// What the active server tells its backup of an update that it has refused, so that this one does not make it
// either: notice=<number>, session=<…> and refused as above. The backup reports the last number.
struct refusal_notice {
  std::uint64_t number = 0;
  std::uint64_t session = 0;
  std::uint64_t counter = 0;
  errc why = errc::refused;
};
void append_refusal_notice(std::string& to, const refusal_notice& notice);
[[nodiscard]] std::optional<refusal_notice> find_refusal_notice(std::string_view properties);

}  // namespace chp
