#pragma once
// The acknowledgements that a Zinc server sends to a Zinc client, as properties of a HUGZ. Pure.

#include "chp/error.h"

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace chp {

// An inclusive range of counters.
struct counter_range {
  std::uint64_t first;
  std::uint64_t last;
  friend bool operator==(const counter_range&, const counter_range&) = default;
};

// Limit of a list of gaps, in a frame and in a server's memory.
inline constexpr std::size_t max_gaps = 64;

// Updates that will never be made, and the reason.
struct refusal {
  counter_range updates;
  errc why;
  friend bool operator==(const refusal&, const refusal&) = default;
};

// Limit of a list of refusals, in a frame and in a server's memory.
inline constexpr std::size_t max_refusals = 64;

// Convert the reason of a refusal to and from its name and its number on the wire. errc::refused
// stands for unknown ones.
[[nodiscard]] std::string_view refusal_name(errc why) noexcept;
[[nodiscard]] std::uint8_t refusal_code(errc why) noexcept;
[[nodiscard]] errc refusal_of(std::string_view name) noexcept;
[[nodiscard]] errc refusal_of(std::uint8_t code) noexcept;

// The committed updates of a session: all up to `counter`, except those in the gaps and the refused
// ones. Gaps are in ascending order and do not touch. Refusals are in ascending order.
struct acknowledgement {
  std::uint64_t counter = 0;
  boost::container::small_vector<counter_range, 2> gaps;
  bool degraded = false;  // committed by one server of a pair without its peer
  boost::container::small_vector<refusal, 1> refused = {};
  std::uint64_t unsure = 0;  // up to here, updates that are no longer listed may be refused too
};

// Appends ack=<counter>, and unless empty gaps=<first>-<last>,…, degraded=1,
// refused=<first>-<last>-<name>,… and unsure=<counter>.
void append_acknowledgement(std::string& to, std::uint64_t counter,
                            std::span<const counter_range> gaps, bool degraded,
                            std::span<const refusal> refused = {}, std::uint64_t unsure = 0);
// Returns nothing if the properties have no acknowledgement, or an invalid one.
[[nodiscard]] std::optional<acknowledgement> find_acknowledgement(std::string_view properties);

}  // namespace chp
