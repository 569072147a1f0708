// The command line of zinc dump.

#include "tools/zinc/dump_command.h"
#include "tools/zinc/help.h"
#include "tools/zinc/option_values.h"
#include "zmtp/endpoint.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <string>

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
       .details = "Accepts connections, connects each to another endpoint, and passes all bytes "
                  "on unchanged. Prints greetings, commands and messages, and recognizes "
                  "Majordomo, Titanic, the clustered hashmap and Paranoid Pirate. Passwords and "
                  "keys are left out. With CURVE, only sizes are visible.",
       .examples = {"zinc dump --listen tcp://*:6666 --connect tcp://localhost:5555",
                    "zinc dump --listen tcp://*:6666 --connect tcp://localhost:5555 --json | "
                    "jq .name"},
       .done = "a signal ended it",
       .failed = "failure"});
  app.add_option("--listen", to.listen,
                 "endpoint where programs connect; prints `bound ENDPOINT` on standard error")
      ->check(bindable())
      ->check(carrier_error)
      ->type_name("ENDPOINT")
      ->required();
  app.add_option("--connect", to.connect, "endpoint to connect to for each of them")
      ->check(connectable())
      ->check(carrier_error)
      ->type_name("ENDPOINT")
      ->required();
  add_number(app, "--bodies", to.decoder.bodies, "bytes of each part to print",
             {.least = 0, .most = 64 * 1024});
  app.add_flag("--json", to.json, "print JSON, one object per line");
}

}  // namespace zinc
