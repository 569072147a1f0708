#pragma once
// What workers of the Guide do with requests: they send them back, slowly, with troubles made up.

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

// The options that go with them.
void add_work(command_line& line, work_settings& settings);

// Works until a crash is made up, or until it is stopped. `prefix` is what stands in front of what is said
// of requests; `on_event` says the rest.
[[nodiscard]] boost::asio::awaitable<int> work(
    const work_settings& settings, zmtp::pirate_worker_options options, std::string prefix,
    std::function<void(const zmtp::pirate_worker_event&)> on_event);

}  // namespace guide
