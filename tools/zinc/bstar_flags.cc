// The command line of zinc bstar.

#include "tools/zinc/bstar_command.h"
#include "tools/zinc/help.h"
#include "tools/zinc/http_flags.h"
#include "tools/zinc/option_values.h"
#include "tools/zinc/security_flags.h"

#include <CLI/CLI.hpp>

#include <chrono>

namespace zinc {

void add_bstar(CLI::App& app, bstar_arguments& to) {
  set_help(app, {.summary = "Runs a node of a Binary Star pair, and a command while it is active.",
                 .details = "Prints `bound ENDPOINT`, `voter ENDPOINT`, and `active EPOCH` or "
                            "`passive REASON` with each change.",
                 .examples = {"zinc bstar --primary --bind tcp://*:5003 --connect tcp://hostb:5004 "
                              "--epoch-file /var/lib/pair/epoch -- ./server",
                              "zinc bstar --backup --bind tcp://*:5004 --connect tcp://hosta:5003 "
                              "--epoch-file /var/lib/pair/epoch -- ./server",
                              "zinc bstar --config /etc/zinc/pair.conf -- ./server"},
                 .done = "stopped by a signal, or COMMAND exited with 0",
                 .failed = "COMMAND failed, or other failure such as an address in use"});
  add_config(app, to.config);
  auto& pair = to.options.pair;
  auto* const role = app.add_option_group("role", "Role");
  role->add_flag_callback(
      "--primary", [&pair] { pair.as = bstar::role::primary; },
      "primary node; active when both nodes start");
  role->add_flag_callback(
      "--backup", [&pair] { pair.as = bstar::role::backup; },
      "backup node; passive when both nodes start");
  role->require_option(1);
  app.add_option("--bind", to.bind,
                 "endpoint to bind, from which the peer receives the state of this node")
      ->check(bindable())
      ->required()
      ->type_name("ENDPOINT");
  app.add_option("--connect", to.connect, "peer to connect to, to receive its state")
      ->check(connectable())
      ->required()
      ->type_name("ENDPOINT");
  app.add_option("--voter", to.voter,
                 "endpoint for requests of clients, which an active node echoes; with it, a "
                 "passive node takes over only at a request [none]")
      ->check(bindable())
      ->type_name("ENDPOINT");
  app.add_option("--epoch-file", to.options.epoch_file,
                 "file that stores the epoch; each node needs its own [none]")
      ->type_name("FILE");
  add_duration(app, "--heartbeat", pair.heartbeat,
               "time between heartbeats, the same on both nodes");
  add_duration(app, "--expiry", pair.expiry,
               "time without a message before the peer is declared dead, the same on both nodes "
               "[2 × --heartbeat]",
               {.least = std::chrono::milliseconds{2}});
  add_duration(app, "--promote-alone", pair.promote_alone_after,
               "time without a primary before a backup becomes active [never]", from_zero);
  add_duration(app, "--grace", to.grace, "time between SIGTERM and SIGKILL for the command",
               from_zero);
  app.add_option("COMMAND", to.command,
                 "command to run while this node is active; ZINC_EPOCH has the epoch");
  add_peer_key(app, to.security);
  add_http(app, to.http);
  add_security(app, to.security);
}

void complete(bstar_arguments& arguments) {
  check_place(arguments.config, "--epoch-file", arguments.options.epoch_file);
  socket_use use{.bound = {arguments.bind}, .connected = {arguments.connect}};
  if (!arguments.voter.empty()) {
    use.bound.push_back(arguments.voter);
  }
  const auto sockets = read_security(arguments.security, use);
  arguments.options.socket = sockets.bound;
  arguments.options.peer_socket = sockets.connected;
  arguments.options.peer_key = sockets.peer_key;
  if (const auto ec = bstar::validate(arguments.options.pair)) {
    throw CLI::ValidationError{"--expiry", ec.message()};
  }
}

}  // namespace zinc
