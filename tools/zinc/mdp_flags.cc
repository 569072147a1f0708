// The command lines of zinc broker, worker and request.

#include "tools/zinc/mdp_flags.h"

#include "mdp/titanic/request_id.h"
#include "tools/zinc/broker_config.h"
#include "tools/zinc/config_file.h"
#include "tools/zinc/help.h"
#include "tools/zinc/http_flags.h"
#include "tools/zinc/option_values.h"
#include "tools/zinc/roles_file.h"
#include "tools/zinc/security_flags.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <string>
#include <vector>

namespace zinc {

namespace {

constexpr number_range to_a_million{.least = 1, .most = 1'000'000};
constexpr number_range to_a_thousand{.least = 1, .most = 1'000};
constexpr size_range body_range{.least = 0, .most = most_request_bytes};

void add_broker_endpoint(CLI::App& app, std::string& value) {
  app.add_option("--connect", value, "broker to connect to")
      ->check(connectable())
      ->type_name("ENDPOINT")
      ->capture_default_str();
}

void add_version(CLI::App& app, mdp::version& value) {
  add_choice<mdp::version>(app, "--mdp", value,
                           {{"0.1", mdp::version::v01}, {"0.2", mdp::version::v02}},
                           "version of the protocol: 7/MDP (0.1, the Guide's) or 18/MDP (0.2)");
}

// Calls `apply` and names the option in its error.
template <class Apply>
void apply_to(const char* option, Apply apply) {
  try {
    apply();
  } catch (const config_fault& fault) {
    throw CLI::ValidationError{option, fault.what()};
  }
}

}  // namespace

void add_broker(CLI::App& app, broker_arguments& to) {
  set_help(app, {.summary = "Runs a Majordomo broker for MDP/0.1 and MDP/0.2, with MMI.",
                 .details = "Prints `bound ENDPOINT` for each endpoint. SIGHUP reads --config and "
                            "--rules again. SIGUSR1 logs the state.",
                 .examples = {"zinc broker --bind tcp://*:5555",
                              "zinc broker --heartbeat 1s --liveness 5 --service "
                              "'logs.*:requests=100000,bytes=16MiB'",
                              "zinc broker --config /etc/zinc/broker.conf --check-config"},
                 .done = "stopped by a signal",
                 .failed = "address in use, other failure, or requests left unanswered"});
  add_config(app, to.config);
  app.add_option_function<std::string>(
         "--rules",
         [&to](const std::string& file) {
           try {
             to.options.access = read_roles(file, roles_table::services);
             to.rules = file;
           } catch (const roles_fault& fault) {
             throw CLI::ValidationError{"--rules", fault.what()};
           }
         },
         "TOML file of rules: which principals may offer, call and inspect which services [none]")
      ->type_name("FILE");
  app.add_option("--bind", to.bind, "endpoint to bind, for clients and workers; repeatable")
      ->check(bindable())
      ->allow_extra_args(false)
      ->type_name("ENDPOINT")
      ->capture_default_str();
  add_number(app, "--threads", to.threads,
             "brokers, each with its own thread; they bind consecutive ports from that of --bind, "
             "or one --bind each",
             {.least = 1, .most = 1'024});
  add_duration(app, "--heartbeat", to.options.heartbeat, "time between heartbeats");
  add_number(app, "--liveness", to.options.liveness,
             "missed heartbeats before an idle worker is declared dead", to_a_thousand);
  add_duration(
      app, "--unserved-timeout", to.unserved_timeout,
      "time to wait for a worker of a service that has none, unless a --service with a name "
      "has its own")
      ->default_str(text_of(to.options.services.unserved_timeout));
  add_duration(app, "--drain", to.drain, "time to finish requests in progress after a stop signal",
               from_zero);
  add_number(app, "--worker-in-flight", to.options.worker_in_flight,
             "requests in flight at once per worker; a worker may announce a lower limit",
             to_a_million);
  add_number(app, "--unknown-services", to.options.unknown_services,
             "services that may have requests, but neither a worker nor a --service",
             {.least = 0, .most = 1'000'000});
  add_number(app, "--client-requests", to.options.client_limit.requests,
             "unanswered requests of one client");
  add_size(app, "--client-bytes", to.options.client_limit.bytes,
           "size of the unanswered requests of one client, plus 256 per request");
  add_number(app, "--outcome-requests", to.options.outcome_limit.requests,
             "outcomes to remember for repeats of requests", {.least = 0});
  add_size(app, "--outcome-bytes", to.options.outcome_limit.bytes,
           "size of the remembered outcomes, plus 256 per outcome", {.least = 0});
  add_duration(app, "--outcome-time", to.options.outcome_limit.time,
               "time for which an outcome is remembered");
  app.add_option_function<std::vector<std::string>>(
         "--service",
         [&to](const std::vector<std::string>& all) {
           to.changes.clear();
           for (const auto& one : all) {
             apply_to("--service", [&] { read_service_flag(one, to); });
           }
         },
         "service and its settings, repeatable; a NAME that ends with * stands for every service "
         "with this prefix, and * for the defaults of all services. Keys: " +
             service_keys())
      ->allow_extra_args(false)
      ->type_name("NAME:KEY=VALUE,...");
  add_http(app, to.http);
  add_http_operator(app, to.http_operator_token, "list and drain workers");
  add_security(app, to.security);
}

void add_worker(CLI::App& app, worker_arguments& to) {
  set_help(app, {.summary = "Runs a Majordomo worker that echoes requests or runs a command.",
                 .details = "A signal stops it. It takes no more requests and finishes those in "
                            "progress.",
                 .examples = {"zinc worker --service echo",
                              "zinc worker --service upper --exec 'tr a-z A-Z' --in-flight 8"},
                 .done = "stopped by a signal or after --count requests",
                 .failed = "failure, or requests left without a reply"});
  add_config(app, to.config);
  add_broker_endpoint(app, to.connect);
  app.add_option("--service", to.options.service, "service to offer")
      ->required()
      ->type_name("NAME");
  add_version(app, to.options.protocol);
  add_duration(app, "--heartbeat", to.options.heartbeat, "time between heartbeats");
  add_number(app, "--liveness", to.options.liveness,
             "missed heartbeats before the broker is declared dead", to_a_thousand);
  add_number(app, "--in-flight", to.options.in_flight,
             "requests in flight at once; brokers other than zinc broker send one", to_a_million);
  add_number(app, "--count", to.count, "stop after N requests");
  add_duration(app, "--drain", to.drain, "time to finish requests in progress after a stop signal",
               from_zero);
  app.add_option("--exec", to.command,
                 "shell command to run for each request; it reads the body on standard input, and "
                 "its output is the reply")
      ->type_name("COMMAND");
  add_duration(app, "--delay", to.delay, "time to wait before each reply", from_zero);
  add_security(app, to.security);
}

void add_request(CLI::App& app, request_arguments& to) {
  set_help(app, {.summary = "Calls a Majordomo service and prints the reply.",
                 .details = "With --leave, prints the id of the stored request. --fetch prints its "
                            "reply later, and closes the request.",
                 .examples = {"zinc request --service upper hello",
                              "zinc request --service upper --file - < letter",
                              "zinc request --service upper --count 10000 --in-flight 100",
                              "zinc request --service upper --durable --leave --id new hello",
                              "zinc request --fetch 56C9009FBA93DD56B72289F7BF8A51CA --wait"},
                 .done = "replied, or stored with --leave",
                 .failed = "not sent, several outcomes, or other failure",
                 .was_refused = "not executed, or no such id",
                 .no_answer = "no reply in time, or not yet; it may be executed",
                 .outcome_unknown = "no reply will come; it may have been executed"});
  add_broker_endpoint(app, to.connect);
  auto* const what = app.add_option_group("request", "Request");
  what->add_option("--service", to.service, "service to call")->type_name("NAME");
  auto* const fetch =
      what->add_option("--fetch", to.fetch,
                       "id of a stored request, whose reply is printed; then the request is closed")
          ->check([](const std::string& id) {
            return id.empty() ? std::string{"give the id that --leave printed"} : std::string{};
          })
          ->type_name("ID");
  what->require_option(1);
  app.add_flag("--wait", to.wait, "with --fetch: wait for the reply")->needs(fetch);
  add_version(app, to.options.protocol);
  fetch->excludes(add_number(app, "--count", to.count,
                             "stop after N requests; print a summary instead of the replies",
                             {.least = 1, .most = 100'000'000}));
  fetch->excludes(add_number(app, "--in-flight", to.in_flight, "requests in flight at once",
                             {.least = 1, .most = 10'000}));
  auto* const size = app.add_option_function<std::string>(
                            "--size",
                            [&to](const std::string& text) {
                              try {
                                to.size = parse_size(text, body_range);
                              } catch (const unit_error& e) {
                                throw CLI::ValidationError{"--size", e.what()};
                              }
                            },
                            "size of a generated body, which is the last part")
                         ->type_name("SIZE");
  fetch->excludes(size);
  add_duration(app, "--timeout", to.options.timeout, "time to wait for the reply, per attempt");
  fetch->excludes(app.add_flag(
      "--idempotent", to.options.idempotent,
      "a request may be executed more than once, so it may be sent again to any broker"));
  add_number(app, "--attempts", to.options.attempts,
             "attempts before a request fails [1, or 3 with --idempotent or --durable]; without "
             "--idempotent, only a broker that recognizes the repeat gets it",
             to_a_thousand);
  app.add_flag("--json", to.json, "print JSON");
  auto* const durable =
      app.add_flag("--durable", to.durable,
                   "store the request with Titanic, wait for the reply, then close the request");
  // So it excludes all options that need this one.
  fetch->excludes(durable);
  app.add_option(
         "--id", to.id,
         "id of the durable request, 32 hexadecimal digits or new; Titanic stores one request per "
         "id. Only for zinc titanic")
      ->check([](const std::string& text) {
        const auto good = text == "new" || mdp::titanic::request_id::parse(text);
        return good ? std::string{}
                    : fmt::format("'{}' is not an id; give 32 hexadecimal digits, or new", text);
      })
      ->needs(durable)
      ->type_name("ID|new");
  app.add_flag("--leave", to.leave, "with --durable: print the id, and do not wait for the reply")
      ->needs(durable);
  fetch->excludes(
      app.add_option("--file", to.file, "file to send as the part after BODY; - is standard input")
          ->type_name("FILE"));
  fetch->excludes(app.add_option("BODY", to.body, "parts of the request [one empty part]"));
  add_security(app, to.security);
}

void complete(broker_arguments& arguments) {
  arguments.options.socket = read_security(arguments.security, {.bound = arguments.bind}).bound;
  apply_to("--bind", [&] { (void)endpoints_of_brokers(arguments); });
}

void complete(worker_arguments& arguments) {
  arguments.options.socket =
      read_security(arguments.security, {.connected = {arguments.connect}}).connected;
  if (const auto ec = mdp::check_service(arguments.options.service)) {
    throw CLI::ValidationError{"--service", ec.message()};
  }
}

void complete(request_arguments& arguments) {
  arguments.options.socket =
      read_security(arguments.security, {.connected = {arguments.connect}}).connected;
}

}  // namespace zinc
