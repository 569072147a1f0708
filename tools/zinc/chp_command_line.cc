#include "tools/zinc/chp_command_line.h"

#include "tools/zinc/help.h"
#include "tools/zinc/http_flags.h"
#include "tools/zinc/option_values.h"
#include "tools/zinc/roles_file.h"
#include "tools/zinc/security_flags.h"

#include <chrono>
#include <string>

namespace zinc {

namespace {

// Times to live are whole seconds.
constexpr duration_range ttl_range{.least = std::chrono::seconds{1},
                                   .most = std::chrono::seconds{1'000'000'000},
                                   .step = std::chrono::seconds{1}};

void add_frames(CLI::App& app, chp::form& value) {
  add_choice<chp::form>(app, "--frames", value,
                        {{"kvmsg", chp::form::kvmsg},
                         {"kvsimple8", chp::form::kvsimple_8},
                         {"kvsimple4", chp::form::kvsimple_4}},
                        "frames of 12/CHP, or of the Guide's models 1 to 4 in C or in Python");
}

void add_collector(CLI::App& app, chp::collector_kind& value) {
  add_choice<chp::collector_kind>(
      app, "--collector", value,
      {{"sub", chp::collector_kind::sub}, {"pull", chp::collector_kind::pull}},
      "socket of the server for updates: of 12/CHP, or of the Guide's models 3 to 5");
}

}  // namespace

void chp_command_line::add_client(CLI::App& to, chp_client_arguments::action what) {
  using enum chp_client_arguments::action;
  auto& arguments = client_;
  to.callback([&arguments, what] { arguments.what = what; });
  to.add_option("--connect", arguments.servers,
                "server to connect to: its first port; repeatable, the client fails over to the "
                "next server")
      ->check(connectable_to_three_ports())
      ->type_name("ENDPOINT")
      ->allow_extra_args(false)
      ->capture_default_str();
  add_duration(to, "--heartbeat", arguments.heartbeat, "time between heartbeats of the servers");
  if (what != watch) {
    add_duration(to, "--timeout", arguments.timeout, "time to wait for the servers");
  }
  to.add_flag("--json", arguments.json, "print JSON");
  add_frames(to, arguments.frames);
  add_collector(to, arguments.collector);
  add_choice<chp::snapshot_kind>(
      to, "--snapshots", arguments.snapshots,
      {{"subtree", chp::snapshot_kind::subtree},
       {"whole", chp::snapshot_kind::whole},
       {"none", chp::snapshot_kind::none}},
      "snapshots of the server: of 12/CHP and the Guide's models 4 to 6, of models 2 and 3, or of "
      "model 1, whose only port is that of --connect");
  to.add_flag("--no-hugz", arguments.no_hugz,
              "the servers send no HUGZ, as in the Guide's models 1 to 5");
  if (what == get || what == set || what == erase) {
    to.add_option("KEY", arguments.key, "key of 1 to 255 bytes")->required();
  } else {
    to.add_option("SUBTREE", arguments.subtree, "prefix /.../ of keys [the whole map]");
  }
  if (what == set) {
    to.add_option("VALUE", arguments.value, "new value of the key")->required();
    add_duration(to, "--ttl", arguments.ttl, "time after which the server erases the key [never]",
                 ttl_range);
  }
  if (what == set || what == erase) {
    add_choice<chp::required>(
        to, "--require", arguments.require,
        {{"one", chp::required::one}, {"both", chp::required::both}},
        "servers that must have the update: as many as commit it, or both of a pair");
  }
  if (what == watch) {
    add_number(to, "--count", arguments.count, "stop after N changes");
  }
  add_security(to, arguments.security);
}

CLI::App* chp_command_line::add_pair(CLI::App& to) {
  auto& pair = server_.pair;
  auto* const role = to.add_option_group("pair", "Options of a pair");
  const auto add_role = [&](const std::string& name, bstar::role as, const std::string& text) {
    return role->add_flag_callback(
        name,
        [this, as] {
          server_.paired = true;
          server_.pair.as = as;
        },
        text);
  };
  auto* const primary =
      add_role("--primary", bstar::role::primary, "primary server; active when both servers start");
  auto* const backup =
      add_role("--backup", bstar::role::backup, "backup server; passive when both servers start");
  primary->excludes(backup);
  role->add_option("--peer", server_.peer, "the other server: its first port")
      ->check(connectable_to_three_ports())
      ->type_name("ENDPOINT");
  role->add_option("--bstar-bind", server_.state_bind,
                   "endpoint to bind, from which the peer receives the state of this server")
      ->check(bindable())
      ->type_name("ENDPOINT");
  role->add_option("--bstar-connect", server_.state_connect,
                   "peer to connect to, to receive its state")
      ->check(connectable())
      ->type_name("ENDPOINT");
  add_peer_key(*role, server_.security);
  add_duration(*role, "--expiry", pair.expiry,
               "time without a message before the peer is declared dead, the same on both servers "
               "[2 × --heartbeat]",
               {.least = std::chrono::milliseconds{2}});
  add_duration(*role, "--promote-alone", pair.promote_alone_after,
               "time without a peer before a backup, or a server that restarted without data, "
               "becomes active [never]",
               from_zero);
  add_choice<chp::degraded_policy>(
      *role, "--degraded", server_.options.degraded,
      {{"ack", chp::degraded_policy::ack}, {"block", chp::degraded_policy::block}},
      "updates while the other server is away: commit and flag them, or defer them");
  role->add_option("--lost-folder", server_.lost_folder,
                   "folder for the updates that this server takes out of its history because the "
                   "active server does not have them [the current folder]")
      ->check(CLI::ExistingDirectory.description(""))
      ->type_name("DIR");
  role->add_flag("--discard-data", server_.discard_data,
                 "let this server drop updates that both servers had, once, if the active server "
                 "has lost them");
  return role;
}

void chp_command_line::add_server(CLI::App& to) {
  add_config(to, server_.config);
  auto& options = server_.options;
  to.add_option("--bind", server_.bind,
                "endpoint to bind, for snapshots; the publisher and the collector have the next "
                "two ports (repeatable)")
      ->check(bindable_to_three_ports())
      ->allow_extra_args(false)
      ->type_name("ENDPOINT")
      ->capture_default_str();
  to.add_option("--epoch-file", server_.epoch_file,
                "file that stores the epoch; a server without a pair takes a new epoch at each "
                "start [none]")
      ->type_name("FILE");
  to.add_option("--store", server_.store,
                "file of the map; an update is on disk before it is committed [none]")
      ->type_name("FILE");
  to.add_option_function<std::string>(
        "--rules",
        [this](const std::string& file) {
          try {
            server_.options.access = read_roles(file, roles_table::map);
            server_.rules = file;
          } catch (const roles_fault& fault) {
            throw CLI::ValidationError{"--rules", fault.what()};
          }
        },
        "TOML file of rules: which principals may read and write which keys [none]")
      ->type_name("FILE");
  add_duration(to, "--heartbeat", options.heartbeat, "time between heartbeats");
  add_number(to, "--max-keys", options.map.max_keys, "keys that the map may have");
  add_size(to, "--max-bytes", options.map.max_bytes, "size of all keys and values");
  add_size(to, "--max-value", options.limit.max_value_size, "size of one value",
           {.most = chp::largest_value});
  add_size(to, "--subscriber-bytes", options.publisher_bytes,
           "size of pending messages for a client; the server disconnects a slower client");
  add_frames(to, options.wire_format);
  add_collector(to, options.collector);
  auto* const of_pair = add_pair(to);
  add_http(to, server_.http);
  add_security(to, server_.security);
  to.callback([this, pair = of_pair] {
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

void chp_command_line::add_to(CLI::App& app, log_arguments& log) {
  using enum chp_client_arguments::action;
  app_ = add_command(app, "chp",
                     {.summary = "Serves, reads and changes a clustered hashmap (12/CHP).",
                      .details = {},
                      .examples = {"zinc chp server --bind tcp://*:5556",
                                   "zinc chp set /lamp/kitchen on", "zinc chp set --help"},
                      .done = "done",
                      .failed = "failure"});
  app_->require_subcommand(1);
  server_app_ = add_command(
      *app_, "server",
      {.summary = "Serves the map, alone or as one server of a pair.",
       .details = "Prints `bound ENDPOINT`, and `active EPOCH` or `passive REASON` with each "
                  "change. SIGHUP reads --config and --rules again. SIGUSR1 "
                  "logs the state.",
       .examples = {"zinc chp server --store /var/lib/chp/map",
                    "zinc chp server --primary --peer tcp://b:5556 --bstar-bind tcp://*:5003 "
                    "--bstar-connect tcp://b:5003 --epoch-file /var/lib/chp/epoch",
                    "zinc chp server --config /etc/zinc/map.conf --check-config"},
       .done = "stopped by a signal",
       .failed = "failure such as an address in use"});
  add_server(*server_app_);
  add_log(*server_app_, log);
  add_client(*add_command(*app_, "get",
                          {.summary = "Prints the value of a key.",
                           .details = {},
                           .examples = {"zinc chp get /lamp/kitchen"},
                           .done = "printed",
                           .failed = "no such key, or other failure",
                           .was_refused = "not permitted",
                           .no_answer = "no server in time"}),
             get);
  add_client(*add_command(*app_, "set",
                          {.summary = "Sets a key and waits until the update is committed.",
                           .details = {},
                           .examples = {"zinc chp set /lamp/kitchen on --ttl 1h",
                                        "zinc chp set /lamp/kitchen on --connect tcp://a:5556 "
                                        "--connect tcp://b:5556 --require both"},
                           .done = "committed, and on both servers if they are required",
                           .failed = "not sent, or other failure",
                           .was_refused = "refused by the server",
                           .no_answer = "not committed so in time; it may be later",
                           .outcome_unknown = "the servers do not know whether it was made"}),
             set);
  add_client(*add_command(*app_, "delete",
                          {.summary = "Erases a key and waits until the update is committed.",
                           .details = {},
                           .examples = {"zinc chp delete /lamp/kitchen"},
                           .done = "committed, and on both servers if they are required",
                           .failed = "not sent, or other failure",
                           .was_refused = "refused by the server",
                           .no_answer = "not committed so in time; it may be later",
                           .outcome_unknown = "the servers do not know whether it was made"}),
             erase);
  add_client(*add_command(*app_, "dump",
                          {.summary = "Prints keys and values in the order of keys.",
                           .details = {},
                           .examples = {"zinc chp dump", "zinc chp dump /lamp/ --json"},
                           .done = "printed",
                           .failed = "failure",
                           .was_refused = "not permitted",
                           .no_answer = "no server in time"}),
             dump);
  add_client(*add_command(*app_, "watch",
                          {.summary = "Prints keys and values, then each change.",
                           .details = {},
                           .examples = {"zinc chp watch /lamp/", "zinc chp watch --count 10"},
                           .done = "stopped by a signal or after --count changes",
                           .failed = "failure",
                           .was_refused = "not permitted"}),
             watch);
}

void chp_command_line::complete() {
  if (!server_app_->parsed()) {
    client_.socket = read_security(client_.security, {.connected = client_.servers}).connected;
    return;
  }
  check_place(server_.config, "--store", server_.store);
  check_place(server_.config, "--epoch-file", server_.epoch_file);
  socket_use use{.bound = server_.bind};
  if (server_.paired) {
    use.connected = {server_.peer, server_.state_connect};
    use.bound.push_back(server_.state_bind);
  }
  const auto sockets = read_security(server_.security, use);
  server_.options.socket = sockets.bound;
  server_.peer_socket = sockets.connected;
  server_.peer_key = sockets.peer_key;
  auto pair = server_.pair;
  pair.heartbeat = server_.options.heartbeat;
  if (const auto ec = bstar::validate(pair); server_.paired && ec) {
    throw CLI::ValidationError{"--expiry", ec.message()};
  }
}

}  // namespace zinc
