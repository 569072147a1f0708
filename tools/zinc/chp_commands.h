#pragma once
// The arguments of the subcommands of zinc chp, and their entry points.

#include "bstar/options.h"
#include "chp/client.h"
#include "chp/client_options.h"
#include "chp/command.h"
#include "chp/server_options.h"
#include "tools/zinc/config_file.h"
#include "tools/zinc/http/address.h"
#include "tools/zinc/security_flags.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace zinc {

struct chp_client_arguments {
  enum class action { get, set, erase, dump, watch };

  action what = action::get;
  std::vector<std::string> servers{"tcp://localhost:5556"};
  std::chrono::milliseconds heartbeat{1'000};
  std::chrono::milliseconds timeout{15'000};
  bool json = false;
  std::string key;
  std::string value;
  std::optional<std::chrono::milliseconds> ttl;  // whole seconds
  chp::required require = chp::required::one;    // for set and delete
  std::string subtree;                           // for dump and watch
  std::optional<std::size_t> count;              // for watch: changes to print before it ends
  // The kind of the servers:
  chp::form frames = chp::form::kvmsg;
  chp::collector_kind collector = chp::collector_kind::sub;
  chp::snapshot_kind snapshots = chp::snapshot_kind::subtree;
  bool no_hugz = false;
  security_arguments security;
  zmtp::socket_options socket;  // with this security
};
[[nodiscard]] int run_chp_client(const chp_client_arguments& arguments);

struct chp_server_arguments {
  std::vector<std::string> bind{"tcp://*:5556"};  // the first of the three ports, each
  chp::server_options options;
  std::string rules;  // file of rules, read into options.access; empty: everything is allowed
  std::string epoch_file;
  std::string store;  // file of the map; empty: the map is not stored
  // Options of a server of a pair:
  bool paired = false;
  bstar::pair_options pair;  // without the heartbeat, which `options` has
  std::string peer;          // the first of the three ports
  std::string state_bind;
  std::string state_connect;
  std::string lost_folder;    // for files of lost updates; empty: the current folder
  bool discard_data = false;  // see chp::replicated_server_options::discard_own_data
  security_arguments security;
  std::optional<http::address> http{};  // address of the figures and the page
  zmtp::socket_options peer_socket;     // with this security, as options.socket
  std::optional<zmtp::curve_public_key> peer_key;
  config_source config{};
  std::function<chp_server_arguments()> read_again{};  // see config_reload.h; throws config_fault
};
[[nodiscard]] int run_chp_server(const chp_server_arguments& arguments);

}  // namespace zinc
