#pragma once
// Models two to six of the Guide's clone clients: they follow a server, and most set something now and then.

#include "chp/client_options.h"
#include "tools/guide/program.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace guide {

struct following_settings {
  std::vector<std::string> servers{"tcp://localhost:5556"};  // their first ports
  chp::client_options options{.wire_format = chp::form::kvsimple_8,
                              .collector = chp::collector_kind::pull,
                              // There is no HUGZ before model six.
                              .server_ttl = {},
                              // As the Guide's have it, and its servers in C need it.
                              .always_send_ttl = true};
  std::string received = "I: received";  // in front of what is
  line_printer print = say_line;         // of what it hears
  bool names_servers = false;            // also which one it waits for
  bool counts = true;                    // at its end it says at what number it is
  bool sets = true;
  bool sets_at_once = false;                  // and not when it has the map, an interval later
  std::chrono::milliseconds interval{1'000};  // between two that it sets
  // Of what it sets a time to live in seconds is below this; 0: none has one.
  std::uint32_t ttl_below = 0;
  bool python = false;  // four bytes of sequence
  bool kvmsg = false;   // five frames
};

// The flags of those that set, and of all.
void add_flags(command_line& line, following_settings& is);

// Until a signal ends it.
[[nodiscard]] boost::asio::awaitable<int> follow_map(const following_settings& is);

}  // namespace guide
