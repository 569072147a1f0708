// The command line of zinc titanic.

#include "mdp/titanic/request_id.h"
#include "tools/zinc/help.h"
#include "tools/zinc/http_flags.h"
#include "tools/zinc/mdp_flags.h"
#include "tools/zinc/named_settings.h"
#include "tools/zinc/option_values.h"
#include "tools/zinc/security_files.h"
#include "tools/zinc/security_flags.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace zinc {

namespace {

using std::chrono::seconds;

constexpr number_range in_flight_range{.least = 1, .most = 10'000};
constexpr number_range attempts_range{.least = 1, .most = 1'000'000};
// Ages are whole seconds, up to about a century.
constexpr duration_range age_range{.least = std::chrono::milliseconds{0},
                                   .most = std::chrono::hours{100 * 366 * 24},
                                   .step = seconds{1}};

std::chrono::milliseconds age_of(const std::string& option, const std::string& text,
                                 const char* or_else = "") {
  try {
    return parse_duration(text, age_range);
  } catch (const unit_error& e) {
    throw CLI::ValidationError{option, fmt::format("{}{}", e.what(), or_else)};
  }
}

// Reads one setting of --service.
void set(mdp::titanic::service_limits& of, const std::string& key, const std::string& value,
         const std::string& place) {
  const auto option = "--service: " + place;
  if (key == "in_flight") {
    of.in_flight = static_cast<std::size_t>(number_of(option, value, in_flight_range));
  } else if (key == "attempts") {
    of.attempts = static_cast<unsigned>(number_of(option, value, attempts_range));
  } else if (key == "timeout") {
    try {
      of.timeout = parse_duration(value);
    } catch (const unit_error& e) {
      throw CLI::ValidationError{option, e.what()};
    }
  } else {
    throw CLI::ValidationError{option, "unknown setting; give one of in_flight, timeout, attempts"};
  }
}

// A service has the values of the options for all services, unless its settings say otherwise.
void read_service(const std::string& text, mdp::titanic::titanic_options& to) {
  named_settings all;
  try {
    all = parse_named_settings(text);
  } catch (const settings_error& e) {
    throw CLI::ValidationError{"--service", e.what()};
  }
  auto& limits = to.services.try_emplace(all.name, to.service).first->second;
  for (const auto& [key, value] : all.settings) {
    set(limits, key, value, all.name + ':' + key);
  }
}

CLI::Option* add_ids(CLI::App& app, titanic_arguments& to) {
  return app.add_option("ID", to.ids, "id of a request: 32 hexadecimal digits")
      ->required()
      ->check([](const std::string& text) {
        return mdp::titanic::request_id::parse(text)
                   ? std::string{}
                   : fmt::format("'{}' is not an id; give 32 hexadecimal digits", text);
      });
}

// Adds the subcommands for the store of a stopped Titanic.
void add_titanic_tasks(CLI::App& app, titanic_arguments& to) {
  const auto add = [&](titanic_task task, const std::string& name, const std::string& summary,
                       const std::string& example, const std::string& done) {
    auto* const added = add_command(
        app, name,
        {.summary = summary,
         .details = "Titanic must be stopped. Needs the option --store FILE of zinc titanic.",
         .examples = {example},
         .done = done,
         .failed = "unknown request, or failure such as a store in use"});
    added->add_flag("--json", to.json, "print JSON");
    added->fallthrough();
    added->callback([&to, task] { to.task = task; });
    return added;
  };
  app.require_subcommand(0, 1);
  add(titanic_task::list, "list",
      "Prints one line for each stored request: id, state, attempts, age, service.",
      "zinc titanic list --store /var/lib/titanic/store", "printed");
  add_ids(*add(titanic_task::show, "show", "Prints a stored request and its reply.",
               "zinc titanic show --store /var/lib/titanic/store "
               "0123456789abcdef0123456789abcdef",
               "printed"),
          to)
      ->expected(1);
  add_ids(*add(titanic_task::close, "close", "Removes requests from a store, also pending ones.",
               "zinc titanic close --store /var/lib/titanic/store "
               "0123456789abcdef0123456789abcdef",
               "removed"),
          to);
  add(titanic_task::purge, "purge",
      "Removes all requests from a store that were answered or given up.",
      "zinc titanic purge --store /var/lib/titanic/store --older 12h", "removed")
      ->add_option_function<std::string>(
          "--older", [&to](const std::string& text) { to.older = age_of("--older", text); },
          "only requests of at least this age [0s]")
      ->type_name("DURATION");
}

}  // namespace

void add_titanic(CLI::App& app, titanic_arguments& to) {
  set_help(app, {.summary = "Stores requests for Majordomo services on disk until clients have "
                            "their replies.",
                 .details = "Prints `open REQUESTS PENDING` after it has read the store. SIGUSR1 "
                            "logs the state. The subcommands work on the store of a stopped "
                            "Titanic.",
                 .examples = {"zinc titanic --store /var/lib/titanic/store",
                              "zinc titanic --store /var/lib/titanic/store --timeout 10s --service "
                              "reports:timeout=5m,in_flight=2",
                              "zinc titanic --config /etc/zinc/titanic.conf --check-config",
                              "zinc titanic list --store /var/lib/titanic/store"},
                 .done = "stopped by a signal, or task done",
                 .failed = "failure such as a damaged store"});
  add_titanic_tasks(app, to);
  auto& core = to.options.core;
  add_config(app, to.config);
  app.add_option("--connect", to.connect, "broker to connect to")
      ->check(connectable())
      ->type_name("ENDPOINT")
      ->capture_default_str();
  app.add_option("--store", to.store, "file of the requests; Titanic creates a missing file")
      ->required()
      ->type_name("FILE");
  add_number(app, "--in-flight", to.options.in_flight,
             "requests in flight at once, for each service of Titanic", in_flight_range);
  app.add_flag("--third-party-broker", to.options.third_party_broker,
               "register --in-flight workers instead of one; for brokers other than zinc broker");
  add_duration(app, "--heartbeat", to.options.heartbeat, "time between heartbeats");
  add_number(app, "--service-in-flight", core.service.in_flight,
             "requests in flight at once per service that Titanic calls", in_flight_range);
  add_duration(app, "--timeout", core.service.timeout,
               "time to wait for the reply of a service, per attempt");
  add_number(app, "--attempts", core.service.attempts, "attempts before a request fails",
             attempts_range);
  app.add_option_function<std::vector<std::string>>(
         "--service",
         [&core](const std::vector<std::string>& all) {
           core.services.clear();
           for (const auto& one : all) {
             read_service(one, core);
           }
         },
         "service and its settings; repeatable. Keys: in_flight, timeout, attempts; without a key, "
         "--service-in-flight, --timeout or --attempts")
      ->allow_extra_args(false)
      ->type_name("NAME:KEY=VALUE,...");
  add_number(app, "--max-requests", core.max_requests, "requests that the store may have");
  add_size(app, "--reserve", to.reserve, "disk space to reserve for replies and for closing",
           {.least = 0});
  app.add_option_function<std::string>(
         "--keep",
         [&core](const std::string& text) {
           if (text == "forever") {
             core.keep.reset();
           } else {
             core.keep = std::chrono::floor<seconds>(age_of("--keep", text, ", or forever"));
           }
         },
         "time after which Titanic removes an answered or failed request that no client closed")
      ->type_name("DURATION|forever")
      ->default_str(core.keep ? text_of(*core.keep) : "forever");
  add_duration(app, "--drain", to.drain, "time to finish requests in progress after a stop signal",
               from_zero);
  app.add_flag("--unsafe-nosync", to.unsafe_nosync,
               "accept requests before they are on disk; a power failure loses requests");
  auto* const salvage =
      app.add_flag("--salvage", to.salvage,
                   "copy the intact requests of a damaged store to a new store, then exit");
  app.add_option("--import", to.import_from,
                 "copy the requests from the .titanic folder of the Guide's Titanic, then exit")
      ->type_name("DIR")
      ->excludes(salvage);
  add_http(app, to.http);
  add_http_operator(app, to.http_operator_token, "list and remove requests");
  add_security(app, to.security);
}

void complete(titanic_arguments& arguments) {
  const bool serves =
      arguments.task == titanic_task::serve && !arguments.salvage && arguments.import_from.empty();
  for (const auto* const task : {"salvage", "import"}) {
    if (arguments.config.lines.contains(task)) {
      refuse(std::string{"--"} + task, "is done once; give it on the command line");
    }
  }
  check_place(arguments.config, "--store", arguments.store);
  // A task opens no socket. The file of the service may have options for it, the command line of the
  // task may not.
  if (serves || arguments.config.file.empty()) {
    arguments.options.socket =
        read_security(arguments.security,
                      serves ? socket_use{.connected = {arguments.connect}} : socket_use{})
            .connected;
  }
}

}  // namespace zinc
