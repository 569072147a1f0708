// The command line of zinc dump.

#include "tools/zinc/dump_command.h"
#include "tools/zinc/help.h"
#include "tools/zinc/option_values.h"
#include "zmtp/endpoint.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <vector>

namespace zinc {

namespace {

// Bytes of other transports are not ZMTP.
std::string carrier_error(const std::string& text) {
  const auto parsed = zmtp::endpoint::parse(text);
  const bool plain =
      parsed && ((parsed->tcp() != nullptr && !parsed->tcp()->tls) || parsed->ipc() != nullptr);
  return plain ? std::string{}
               : fmt::format("'{}' cannot be decoded; give tcp://HOST:PORT or ipc://PATH", text);
}

}  // namespace

void add_dump(CLI::App& app, dump_arguments& to) {
  set_help(
      app,
      {.summary = "Shows what two programs say to each other, as ZMTP and protocol commands.",
       .details = "With --listen, accepts connections, connects each to another endpoint, and "
                  "passes all bytes on unchanged. With FILE, reads a capture of tcpdump. Prints "
                  "greetings, commands and messages, and recognizes Majordomo, Titanic, the "
                  "clustered hashmap and Paranoid Pirate. Passwords and keys are left out. With "
                  "CURVE, only sizes are visible.",
       .examples =
           {"zinc dump capture.pcap --port 5555", "tcpdump -i lo -U -w - port 5555 | zinc dump -",
            "zinc dump --listen tcp://127.0.0.1:6666 --connect tcp://localhost:5555",
            "zinc dump --listen tcp://127.0.0.1:6666 --connect tcp://localhost:5555 --json | "
            "jq .name"},
       .done = "a signal ended --listen, or the whole file was read",
       .failed = "failure"});
  auto* const listen =
      app.add_option("--listen", to.listen,
                     "endpoint where programs connect; prints `bound ENDPOINT` on standard error")
          ->check(bindable())
          ->check(carrier_error)
          ->type_name("ENDPOINT");
  auto* const connect =
      app.add_option("--connect", to.connect, "endpoint to connect to for each of them")
          ->check(connectable())
          ->check(carrier_error)
          ->type_name("ENDPOINT")
          ->needs(listen);
  listen->needs(connect);
  app.add_option("FILE", to.file,
                 "capture file to read instead, pcap or pcapng; - is standard input")
      ->excludes(listen);
  app.add_option_function<std::vector<std::string>>(
         "--port",
         [&to](const std::vector<std::string>& words) {
           for (const auto& word : words) {
             to.ports.push_back(static_cast<std::uint16_t>(
                 number_of("--port", word, {.least = 1, .most = 65'535})));
           }
         },
         "only connections of FILE with this port; repeatable [all]")
      ->allow_extra_args(false)
      ->type_name("N")
      ->excludes(listen);
  add_number(app, "--bodies", to.decoder.bodies, "bytes of each part to print",
             {.least = 0, .most = 64 * 1024});
  app.add_flag("--json", to.json, "print JSON, one object per line");
  app.callback([&to] {
    if (to.file.empty() && to.listen.empty()) {
      throw CLI::ValidationError{"give --listen and --connect, or a FILE"};
    }
  });
}

}  // namespace zinc
