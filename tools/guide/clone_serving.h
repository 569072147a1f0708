#pragma once
// Models three to five of the Guide's clone servers. They publish the updates of their clients.

#include "chp/server_options.h"
#include "tools/guide/clone_log.h"
#include "tools/guide/program.h"

#include <boost/asio/awaitable.hpp>

#include <string>

namespace guide {

struct serving_settings {
  std::string bind = "tcp://*:5556";
  chp::server_options options{.wire_format = chp::form::kvsimple_8,
                              .collector = chp::collector_kind::pull};
  clone_words words{};
  line_printer print = say_line;
  bool counts = true;   // true: prints the number of updates at the end
  bool python = false;  // true: sequence numbers of four bytes
  bool kvmsg = false;   // true: messages of five frames
};

// Serves the map until a signal ends the program.
[[nodiscard]] boost::asio::awaitable<int> serve_map(const serving_settings& is);

}  // namespace guide
