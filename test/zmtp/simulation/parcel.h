#pragma once
// The content of a simulated message: its sender, its destination, its number, and a checksum over
// the whole message, so that any damage in transit shows.

#include "zmtp/message.h"
#include "zmtp/simulation/random_source.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace zmtp::simulation {

struct parcel {
  std::uint32_t sender = 0;
  std::uint32_t sequence = 0;     // number within its sender, from 1
  std::uint32_t destination = 0;  // the only receiver; 0: any receiver
  std::uint32_t answers = 0;      // number of the destination's parcel that this one answers
  std::uint64_t sum = 0;          // checksum of the following parts
  std::size_t size = 0;           // as framed; not transmitted

  friend bool operator==(const parcel& a, const parcel& b) noexcept {
    return a.sender == b.sender && a.sequence == b.sequence && a.destination == b.destination &&
           a.answers == b.answers && a.sum == b.sum;
  }
};

// The sizes of generated bodies.
struct body_sizes {
  unsigned large = 3;  // percentage of parts with 4 to 70 KiB
  std::size_t most_parts = 4;
};

// The message with `envelope` in front of the parcel and made-up parts behind; fills in sum and size.
[[nodiscard]] message wrap(parcel& p, std::span<const std::string_view> envelope,
                           const body_sizes& sizes, random_source& random);

// The content of a message from any source.
struct unwrapped {
  enum class state : std::uint8_t {
    whole,
    no_parcel,  // the part that describes it is missing, or there are several
    cut_short,  // parts are missing
    mixed,      // parts are not those that were sent with it
  };
  state found = state::no_parcel;
  parcel what;  // unless no_parcel
  std::vector<std::string_view> envelope;
};

[[nodiscard]] unwrapped unwrap(std::span<const std::string_view> parts);
[[nodiscard]] unwrapped unwrap(const message& m);

}  // namespace zmtp::simulation
