#pragma once
// Edits of messages, for planted faults.

#include "bstar/state_message.h"
#include "chp/command.h"
#include "chp/properties.h"
#include "test/chp/simulation/edited_stream.h"
#include "zmtp/message.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace chp::simulation {

inline constexpr std::size_t id_frame = 2;
inline constexpr std::size_t properties_frame = 3;
inline constexpr std::size_t value_frame = 4;
inline constexpr std::size_t frames = 5;  // a KVSET, KVPUB or HUGZ has these

inline void set_frame(zmtp::message& m, std::size_t index, std::string_view frame) {
  zmtp::message edited;
  std::size_t at = 0;
  for (const std::string_view each : m) {
    edited.push_back(at++ == index ? frame : each);
  }
  m = std::move(edited);
}

// Edits the properties of each HUGZ.
template <class Change>
message_edit of_notices(Change change) {
  return [change](zmtp::message& m) {
    if (m.size() == frames && m.front() == "HUGZ") {
      std::string edited;
      for (const auto& each : properties{m[properties_frame]}) {
        change(edited, each);
      }
      set_frame(m, properties_frame, edited);
    }
    return 1U;
  };
}

// Edits the account of each state message between the servers of a pair.
template <class Change>
message_edit of_states(Change change) {
  return [change](zmtp::message& m) {
    auto state = bstar::parse_state(m.size() == 1 ? m.front() : std::string_view{});
    if (state && state->more) {
      change(*state->more);
      m = zmtp::message{bstar::state_text(*state)};
    }
    return 1U;
  };
}

// Clients are not told `degraded`.
inline message_edit hides_degraded() {
  return of_notices([](std::string& to, const property& each) {
    if (each.name != property_name::degraded) {
      append_property(to, each.name, each.value);
    }
  });
}

}  // namespace chp::simulation
