#include "tools/zinc/chp_command_line.h"

#include <string>

namespace zinc {

namespace {

void add_milliseconds(CLI::App& app, const std::string& name, std::chrono::milliseconds& value,
                      const std::string& text) {
  app.add_option_function<long>(
         name, [&value](const long& ms) { value = std::chrono::milliseconds{ms}; }, text)
      ->check(CLI::Range(1L, 86'400'000L))
      ->type_name("MS")
      ->default_str(std::to_string(value.count()));
}

}  // namespace

void chp_command_line::add_client(CLI::App& to, chp_client_arguments::action what) {
  using enum chp_client_arguments::action;
  auto& arguments = client_;
  to.callback([&arguments, what] { arguments.what = what; });
  to.add_option(
        "--server", arguments.servers,
        "snapshot port of a server, the first of its three; may be repeated: the next is for "
        "when one is gone")
      ->type_name("HOST:PORT")
      ->allow_extra_args(false)
      ->capture_default_str();
  add_milliseconds(to, "--heartbeat", arguments.heartbeat, "of the servers");
  if (what != watch) {
    add_milliseconds(to, "--timeout", arguments.timeout, "for the whole of it");
  }
  to.add_flag("--json", arguments.json, "print JSON");
  if (what == get || what == set || what == erase) {
    to.add_option("KEY", arguments.key, "1 to 255 octets")->required();
  } else {
    to.add_option("SUBTREE", arguments.subtree, "/…/; without: the whole map");
  }
  if (what == set) {
    to.add_option("VALUE", arguments.value, "what the key is to hold")->required();
    to.add_option("--ttl", arguments.ttl, "seconds after which the server erases it")
        ->check(CLI::Range(1U, 1'000'000'000U))
        ->type_name("S");
  }
  if (what == watch) {
    to.add_option("--count", arguments.count, "end after so many changes")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
  }
}

void chp_command_line::add_to(CLI::App& app) {
  using enum chp_client_arguments::action;
  app_ = app.add_subcommand("chp", "the clustered hashmap (12/CHP): a map that servers keep");
  app_->require_subcommand(1);
  add_client(*app_->add_subcommand("get", "prints the value of a key"), get);
  add_client(*app_->add_subcommand("set", "sets a key, and waits until that is committed"), set);
  add_client(*app_->add_subcommand("delete", "erases a key, and waits until that is committed"),
             erase);
  add_client(*app_->add_subcommand("dump", "prints the keys and values, in the order of keys"),
             dump);
  add_client(*app_->add_subcommand(
                 "watch", "prints the keys and values, and what changes, until it is stopped"),
             watch);
}

int chp_command_line::run() const { return run_chp_client(client_); }

}  // namespace zinc
