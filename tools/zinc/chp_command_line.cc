#include "tools/zinc/chp_command_line.h"

#include <map>
#include <string>

namespace zinc {

namespace {

void add_size(CLI::App& app, const std::string& name, std::size_t& value, const std::string& text) {
  app.add_option(name, value, text)
      ->check(CLI::PositiveNumber)
      ->type_name("N")
      ->capture_default_str();
}

template <class Enum>
void add_choice(CLI::App& app, const std::string& name, Enum& value,
                const std::map<std::string, Enum>& choices, const std::string& text) {
  std::string names;
  for (const auto& [word, meaning] : choices) {
    names += (names.empty() ? "" : "|") + word;
  }
  app.add_option_function<std::string>(
         name, [&value, choices](const std::string& word) { value = choices.at(word); }, text)
      ->check(CLI::IsMember{choices})
      ->type_name(names);
}

void add_frames(CLI::App& app, chp::form& value) {
  add_choice<chp::form>(app, "--frames", value,
                        {{"kvmsg", chp::form::kvmsg},
                         {"kvsimple8", chp::form::kvsimple_8},
                         {"kvsimple4", chp::form::kvsimple_4}},
                        "12/CHP, or those of the Guide's models 1 to 4, in C or Python [kvmsg]");
}

void add_collector(CLI::App& app, chp::collector_kind& value) {
  add_choice<chp::collector_kind>(
      app, "--collector", value,
      {{"sub", chp::collector_kind::sub}, {"pull", chp::collector_kind::pull}},
      "what clients send updates to: of 12/CHP, or of the Guide's models 3 to 5 [sub]");
}

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
  add_frames(to, arguments.frames);
  add_collector(to, arguments.collector);
  add_choice<chp::snapshot_kind>(
      to, "--snapshots", arguments.snapshots,
      {{"subtree", chp::snapshot_kind::subtree},
       {"whole", chp::snapshot_kind::whole},
       {"none", chp::snapshot_kind::none}},
      "what servers can be asked for: of 12/CHP and the Guide's models 4 to 6, of 2 and 3, or of "
      "1, whose only port, the publisher, --server names [subtree]");
  to.add_flag("--no-hugz", arguments.no_hugz,
              "the servers say nothing while nothing happens: the Guide's models 1 to 5");
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

CLI::App* chp_command_line::add_pair(CLI::App& to) {
  auto& pair = server_.pair;
  auto* const role = to.add_option_group("pair", "one of two, of which the active one serves");
  const auto add_role = [&](const std::string& name, bstar::role as, const std::string& text) {
    return role->add_flag_callback(
        name,
        [this, as] {
          server_.paired = true;
          server_.pair.as = as;
        },
        text);
  };
  auto* const primary = add_role("--primary", bstar::role::primary, "active when the two meet");
  auto* const backup = add_role("--backup", bstar::role::backup, "passive when the two meet");
  primary->excludes(backup);
  role->add_option("--peer", server_.peer, "snapshot port of the other one, the first of its three")
      ->type_name("HOST:PORT");
  role->add_option("--bstar-bind", server_.state_bind,
                   "endpoint at which the other one hears our state")
      ->type_name("ENDPOINT");
  role->add_option("--bstar-connect", server_.state_connect,
                   "endpoint at which the other one's state is heard")
      ->type_name("ENDPOINT");
  role->add_option_function<long>(
          "--expiry", [&pair](const long& ms) { pair.expiry = std::chrono::milliseconds{ms}; },
          "of silence, after which the other one is taken for dead; of both [twice the heartbeat]")
      ->check(CLI::Range(2L, 86'400'000L))
      ->type_name("MS");
  role->add_option_function<long>(
          "--promote-alone",
          [&pair](const long& ms) { pair.promote_alone_after = std::chrono::milliseconds{ms}; },
          "one that has heard no peer becomes active after so long, if it is the backup or was "
          "started again with nothing [never]")
      ->check(CLI::Range(0L, 86'400'000L))
      ->type_name("MS");
  add_choice<chp::degraded_policy>(
      *role, "--degraded", server_.options.degraded,
      {{"ack", chp::degraded_policy::ack}, {"block", chp::degraded_policy::block}},
      "while the other one is away updates are committed by one alone, and flagged, or not at all "
      "[ack]");
  return role;
}

void chp_command_line::add_server(CLI::App& to) {
  auto& options = server_.options;
  auto* const port =
      to.add_option_function<unsigned>(
            "--port", [this](const unsigned& p) { server_.bind = "tcp://*:" + std::to_string(p); },
            "of snapshots; the publisher and the collector are at the two behind it [5556]")
          ->check(CLI::Range(1U, 65'533U))
          ->type_name("PORT");
  to.add_option("--bind", server_.bind, "instead: endpoint with the first of the three ports")
      ->excludes(port)
      ->type_name("ENDPOINT");
  to.add_option("--epoch-file", server_.epoch_file,
                "file in which the epoch outlives a crash; alone, each start takes a new one")
      ->type_name("FILE");
  to.add_option("--store", server_.store,
                "file in which the map outlives a crash: what is committed is in it first [none]")
      ->type_name("FILE");
  add_milliseconds(to, "--heartbeat", options.heartbeat, "between HUGZ, and states of a pair");
  add_size(to, "--max-keys", options.map.max_keys, "keys that the map may have");
  add_size(to, "--max-octets", options.map.max_octets, "octets of all keys and values");
  add_size(to, "--max-value", options.limit.max_value_size, "octets of one value");
  add_size(to, "--subscriber-octets", options.publisher_octets,
           "that may wait for a client; one that is slower is disconnected");
  add_frames(to, options.how);
  add_collector(to, options.collector);
  to.callback([this, pair = add_pair(to)] {
    const auto complete =
        !server_.peer.empty() && !server_.state_bind.empty() && !server_.state_connect.empty();
    if (server_.paired && !complete) {
      throw CLI::ValidationError{"--primary and --backup",
                                 "need --peer, --bstar-bind and --bstar-connect"};
    }
    for (const auto* const option : pair->get_options()) {
      if (!server_.paired && option->count() != 0) {
        throw CLI::ValidationError{option->get_name(), "needs --primary or --backup"};
      }
    }
  });
}

void chp_command_line::add_to(CLI::App& app) {
  using enum chp_client_arguments::action;
  app_ = app.add_subcommand("chp", "the clustered hashmap (12/CHP): a map that servers keep");
  app_->require_subcommand(1);
  server_app_ = app_->add_subcommand(
      "server",
      "keeps the map, alone or as one of a pair. Prints `bound ENDPOINT`, and `active "
      "EPOCH` or `passive REASON` with each change.");
  add_server(*server_app_);
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

int chp_command_line::run() const {
  return server_app_->parsed() ? run_chp_server(server_) : run_chp_client(client_);
}

}  // namespace zinc
