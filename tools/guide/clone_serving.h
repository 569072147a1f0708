#pragma once
// Models three to five of the Guide's clone servers: what clients send goes to all.

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
  bool counts = true;   // at its end it says how many updates there were
  bool python = false;  // four bytes of sequence
  bool kvmsg = false;   // five frames
};

// Until a signal ends it.
[[nodiscard]] boost::asio::awaitable<int> serve_map(const serving_settings& is);

}  // namespace guide
