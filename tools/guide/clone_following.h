#pragma once
// Models two to six of the Guide's clone clients. They follow a server, and most of them set entries at intervals.

#include "chp/client_options.h"
#include "tools/guide/program.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace guide {

struct following_settings {
  std::vector<std::string> servers{"tcp://localhost:5556"};  // the first port of each
  chp::client_options options{.wire_format = chp::form::kvsimple_8,
                              .collector = chp::collector_kind::pull,
                              // Servers before model six send no HUGZ.
                              .server_ttl = {},
                              // The Guide's clients do this, and its servers in C need it.
                              .always_send_ttl = true};
  std::string received = "I: received";  // start of a line about a change
  line_printer print = say_line;         // prints the lines about the server
  bool names_servers = false;            // true: the lines name the server
  bool counts = true;                    // true: prints the sequence number at the end
  bool sets = true;
  bool sets_at_once = false;  // false: sets the first entry one interval after the snapshot
  std::chrono::milliseconds interval{1'000};  // time between two updates
  // Exclusive limit of the random time to live of an entry, in seconds. 0: entries have no time to live.
  std::uint32_t ttl_below = 0;
  bool python = false;  // true: sequence numbers of four bytes
  bool kvmsg = false;   // true: messages of five frames
};

// Adds the flags of these clients. Only clients that set entries have --interval.
void add_flags(command_line& line, following_settings& is);

// Follows the servers until a signal ends the program.
[[nodiscard]] boost::asio::awaitable<int> follow_map(const following_settings& is);

}  // namespace guide
