#pragma once
// How a program of the Guide runs here: one coroutine, which SIGINT and SIGTERM end, and lines on stdout.

#include "tools/guide/command_line.h"

#include <boost/asio/awaitable.hpp>
#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <string_view>
#include <utility>

namespace guide {

// As of every program of this project.
enum exit_code : int { done = 0, failed = 1, misused = 2 };

// Reads the command line and runs `body` to its end, in a context of its own, until all that it has
// sent is written. A signal cancels what it awaits, which ends it well: at the latest its next co_await
// throws operation_aborted. Other errors that it throws are said on stderr.
// Returns the exit code: what `body` returns, where it comes to that.
[[nodiscard]] int run(command_line& line, int argc, char** argv,
                      const std::function<boost::asio::awaitable<int>()>& body);
// The same with settings that the command line changes.
template <class Settings>
[[nodiscard]] int run(command_line& line, int argc, char** argv,
                      boost::asio::awaitable<int> (*body)(const Settings&),
                      const Settings& settings) {
  return run(line, argc, argv, [body, &settings] { return body(settings); });
}

// For `body`: waits; and waits for the signal, after which it may only say goodbye.
[[nodiscard]] boost::asio::awaitable<void> pause(std::chrono::milliseconds time);
[[nodiscard]] boost::asio::awaitable<void> until_stopped();

// A line on stdout, at once.
void say_line(std::string_view line);
// That, or log_line of clock_log.h, with date and time: as the Guide's program of the name has it.
using line_printer = void (*)(std::string_view);
template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  say_line(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace guide
