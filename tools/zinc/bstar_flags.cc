// The command line of zinc bstar.

#include "tools/zinc/bstar_command.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <utility>

namespace zinc {

namespace {

void add_milliseconds(CLI::App& app, const std::string& name, long least, const std::string& text,
                      std::function<void(std::chrono::milliseconds)> take) {
  app.add_option_function<long>(
         name, [take = std::move(take)](const long& ms) { take(std::chrono::milliseconds{ms}); },
         text)
      ->check(CLI::Range(least, 86'400'000L))
      ->type_name("MS");
}

}  // namespace

void add_bstar(CLI::App& app, bstar_arguments& to) {
  auto& pair = to.options.pair;
  auto* const role = app.add_option_group("role", "which of the two");
  role->add_flag_callback(
      "--primary", [&pair] { pair.as = bstar::role::primary; }, "active when the two meet");
  role->add_flag_callback(
      "--backup", [&pair] { pair.as = bstar::role::backup; }, "passive when the two meet");
  role->require_option(1);
  app.add_option("--bind", to.bind, "endpoint at which the peer hears our state")
      ->required()
      ->type_name("ENDPOINT");
  app.add_option("--connect", to.connect, "endpoint at which the peer's state is heard")
      ->required()
      ->type_name("ENDPOINT");
  app.add_option("--voter", to.voter,
                 "endpoint for clients' requests, which are echoed while active: then only a "
                 "request makes a passive take over")
      ->type_name("ENDPOINT");
  app.add_option("--epoch-file", to.options.epoch_file, "file in which the epoch outlives a crash")
      ->type_name("FILE");
  add_milliseconds(app, "--heartbeat", 1, "between states; of both nodes [1000]",
                   [&pair](auto time) { pair.heartbeat = time; });
  add_milliseconds(app, "--expiry", 2,
                   "of silence, after which the peer is taken for dead; of both nodes [twice the "
                   "heartbeat]",
                   [&pair](auto time) { pair.expiry = time; });
  add_milliseconds(app, "--promote-alone", 0,
                   "a backup that has heard no primary becomes active after so long [never]",
                   [&pair](auto time) { pair.promote_alone_after = time; });
  add_milliseconds(app, "--grace", 0, "between SIGTERM and SIGKILL to the command [5000]",
                   [&to](auto time) { to.grace = time; });
  app.add_option("CMD", to.command, "runs while this node is active, with its epoch as ZINC_EPOCH");
}

}  // namespace zinc
