#pragma once
// The common part of the clients that measure how long a service is away: the time between their calls, and the line
// that they print for each answer.

#include <chrono>
#include <cstdint>

namespace bench {

// After each answer, before the next call.
inline constexpr std::chrono::milliseconds pause_between_calls{5};
// Life of a client or worker that a signal ends.
inline constexpr unsigned longest_run_seconds = 600;

// The number of an answer, and the monotonic time of this moment in microseconds, which is the same in all processes of
// this machine.
void print_answer(std::uint64_t number);

}  // namespace bench
