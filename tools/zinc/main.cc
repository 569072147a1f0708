// zinc: the program for operators. Reads the command line and runs the subcommand.

#include "tools/zinc/bench_command.h"
#include "tools/zinc/broker_config.h"
#include "tools/zinc/bstar_command.h"
#include "tools/zinc/cat_command.h"
#include "tools/zinc/chp_command_line.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/completion.h"
#include "tools/zinc/dump_command.h"
#include "tools/zinc/help.h"
#include "tools/zinc/interop_command.h"
#include "tools/zinc/keygen_command.h"
#include "tools/zinc/log_flags.h"
#include "tools/zinc/man_page.h"
#include "tools/zinc/mdp_flags.h"
#include "tools/zinc/option_values.h"
#include "tools/zinc/output.h"
#include "tools/zinc/passwd_command.h"
#include "tools/zinc/proxy_command.h"
#include "tools/zinc/security_flags.h"
#include "tools/zinc/status/status_commands.h"
#include "tools/zinc/version.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

namespace zinc {
namespace {

// Reads the command line again. The settings file may have changed.
broker_arguments read_broker_again(int argc, char** argv) {
  broker_arguments arguments;
  log_arguments unchanged;  // the log has begun
  CLI::App app;
  auto* const broker = app.add_subcommand("broker");
  add_broker(*broker, arguments);
  add_log(*broker, unchanged);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    throw config_fault{e.what()};
  }
  return arguments;
}

socket_use use_of(const proxy_arguments& arguments) {
  socket_use use;
  const auto add = [&use](const proxy_side& side) {
    auto& to = side.connect ? use.connected : use.bound;
    to.insert(to.end(), side.endpoints.begin(), side.endpoints.end());
  };
  add(arguments.frontend);
  add(arguments.backend);
  if (arguments.capture) {
    add(*arguments.capture);
  }
  if (!arguments.control.empty()) {
    use.bound.push_back(arguments.control);
  }
  return use;
}

socket_use use_of(const bstar_arguments& arguments) {
  socket_use use{.bound = {arguments.bind}, .connected = {arguments.connect}};
  if (!arguments.voter.empty()) {
    use.bound.push_back(arguments.voter);
  }
  return use;
}

socket_use use_of(const titanic_arguments& arguments) {
  const bool serves =
      arguments.task == titanic_task::serve && !arguments.salvage && arguments.import_from.empty();
  return serves ? socket_use{.connected = {arguments.connect}} : socket_use{};
}

void add_demo(CLI::App& app, demo_arguments& to) {
  set_help(app, {.summary = "Shows that no request and no update is lost when a process is killed.",
                 .details = "Runs a broker, workers and clients, and kills a worker. Then runs a "
                            "pair of map servers, and kills the active server.",
                 .examples = {"zinc demo", "zinc demo --duration 30s"},
                 .done = "nothing was lost",
                 .failed = "a request or an update was lost, or failure"});
  add_duration(app, "--duration", to.duration, "time that each half of the demonstration takes",
               {.least = std::chrono::seconds{2}, .most = std::chrono::hours{1}});
}

void add_words(CLI::App& app, std::vector<std::string>& to) {
  set_help(app, {.summary = "Prints the help of a subcommand.",
                 .examples = {"zinc help broker", "zinc help chp get"},
                 .done = "printed",
                 .failed = "failure"});
  app.add_option("SUBCOMMAND", to, "words of a subcommand; without them, the help of zinc");
}

int run(int argc, char** argv) {
  CLI::App app{"", "zinc"};
  set_help_style(app);
  app.set_version_flag("--version", version_text(), "print the version and exit");
  app.require_subcommand(1);
  set_help(app, {.summary = "ZeroMQ sockets, Majordomo, Titanic, Binary Star and the clustered "
                            "hashmap from the shell.",
                 .details = "Durations have a unit: 250ms, 2.5s, 1m, 2h, 7d. Sizes too: 512B, "
                            "64KiB, 1MiB, 1GiB. Endpoints are tcp://HOST:PORT, "
                            "ipc://PATH or ws://HOST:PORT/PATH, and with TLS "
                            "tls+tcp://HOST:PORT or wss://HOST:PORT/PATH.",
                 .examples = {"zinc broker --bind tcp://*:5555",
                              "zinc request --service upper hello", "zinc request --help"},
                 .done = "done",
                 .failed = "failure"});
  broker_arguments broker;
  worker_arguments worker;
  request_arguments request;
  titanic_arguments titanic;
  bstar_arguments bstar;
  cat_arguments cat;
  proxy_arguments proxy;
  dump_arguments dump;
  bench_arguments bench;
  chp_command_line chp;
  keygen_arguments keygen;
  passwd_arguments passwd;
  demo_arguments demo;
  interop_arguments interop;
  log_arguments log;
  status::commands status;
  std::vector<std::string> help;
  man_arguments man;
  completion_arguments completion;
  auto* const broker_app = app.add_subcommand("broker");
  auto* const worker_app = app.add_subcommand("worker");
  auto* const request_app = app.add_subcommand("request");
  auto* const titanic_app = app.add_subcommand("titanic");
  auto* const bstar_app = app.add_subcommand("bstar");
  auto* const cat_app = app.add_subcommand("cat");
  auto* const proxy_app = app.add_subcommand("proxy");
  auto* const dump_app = app.add_subcommand("dump");
  auto* const bench_app = app.add_subcommand("bench");
  chp.add_to(app, log);
  status.add_to(app);
  auto* const keygen_app = app.add_subcommand("keygen");
  auto* const passwd_app = app.add_subcommand("passwd");
  auto* const demo_app = app.add_subcommand("demo");
  auto* const interop_app = app.add_subcommand("interop");
  auto* const help_app = app.add_subcommand("help");
  auto* const man_app = app.add_subcommand("man");
  auto* const completion_app = app.add_subcommand("completion");
  add_broker(*broker_app, broker);
  add_worker(*worker_app, worker);
  add_request(*request_app, request);
  add_titanic(*titanic_app, titanic);
  add_bstar(*bstar_app, bstar);
  add_cat(*cat_app, cat);
  add_proxy(*proxy_app, proxy);
  add_dump(*dump_app, dump);
  add_bench(*bench_app, bench);
  for (auto* const server : {broker_app, worker_app, titanic_app, bstar_app, proxy_app}) {
    add_log(*server, log);
  }
  add_keygen(*keygen_app, keygen);
  add_passwd(*passwd_app, passwd);
  add_demo(*demo_app, demo);
  add_interop(*interop_app, interop);
  add_words(*help_app, help);
  add_man(*man_app, man);
  add_completion(*completion_app, completion);
  try {
    app.parse(argc, argv);
    configure_log(log);
    if (help_app->parsed()) {
      write_output(help_of(command_named(app, help)));
      return exit_code::done;
    }
    if (man_app->parsed()) {
      return run_man(man, app);
    }
    if (completion_app->parsed()) {
      return run_completion(completion, app);
    }
    if (broker_app->parsed()) {
      broker.options.socket = read_security(broker.security, {.bound = broker.bind}).bound;
    } else if (worker_app->parsed()) {
      worker.options.socket =
          read_security(worker.security, {.connected = {worker.connect}}).connected;
    } else if (request_app->parsed()) {
      request.options.socket =
          read_security(request.security, {.connected = {request.connect}}).connected;
    } else if (titanic_app->parsed()) {
      titanic.options.socket = read_security(titanic.security, use_of(titanic)).connected;
    } else if (bstar_app->parsed()) {
      const auto sockets = read_security(bstar.security, use_of(bstar));
      bstar.options.socket = sockets.bound;
      bstar.options.peer_socket = sockets.connected;
      bstar.options.peer_key = sockets.peer_key;
    } else if (cat_app->parsed()) {
      const auto sockets =
          read_security(cat.security, cat.bind ? socket_use{.bound = cat.endpoints}
                                               : socket_use{.connected = cat.endpoints});
      cat.socket = cat.bind ? sockets.bound : sockets.connected;
    } else if (proxy_app->parsed()) {
      proxy.sockets = read_security(proxy.security, use_of(proxy));
    } else if (bench_app->parsed()) {
      const auto sockets =
          read_security(bench.security, {.bound = bench.bind, .connected = bench.connect});
      bench.socket = bench.bind.empty() ? sockets.connected : sockets.bound;
    } else if (chp.parsed()) {
      chp.read_security_files();
    } else if (status.parsed()) {
      status.read_security_files();
    }
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) {
      fmt::print(stderr, "{}\n", text_of(e, app));
      return exit_code::misused;
    }
    std::ostringstream text;
    app.exit(e, text);
    write_output(text.str());
    return exit_code::done;
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
    return request.durable || !request.fetch.empty() ? run_durable_request(request)
                                                     : run_request(request);
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
  if (dump_app->parsed()) {
    return run_dump(dump);
  }
  if (bench_app->parsed()) {
    return run_bench(bench);
  }
  if (chp.parsed()) {
    return chp.run();
  }
  if (status.parsed()) {
    return status.run();
  }
  if (keygen_app->parsed()) {
    return run_keygen(keygen);
  }
  if (passwd_app->parsed()) {
    return run_passwd(passwd);
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
