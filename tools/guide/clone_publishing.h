#pragma once
// Models one and two of the Guide's clone servers. They publish updates of their own.

#include "chp/server.h"
#include "tools/guide/program.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>

namespace guide {

struct publishing_settings {
  // Time before the first update. Waiting subscribers connect in this time.
  std::chrono::milliseconds pause{200};
  // Time between updates. 0: as fast as possible.
  std::chrono::milliseconds interval{0};
  bool python = false;  // true: sequence numbers of four bytes
};

// Adds the flags of both models.
void add_flags(command_line& line, publishing_settings& is);
[[nodiscard]] chp::server_options options_of(const publishing_settings& is);

// Publishes random updates until a signal ends the program. Then prints their number.
[[nodiscard]] boost::asio::awaitable<int> publish(chp::server& server,
                                                  const publishing_settings& is);

}  // namespace guide
