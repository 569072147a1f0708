#pragma once
// The subcommands of zinc: what they are asked for, and their entry points.

#include "mdp/options.h"
#include "mdp/titanic/options.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace zinc {

// Exit codes of every subcommand.
enum exit_code : int { done = 0, failed = 1, misused = 2 };

// One option of one service, or of those whose names begin alike; see mdp::service_rule.
struct service_change {
  std::string service;
  std::string key;
  std::string value;
};

struct broker_arguments {
  std::vector<std::string> bind{"tcp://*:5555"};
  unsigned threads = 1;                     // each with a broker of its own
  mdp::broker_options options;              // without rules
  std::vector<service_change> changes;      // in their order; valid
  std::chrono::milliseconds drain{30'000};  // at most, to answer what was accepted before it stops
  // Where there is a file: reads it anew, the flags winning as before. Throws config_fault.
  std::function<broker_arguments()> read_again;
};
[[nodiscard]] int run_broker(const broker_arguments& arguments);

struct worker_arguments {
  std::string connect = "tcp://localhost:5555";
  mdp::worker_options options;
  std::optional<std::size_t> count;    // requests to take before it stops
  std::string command;                 // run for each request; empty: echo
  std::chrono::milliseconds delay{0};  // before each reply
  std::chrono::milliseconds drain{
      30'000};  // at most, to finish what is in progress before it stops
};
[[nodiscard]] int run_worker(const worker_arguments& arguments);

struct request_arguments {
  std::string connect = "tcp://localhost:5555";
  std::string service;
  mdp::client_options options;
  std::optional<std::size_t> count;  // absent: one, and its reply is printed
  std::size_t in_flight = 1;
  std::optional<std::size_t> size;  // of a made-up body
  bool json = false;
  bool durable = false;           // by way of Titanic
  std::string id;                 // durable, under an id of our own: this, or `new`; valid
  std::vector<std::string> body;  // one part each
};
[[nodiscard]] int run_request(const request_arguments& arguments);
[[nodiscard]] int run_durable_request(const request_arguments& arguments);

enum class titanic_task { serve, list, show, close, purge };

struct titanic_arguments {
  std::string connect = "tcp://localhost:5555";
  std::string store;
  mdp::titanic::service_options options;
  std::size_t reserve_mebibytes = 16;
  bool unsafe_nosync = false;
  // Instead of running:
  bool salvage = false;
  std::string import_from;
  titanic_task task = titanic_task::serve;
  std::vector<std::string> ids;   // show, close; 32 hexadecimal digits each
  std::chrono::seconds older{0};  // purge: the least age
  bool json = false;
  // The longest wait at a signal for services that are working.
  std::chrono::milliseconds drain{30'000};
};
[[nodiscard]] int run_titanic(const titanic_arguments& arguments);

struct demo_arguments {
  unsigned seconds = 5;
};
[[nodiscard]] int run_demo(const demo_arguments& arguments);

}  // namespace zinc
