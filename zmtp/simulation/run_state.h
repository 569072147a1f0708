#pragma once
// The state that all parts of one simulation share: time, randomness and the trace.

#include "zmtp/simulation/event_queue.h"
#include "zmtp/simulation/random_source.h"
#include "zmtp/simulation/trace.h"

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace zmtp::simulation {

struct run_state {
  explicit run_state(std::uint64_t seed) : random{seed} {}

  void note(std::string_view what, std::initializer_list<std::uint64_t> figures) {
    using std::chrono::duration_cast, std::chrono::microseconds;
    const auto time = duration_cast<microseconds>(events.now().time_since_epoch()).count();
    notes.note(static_cast<std::uint64_t>(time), what, figures);
  }

  event_queue events;
  random_source random;
  trace notes;
};

}  // namespace zmtp::simulation
