#pragma once
// SIGTERM and SIGINT as a question to ask between two turns: the brokers, workers and relays, which
// have no end of their own, end cleanly.

namespace bench {

// A blocking call that a signal interrupts returns EINTR from then on.
void accept_stop_requests();

// The signal may come between this question and a blocking call: give that call a time limit.
bool stop_requested();

// The limit for such calls.
inline constexpr int stop_check_milliseconds = 200;

}  // namespace bench
