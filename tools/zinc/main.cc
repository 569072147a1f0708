// zinc: the one binary that operators use. Reads the command line; the subcommands are in files of
// their own.

#include "mdp/titanic/request_id.h"
#include "tools/zinc/broker_config.h"
#include "tools/zinc/bstar_command.h"
#include "tools/zinc/cat_command.h"
#include "tools/zinc/chp_command_line.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/interop_command.h"
#include "tools/zinc/output.h"
#include "tools/zinc/proxy_command.h"
#include "tools/zinc/version.h"

#include <CLI/CLI.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/core.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace zinc {
namespace {

void add_version(CLI::App& app, mdp::version& value) {
  app.add_option_function<std::string>(
         "--mdp",
         [&value](const std::string& name) {
           value = name == "0.1" ? mdp::version::v01 : mdp::version::v02;
         },
         "version of the protocol: 0.1 (7/MDP, the Guide's) or 0.2 (18/MDP)")
      ->check(CLI::IsMember({"0.1", "0.2"}))
      ->default_str("0.2");
}

// CLI11 knows numbers, the options know durations.
void add_milliseconds(CLI::App& app, const std::string& name, std::chrono::milliseconds& value,
                      const std::string& text, long least = 1) {
  app.add_option_function<long>(
         name, [&value](const long& ms) { value = std::chrono::milliseconds{ms}; }, text)
      ->check(CLI::Range(least, 86'400'000L))
      ->type_name("MS")
      ->default_str(std::to_string(value.count()));
}

std::string text_of(const std::string& file) {
  std::ifstream input{file, std::ios::binary};
  if (!input) {
    throw CLI::FileError{file + ": cannot be opened: " + std::strerror(errno)};
  }
  try {
    return {std::istreambuf_iterator<char>{input}, {}};
  } catch (const std::ios_base::failure& e) {
    throw CLI::FileError{file + ": cannot be read: " + e.what()};
  }
}

void add_service_flag(CLI::App& app, broker_arguments& to) {
  using setting = std::pair<std::string, std::string>;
  app.add_option_function<std::vector<setting>>(
         "--service",
         [&to](const std::vector<setting>& all) {
           for (const auto& [service, settings] : all) {
             try {
               read_service_flag(service, settings, to);
             } catch (const config_fault& fault) {
               throw CLI::ValidationError{fault.what()};
             }
           }
         },
         "options of the service NAME, or of all whose names begin so if it ends with *; may be "
         "repeated. Keys: " +
             service_keys())
      ->type_name("NAME KEY=VALUE,...");
}

void add_broker(CLI::App& app, broker_arguments& to) {
  // Options are taken over in this order, whatever their order on the command line.
  app.add_option_function<std::string>(
         "--config",
         [&to](const std::string& file) {
           try {
             read_config(text_of(file), file, to);
           } catch (const config_fault& fault) {
             throw CLI::ValidationError{fault.what()};
           }
         },
         "JSON file with the settings; flags win over it")
      ->type_name("FILE");
  app.add_option("--bind", to.bind, "endpoint for clients and workers; may be repeated")
      ->type_name("ENDPOINT")
      ->capture_default_str();
  app.add_option("--threads", to.threads,
                 "brokers, each with a thread and a port of its own: counted up from that of the "
                 "endpoint, or one endpoint for each")
      ->check(CLI::Range(1, 1024))
      ->type_name("N")
      ->capture_default_str();
  add_milliseconds(app, "--heartbeat", to.options.heartbeat_interval, "between heartbeats");
  app.add_option("--liveness", to.options.liveness,
                 "silent heartbeats after which an idle worker is dead")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_milliseconds(app, "--expiry", to.options.services.unserved_expiry,
                   "how long a request waits for a service that nobody offers");
  add_milliseconds(app, "--drain", to.drain,
                   "when stopped, how long to wait for the replies to requests in progress", 0);
  app.add_option("--worker-capacity", to.options.worker_capacity,
                 "requests that one worker has in hand at most, whatever it announces")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  add_service_flag(app, to);
}

// The file of the broker's settings may have changed since.
broker_arguments read_broker_again(int argc, char** argv) {
  broker_arguments arguments;
  CLI::App app;
  add_broker(*app.add_subcommand("broker"), arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    throw config_fault{e.what()};
  }
  return arguments;
}

void add_worker(CLI::App& app, worker_arguments& to) {
  app.add_option("--connect", to.connect, "endpoint of the broker")
      ->type_name("ENDPOINT")
      ->capture_default_str();
  app.add_option("--service", to.options.service, "name of the service to offer")
      ->required()
      ->type_name("NAME");
  add_version(app, to.options.protocol);
  add_milliseconds(app, "--heartbeat", to.options.heartbeat_interval, "between heartbeats");
  app.add_option("--liveness", to.options.liveness,
                 "silent heartbeats after which the broker is dead")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--capacity", to.options.capacity,
                 "requests in hand at once; for brokers of this project, others give one")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--count", to.count, "stop after this many requests")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  add_milliseconds(app, "--drain", to.drain,
                   "when stopped, how long to go on with requests in progress", 0);
  app.add_option(
         "--exec", to.command,
         "shell command to run for each request: the body is its input, its output the reply")
      ->type_name("CMD");
  add_milliseconds(app, "--delay", to.delay, "wait before each reply", 0);
}

void add_request(CLI::App& app, request_arguments& to) {
  app.add_option("--connect", to.connect, "endpoint of the broker")
      ->type_name("ENDPOINT")
      ->capture_default_str();
  app.add_option("--service", to.service, "name of the service to ask")
      ->required()
      ->type_name("NAME");
  add_version(app, to.options.protocol);
  app.add_option("--count", to.count, "number of requests; prints a summary, not the replies")
      ->check(CLI::Range(1, 100'000'000))
      ->type_name("N");
  app.add_option("--in-flight", to.in_flight, "requests at the same time")
      ->check(CLI::Range(1, 10'000))
      ->type_name("M")
      ->capture_default_str();
  app.add_option("--size", to.size, "octets of a made-up body")
      ->check(CLI::Range(0UL, 64UL * 1024 * 1024 - 1024))
      ->type_name("B");
  add_milliseconds(app, "--timeout", to.options.timeout, "for each of the attempts");
  app.add_flag("--idempotent", to.options.idempotent,
               "a request may be carried out more than once: repeat it to any broker");
  app.add_option("--attempts", to.options.attempts,
                 "attempts for each request [1, or 3 with --idempotent or --durable]; without "
                 "--idempotent only where the broker recognises a repeat")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  app.add_flag("--json", to.json, "print JSON");
  auto* const durable = app.add_flag(
      "--durable", to.durable, "leave the request with Titanic, wait for its reply, and close it");
  app.add_option(
         "--id", to.id,
         "leave it under this id, of 32 hexadecimal digits, or under a new one: asked again "
         "it is the same request; for Titanics of this project")
      ->check([](const std::string& text) {
        const auto good = text == "new" || mdp::titanic::request_id::parse(text);
        return good ? std::string{} : "give 32 hexadecimal digits, or new";
      })
      ->needs(durable)
      ->type_name("ID|new");
  app.add_option("BODY", to.body, "parts of the request; none is one empty part");
}

// NAME:CONCURRENCY:DEADLINE:ATTEMPTS; the name is all before the last three.
std::pair<std::string, mdp::titanic::service_limits> limits_of(const std::string& text) {
  std::array<unsigned long, 3> values{};
  auto name = text;
  for (auto value = values.rbegin(); value != values.rend(); ++value) {
    const auto colon = name.rfind(':');
    const auto* const begin = colon == std::string::npos ? name.data() : name.data() + colon + 1;
    const auto* const end = name.data() + name.size();
    const auto [stop, fault] = std::from_chars(begin, end, *value);
    if (colon == std::string::npos || fault != std::errc{} || stop != end || *value == 0 ||
        *value > 86'400'000) {
      throw CLI::ValidationError{"--limit", "takes NAME:CONCURRENCY:DEADLINE_MS:ATTEMPTS"};
    }
    name.resize(colon);
  }
  return {name,
          {.concurrency = values[0],
           .deadline = std::chrono::milliseconds{values[1]},
           .attempts = static_cast<unsigned>(values[2])}};
}

// Reads a number and its unit.
std::chrono::seconds duration_of(const std::string& option, const std::string& text,
                                 const std::string& or_else = {}) {
  constexpr std::array<std::pair<char, long>, 4> units{
      {{'s', 1}, {'m', 60}, {'h', 3'600}, {'d', 86'400}}};
  constexpr long most = 100L * 366 * 86'400;
  long number = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  for (const auto& [unit, seconds] : units) {
    if (fault == std::errc{} && stop + 1 == end && *stop == unit && number >= 0 &&
        number <= most / seconds) {
      return std::chrono::seconds{number * seconds};
    }
  }
  throw CLI::ValidationError{option,
                             "takes a number and its unit, such as 90s, 30m, 12h or 7d" + or_else};
}

CLI::Option* add_ids(CLI::App& app, titanic_arguments& to) {
  return app.add_option("ID", to.ids, "id of a request, 32 hexadecimal digits")
      ->required()
      ->check([](const std::string& text) {
        return mdp::titanic::request_id::parse(text) ? std::string{} : "give 32 hexadecimal digits";
      });
}

// The subcommands for the store of a stopped Titanic.
void add_titanic_tasks(CLI::App& app, titanic_arguments& to) {
  const auto add = [&](const std::string& name, titanic_task task, const std::string& text) {
    auto* const added =
        app.add_subcommand(name, text + ". Titanic must be stopped. Needs --store FILE.");
    added->add_flag("--json", to.json, "print JSON");
    added->fallthrough();
    added->callback([&to, task] { to.task = task; });
    return added;
  };
  app.require_subcommand(0, 1);
  add("list", titanic_task::list,
      "prints the requests of a store, a line each: id, state, attempts, age, service");
  add_ids(*add("show", titanic_task::show, "prints a request of a store, and its reply"), to)
      ->expected(1);
  add_ids(
      *add("close", titanic_task::close, "removes requests from a store, also requests that wait"),
      to);
  add("purge", titanic_task::purge,
      "removes all requests that were answered or given up from a store")
      ->add_option_function<std::string>(
          "--older", [&to](const std::string& text) { to.older = duration_of("--older", text); },
          "only requests of at least this age: 90s, 30m, 12h, 7d")
      ->type_name("TIME");
}

void add_titanic(CLI::App& app, titanic_arguments& to) {
  add_titanic_tasks(app, to);
  app.add_option("--connect,--broker", to.connect, "endpoint of the broker")
      ->type_name("ENDPOINT")
      ->capture_default_str();
  app.add_option("--store", to.store, "file of the requests; it is made if there is none")
      ->required()
      ->type_name("FILE");
  app.add_option("--in-flight", to.options.in_flight,
                 "requests that are being answered at once, for each of the services")
      ->check(CLI::Range(1, 10'000))
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--stock-broker", to.options.stock_broker,
               "the broker is not of this project: register so many workers instead of one");
  add_milliseconds(app, "--heartbeat", to.options.heartbeat_interval, "between heartbeats");
  app.add_option("--concurrency", to.options.core.service.concurrency,
                 "requests that a service is given at once")
      ->check(CLI::Range(1, 10'000))
      ->type_name("N")
      ->capture_default_str();
  add_milliseconds(app, "--deadline", to.options.core.service.deadline,
                   "for the reply of a service, in each attempt");
  app.add_option("--attempts", to.options.core.service.attempts,
                 "attempts without a reply after which a request is given up")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option_function<std::vector<std::string>>(
         "--limit",
         [&to](const std::vector<std::string>& all) {
           for (const auto& one : all) {
             to.options.core.services.insert(limits_of(one));
           }
         },
         "the same for one service; may be repeated")
      ->type_name("NAME:CONCURRENCY:DEADLINE:ATTEMPTS");
  app.add_option("--requests", to.options.core.requests, "requests that are stored at most")
      ->check(CLI::Range(1, 1'000'000'000))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--reserve", to.reserve_mebibytes,
                 "MiB of disk held back for replies and for closing")
      ->check(CLI::Range(0, 1'000'000))
      ->type_name("MIB")
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--keep",
         [&to](const std::string& text) {
           to.options.core.keep = text == "forever"
                                      ? std::nullopt
                                      : std::optional{duration_of("--keep", text, ", or forever")};
         },
         "age at which answered and given-up requests are removed if no client closes them: 90s, "
         "30m, 12h, 7d, or forever")
      ->type_name("TIME")
      ->default_str("7d");
  add_milliseconds(app, "--drain", to.drain,
                   "longest wait at a signal for services that are working", 0);
  app.add_flag("--unsafe-nosync", to.unsafe_nosync,
               "accept without waiting for the disk: a power failure loses requests");
  auto* const salvage = app.add_flag("--salvage", to.salvage,
                                     "keep what remains of a damaged store in a new one, and end");
  app.add_option("--import", to.import_from,
                 "take over the .titanic folder of a Titanic of the Guide, and end")
      ->type_name("DIR")
      ->excludes(salvage);
}

void add_demo(CLI::App& app, demo_arguments& to) {
  app.add_option("--seconds", to.seconds, "how long it lasts")
      ->check(CLI::Range(2, 3600))
      ->capture_default_str();
}

// Names the fault of a command line without a subcommand. CLI11 does not say which word is unknown.
std::string fault_without_subcommand(const CLI::App& app) {
  const auto* at = &app;
  std::string name = "zinc";
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    name += ' ' + at->get_name();
  }
  const auto words = app.remaining(true);
  if (!words.empty() && words.front().starts_with('-')) {
    return fmt::format("{0}: unknown option '{1}'; {0} --help lists the options", name,
                       words.front());
  }
  std::vector<std::string> known;
  for (const auto* const one : at->get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(one->get_name());
  }
  const auto fault = words.empty() ? std::string{"a subcommand is required"}
                                   : fmt::format("unknown subcommand '{}'", words.front());
  return fmt::format("{}: {}; give one of {}", name, fault, fmt::join(known, ", "));
}

int run(int argc, char** argv) {
  CLI::App app{"ZeroMQ's patterns without libzmq", "zinc"};
  app.set_version_flag("--version", std::string{"zinc "} + version, "print the version, and end");
  app.require_subcommand(1);
  broker_arguments broker;
  worker_arguments worker;
  request_arguments request;
  titanic_arguments titanic;
  bstar_arguments bstar;
  cat_arguments cat;
  proxy_arguments proxy;
  chp_command_line chp;
  demo_arguments demo;
  interop_arguments interop;
  auto* const broker_app = app.add_subcommand(
      "broker", "Majordomo broker for MDP/0.1 and MDP/0.2, with MMI. Prints `bound ENDPOINT`.");
  auto* const worker_app =
      app.add_subcommand("worker", "Majordomo worker: echoes, or runs a command");
  auto* const request_app = app.add_subcommand("request", "asks a Majordomo service");
  auto* const titanic_app = app.add_subcommand("titanic",
                                               "Titanic: keeps requests on the disk until they are "
                                               "carried out, and their replies until they "
                                               "are closed. Prints `open REQUESTS PENDING`.");
  auto* const bstar_app = app.add_subcommand(
      "bstar",
      "a node of a Binary Star pair, and a command that runs while it is active. Prints `bound "
      "ENDPOINT`, `voter ENDPOINT`, and `active EPOCH` or `passive REASON` with each change.");
  auto* const cat_app = app.add_subcommand(
      "cat",
      "a socket of any type: sends lines or files, and prints what comes. REQ asks "
      "a line each and prints the replies, REP prints requests and replies a line each, and a "
      "ROUTER's lines begin with a routing id.");
  auto* const proxy_app = app.add_subcommand(
      "proxy",
      "forwards between two endpoints, of any types that suit each other. Prints `bound "
      "ENDPOINT`, `capture ENDPOINT` and `control ENDPOINT`; SIGUSR1 logs what was forwarded.");
  auto* const demo_app = app.add_subcommand(
      "demo",
      "a broker, workers and clients of both versions, and a worker killed; then a map at a "
      "pair of servers, and the active one killed");
  auto* const interop_app = app.add_subcommand("interop",
                                               "plays the Guide's programs of this project and "
                                               "those of others against each other: drills of "
                                               "each pattern, in all combinations");
  chp.add_to(app);
  add_broker(*broker_app, broker);
  add_worker(*worker_app, worker);
  add_request(*request_app, request);
  add_titanic(*titanic_app, titanic);
  add_bstar(*bstar_app, bstar);
  add_cat(*cat_app, cat);
  add_proxy(*proxy_app, proxy);
  add_demo(*demo_app, demo);
  add_interop(*interop_app, interop);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    // Options that are required have other texts.
    if (std::string_view{e.what()} == "A subcommand is required") {
      fmt::print(stderr, "{}\n", fault_without_subcommand(app));
      return exit_code::misused;
    }
    std::ostringstream text;
    const auto code = app.exit(e, text);
    write_output(text.str());
    return code == 0 ? exit_code::done : exit_code::misused;
  }
  if (broker_app->parsed()) {
    if (broker_app->count("--config") != 0) {
      broker.read_again = [argc, argv] { return read_broker_again(argc, argv); };
    }
    return run_broker(broker);
  }
  if (worker_app->parsed()) {
    return run_worker(worker);
  }
  if (request_app->parsed()) {
    return request.durable ? run_durable_request(request) : run_request(request);
  }
  if (titanic_app->parsed()) {
    return run_titanic(titanic);
  }
  if (bstar_app->parsed()) {
    return run_bstar(bstar);
  }
  if (cat_app->parsed()) {
    return run_cat(cat);
  }
  if (proxy_app->parsed()) {
    return run_proxy(proxy);
  }
  if (chp.parsed()) {
    return chp.run();
  }
  if (interop_app->parsed()) {
    return run_interop(interop);
  }
  return run_demo(demo);
}

}  // namespace
}  // namespace zinc

int main(int argc, char** argv) {
  try {
    const auto code = zinc::run(argc, argv);
    if (code == zinc::exit_code::done) {
      zinc::flush_output();
    }
    return code;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "zinc: %s\n", e.what());
    return zinc::exit_code::failed;
  }
}
