#pragma once
// The work of the Guide's pirate workers: they echo requests slowly, and simulate faults.

#include "tools/guide/program.h"
#include "tools/guide/simulated_faults.h"
#include "zmtp/pattern/pirate_worker.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <string>

namespace guide {

struct work_settings {
  std::string connect = "tcp://localhost:5556";
  std::chrono::milliseconds work{1'000};
  std::chrono::milliseconds overload{3'000};
  bool calm = false;
};

// Adds the options that change these settings.
void add_work(command_line& line, work_settings& settings);

// Works until a simulated crash, or until a signal ends the program. `prefix` begins the text of each line about a
// request. `on_event` prints all other lines.
[[nodiscard]] boost::asio::awaitable<int> work(
    const work_settings& settings, zmtp::pirate_worker_options options, std::string prefix,
    std::function<void(const zmtp::pirate_worker_event&)> on_event);

}  // namespace guide
