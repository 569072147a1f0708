#pragma once
// The arguments and entry points of zinc broker, worker, request, titanic and demo.
// Every other subcommand has a header of its own, as a new one does: see proxy_command.h.

#include "mdp/options.h"
#include "mdp/titanic/options.h"
#include "tools/zinc/config_file.h"
#include "tools/zinc/exit_code.h"
#include "tools/zinc/http/address.h"
#include "tools/zinc/security_flags.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace zinc {

// One setting of one service, or of all services whose names have a prefix; see mdp::service_rule.
struct service_change {
  std::string service;
  std::string key;
  std::string value;
};

struct broker_arguments {
  std::vector<std::string> bind{"tcp://*:5555"};
  unsigned threads = 1;                 // one broker each
  mdp::broker_options options;          // without rules
  std::vector<service_change> changes;  // valid, in the order of the command line
  std::optional<std::chrono::milliseconds>
      unserved_timeout;                     // for all services; `changes` come after it
  std::string rules;                        // file of rules, read into options.access; or empty
  std::chrono::milliseconds drain{30'000};  // to answer the accepted requests before it stops
  security_arguments security;
  std::optional<http::address> http{};  // address of the figures and the page
  std::string http_operator_token;      // an empty text allows no operator
  config_source config{};
  std::function<broker_arguments()> read_again{};  // see config_reload.h; throws config_fault
};
[[nodiscard]] int run_broker(const broker_arguments& arguments);

struct worker_arguments {
  std::string connect = "tcp://localhost:5555";
  mdp::worker_options options;
  std::optional<std::size_t> count;         // requests to take before it stops
  std::string command;                      // run for each request; empty: echo
  std::chrono::milliseconds delay{0};       // before each reply
  std::chrono::milliseconds drain{30'000};  // to finish requests in progress before it stops
  security_arguments security;
  config_source config{};
  std::function<worker_arguments()> read_again{};
};
[[nodiscard]] int run_worker(const worker_arguments& arguments);

// Limit of the last part of a request. Above 64 MiB for a whole message, a broker closes the connection.
inline constexpr std::size_t most_request_bytes = 64 * 1024 * 1024 - 1024;

struct request_arguments {
  std::string connect = "tcp://localhost:5555";
  std::string service;
  mdp::client_options options;
  std::optional<std::size_t> count;  // absent: one request, whose reply is printed
  std::size_t in_flight = 1;
  std::optional<std::size_t> size;  // bytes of a generated body
  bool json = false;
  bool durable = false;           // through Titanic
  std::string id;                 // the id of a durable request, or `new`; valid
  bool leave = false;             // do not wait for the reply of a durable request
  std::string fetch;              // id of a durable request whose reply is wanted; or empty
  bool wait = false;              // for the reply to `fetch`
  std::vector<std::string> body;  // one part each
  std::string file;               // the next part; or empty
  security_arguments security;
};
[[nodiscard]] int run_request(const request_arguments& arguments);
[[nodiscard]] int run_durable_request(const request_arguments& arguments);

enum class titanic_task { serve, list, show, close, purge };

struct titanic_arguments {
  std::string connect = "tcp://localhost:5555";
  std::string store;
  mdp::titanic::server_options options;
  std::size_t reserve = 16 * 1024 * 1024;  // bytes of disk
  bool unsafe_nosync = false;
  // Tasks that end without serving:
  bool salvage = false;
  std::string import_from;
  titanic_task task = titanic_task::serve;
  std::vector<std::string> ids;        // for show and close; 32 hexadecimal digits each
  std::chrono::milliseconds older{0};  // for purge: the least age
  bool json = false;
  std::chrono::milliseconds drain{30'000};  // to store the replies of services that are working
  security_arguments security;
  std::optional<http::address> http{};  // address of the figures and the page
  std::string http_operator_token;      // an empty text allows no operator
  config_source config{};
  std::function<titanic_arguments()> read_again{};
};
[[nodiscard]] int run_titanic(const titanic_arguments& arguments);

struct demo_arguments {
  std::chrono::milliseconds duration{5'000};  // time of each half
};
[[nodiscard]] int run_demo(const demo_arguments& arguments);

}  // namespace zinc
