#pragma once
// Runs a program of the Guide: one coroutine, which SIGINT and SIGTERM end, with lines on standard output.

#include "tools/guide/command_line.h"

#include <boost/asio/awaitable.hpp>
#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <string_view>
#include <utility>

namespace guide {

// As in every program of Zinc.
enum exit_code : int { done = 0, failed = 1, misused = 2 };

// Reads the command line and runs `body` to its end, in its own execution context, until all sent messages are written.
// A signal cancels the operation that `body` awaits. At the latest, the next co_await throws operation_aborted, and the
// exit code is `done`. Prints any other exception on standard error.
// Returns the exit code: the result of `body`, if it ends without an exception.
[[nodiscard]] int run(command_line& line, int argc, char** argv,
                      const std::function<boost::asio::awaitable<int>()>& body);
// Runs a body whose argument is the settings that the command line changes.
template <class Settings>
[[nodiscard]] int run(command_line& line, int argc, char** argv,
                      boost::asio::awaitable<int> (*body)(const Settings&),
                      const Settings& settings) {
  return run(line, argc, argv, [body, &settings] { return body(settings); });
}

// For `body`. Waits for the given time, or for the signal. After the signal, `body` may only print its last lines.
[[nodiscard]] boost::asio::awaitable<void> pause(std::chrono::milliseconds time);
[[nodiscard]] boost::asio::awaitable<void> until_stopped();

// Prints a line on standard output, and flushes it.
void say_line(std::string_view line);
// Is say_line, or log_line of clock_log.h if the Guide's program prints date and time.
using line_printer = void (*)(std::string_view);
template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  say_line(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace guide
