#pragma once
// Models one and two of the Guide's clone servers: their updates are their own.

#include "chp/server.h"
#include "tools/guide/program.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>

namespace guide {

struct publishing_settings {
  // Before the first update, so that those who wait for the server have come.
  std::chrono::milliseconds pause{200};
  // Between updates; 0: as fast as it can.
  std::chrono::milliseconds interval{0};
  bool python = false;  // four bytes of sequence
};

// Their flags.
void add_flags(command_line& line, publishing_settings& is);
[[nodiscard]] chp::server_options options_of(const publishing_settings& is);

// Random updates until a signal ends it, after which it says how many.
[[nodiscard]] boost::asio::awaitable<int> publish(chp::server& server,
                                                  const publishing_settings& is);

}  // namespace guide
