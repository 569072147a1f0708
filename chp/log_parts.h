#pragma once
// The state that the two roles of a server share. Plain data.

#include "chp/log_actions.h"
#include "chp/publications.h"
#include "chp/replica.h"
#include "chp/waiting_updates.h"

#include <cstdint>
#include <utility>

namespace chp {

struct log_parts {
  log_parts(const update_log_options& with, std::uint64_t random, replica&& of)
      : options{with},
        state{std::move(of)},
        published{with.wire_format, random, with.directories},
        waiting{random + 1, with.waiting_bytes} {}

  void refuse(errc why) noexcept { ++counters.refused[static_cast<std::size_t>(why)]; }

  const update_log_options options;
  replica state;
  publications published;
  waiting_updates waiting;
  log_counters counters;
};

}  // namespace chp
