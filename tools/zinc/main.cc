// zinc: the program for operators. Reads the command line and runs the subcommand.

#include "tools/zinc/bench_command.h"
#include "tools/zinc/bstar_command.h"
#include "tools/zinc/cat_command.h"
#include "tools/zinc/chp_command_line.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/completion.h"
#include "tools/zinc/config_file.h"
#include "tools/zinc/dump_command.h"
#include "tools/zinc/help.h"
#include "tools/zinc/help_topics.h"
#include "tools/zinc/interop_command.h"
#include "tools/zinc/keygen_command.h"
#include "tools/zinc/log_flags.h"
#include "tools/zinc/man_page.h"
#include "tools/zinc/mdp_flags.h"
#include "tools/zinc/option_values.h"
#include "tools/zinc/output.h"
#include "tools/zinc/passwd_command.h"
#include "tools/zinc/proxy_command.h"
#include "tools/zinc/status/status_commands.h"
#include "tools/zinc/version.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zinc {
namespace {

// Reads the command line of a subcommand again. Its files may have changed. Throws config_fault.
template <class Arguments>
Arguments read_again(int argc, char** argv, const CLI::App& of,
                     void (*add)(CLI::App&, Arguments&)) {
  Arguments arguments;
  log_arguments log;
  CLI::App app;
  auto* const command = app.add_subcommand(of.get_name());
  add(*command, arguments);
  add_log(*command, log);
  try {
    app.parse(argc, argv);
    complete(arguments);
  } catch (const CLI::ParseError& e) {
    throw config_fault{with_place(e.what(), arguments.config)};
  }
  arguments.config.words = words_of(*command);
  arguments.config.log_level = log.level;
  return arguments;
}

chp_server_arguments read_chp_server_again(int argc, char** argv) {
  chp_command_line chp;
  log_arguments log;
  CLI::App app;
  chp.add_to(app, log);
  try {
    app.parse(argc, argv);
    chp.complete();
  } catch (const CLI::ParseError& e) {
    throw config_fault{with_place(e.what(), chp.server().config)};
  }
  auto& arguments = chp.server();
  arguments.config.words = words_of(chp.server_app());
  arguments.config.log_level = log.level;
  return arguments;
}

// Runs a subcommand that serves, or only says that its configuration is valid. `read_again` may use `app`.
template <class Arguments>
int serve(const CLI::App& app, Arguments& arguments, int (*run)(const Arguments&),
          std::function<Arguments()> read_again) {
  if (arguments.config.check_only) {
    const auto& file = arguments.config.file;
    write_output((file.empty() ? "options" : file) + ": ok\n");
    return exit_code::done;
  }
  arguments.config.words = words_of(app);
  arguments.read_again = std::move(read_again);
  return run(arguments);
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
  set_help(app, {.summary = "Prints the help of a subcommand or of a topic.",
                 .examples = {"zinc help broker", "zinc help chp get", "zinc help exit-codes"},
                 .done = "printed",
                 .failed = "failure"});
  app.add_option(help_words, to,
                 "words of a subcommand, or a topic; without them, the help of zinc");
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
                            "tls+tcp://HOST:PORT or wss://HOST:PORT/PATH: see zinc help endpoints.",
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
      const auto topic = help.size() == 1 ? text_of_topic(help.front()) : std::string_view{};
      write_output(topic.empty() ? help_of(command_named(app, help, names_of_topics()))
                                 : std::string{topic});
      return exit_code::done;
    }
    if (man_app->parsed()) {
      return run_man(man, app);
    }
    if (completion_app->parsed()) {
      return run_completion(completion, app);
    }
    if (broker_app->parsed()) {
      complete(broker);
    } else if (worker_app->parsed()) {
      complete(worker);
    } else if (request_app->parsed()) {
      complete(request);
    } else if (titanic_app->parsed()) {
      complete(titanic);
    } else if (bstar_app->parsed()) {
      complete(bstar);
    } else if (cat_app->parsed()) {
      complete(cat);
    } else if (proxy_app->parsed()) {
      complete(proxy);
    } else if (bench_app->parsed()) {
      const auto sockets =
          read_security(bench.security, {.bound = bench.bind, .connected = bench.connect});
      bench.socket = bench.bind.empty() ? sockets.connected : sockets.bound;
    } else if (chp.parsed()) {
      chp.complete();
    } else if (status.parsed()) {
      status.read_security_files();
    }
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) {
      fmt::print(stderr, "{}\n",
                 text_of(e, app,
                         {&broker.config, &worker.config, &titanic.config, &bstar.config,
                          &proxy.config, &chp.server().config}));
      return exit_code::misused;
    }
    std::ostringstream text;
    app.exit(e, text);
    write_output(text.str());
    return exit_code::done;
  } catch (const config_fault& fault) {
    fmt::print(stderr, "{}\n", fault.what());
    return exit_code::misused;
  }
  const auto serve_with = [argc, argv]<class Arguments>(
                              const CLI::App& command, Arguments& arguments,
                              void (*add)(CLI::App&, Arguments&), int (*run)(const Arguments&)) {
    return serve<Arguments>(command, arguments, run, [argc, argv, add, &command] {
      return read_again<Arguments>(argc, argv, command, add);
    });
  };
  if (broker_app->parsed()) {
    return serve_with(*broker_app, broker, add_broker, run_broker);
  }
  if (worker_app->parsed()) {
    return serve_with(*worker_app, worker, add_worker, run_worker);
  }
  if (request_app->parsed()) {
    return request.durable || !request.fetch.empty() ? run_durable_request(request)
                                                     : run_request(request);
  }
  if (titanic_app->parsed()) {
    return serve_with(*titanic_app, titanic, add_titanic, run_titanic);
  }
  if (bstar_app->parsed()) {
    return serve_with(*bstar_app, bstar, add_bstar, run_bstar);
  }
  if (cat_app->parsed()) {
    return run_cat(cat);
  }
  if (proxy_app->parsed()) {
    return serve_with(*proxy_app, proxy, add_proxy, run_proxy);
  }
  if (chp.server_app().parsed()) {
    return serve<chp_server_arguments>(chp.server_app(), chp.server(), run_chp_server,
                                       [argc, argv] { return read_chp_server_again(argc, argv); });
  }
  if (dump_app->parsed()) {
    return run_dump(dump);
  }
  if (bench_app->parsed()) {
    return run_bench(bench);
  }
  if (chp.parsed()) {
    return run_chp_client(chp.client());
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
  if (demo_app->parsed()) {
    return run_demo(demo);
  }
  throw std::logic_error{"a subcommand is not called"};
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
