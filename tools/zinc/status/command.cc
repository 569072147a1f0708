#include "tools/zinc/status/command.h"

#include "tools/zinc/exit_code.h"
#include "tools/zinc/help.h"
#include "tools/zinc/option_values.h"
#include "tools/zinc/output.h"
#include "tools/zinc/status/fault.h"
#include "tools/zinc/status/source.h"
#include "tools/zinc/status/views.h"
#include "tools/zinc/stop_signals.h"
#include "tools/zinc/terminal_text.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/core.h>

#include <exception>

namespace zinc::status {

namespace asio = boost::asio;

namespace {

struct words {
  const char* name;
  const char* summary;
  wanted groups;
  std::span<const std::string_view> lists;
  bool of_titanic;  // Titanic has such a list too
};

words words_of(subject about) {
  switch (about) {
    case subject::all:
      return {
          "status", "Prints the state of a server.", {.totals = true, .services = true}, {}, true};
    case subject::services:
      return {"services",
              "Prints the services of a broker, or those that Titanic has requests for.",
              {.services = true},
              service_groups,
              true};
    case subject::workers:
      return {
          "workers", "Prints the workers of a broker.", {.workers = true}, worker_groups, false};
    case subject::clients:
      return {
          "clients", "Prints the clients of a broker.", {.clients = true}, client_groups, false};
  }
  return {};
}

std::string text_about(boost::json::value& found, const arguments& of) {
  const auto about = words_of(of.about);
  if (of.about == subject::all) {
    remove_peers(found);
  }
  const auto groups = groups_of(found);
  if (of.about == subject::all) {
    return of.json ? ascii_json(found) + '\n' : status_text(found);
  }
  const auto* const list = find(groups, about.lists);
  const auto component = word_of(*found.if_object(), "component");
  if (list == nullptr && component != "broker" && !(about.of_titanic && component == "titanic")) {
    throw fault{exit_code::failed,
                fmt::format("this is '{}', which has no list of {}; see zinc status",
                            for_terminal(component), about.name)};
  }
  if (of.json) {
    return ascii_json(list == nullptr ? boost::json::array{} : list_of(*list)) + '\n';
  }
  return list == nullptr ? std::string{} : text_of(table_of(*list));
}

}  // namespace

void add_source(CLI::App& app, arguments& to) {
  app.add_option("--connect", to.connect,
                 "broker to connect to, or http://HOST:PORT of a server with --http")
      ->check([](const std::string& text) {
        return is_http(text) ? std::string{} : connectable()(text);
      })
      ->type_name("ENDPOINT")
      ->capture_default_str();
  add_duration(app, "--timeout", to.options.timeout, "time to wait for the answer");
  add_security(app, to.security);
}

void add_status(CLI::App& app, subject about, arguments& to) {
  to.about = about;
  const auto of = words_of(about);
  const auto name = std::string{"zinc "} + of.name;
  set_help(app,
           {.summary = of.summary,
            .details = "Asks a zinc broker over MMI, or any server with --http over HTTP. Counters "
                       "that are 0 are left out. --json prints all figures, as /status does.",
            .examples = {name + " --connect tcp://localhost:5555",
                         name + " --connect http://localhost:9100 --json"},
            .done = "printed",
            .failed = "no server, or other failure",
            .was_refused = "the server does not permit it",
            .no_answer = "no answer in time"});
  app.add_flag("--json", to.json, "print JSON");
  add_source(app, to);
}

void read_security_files(arguments& to) {
  socket_use use;
  if (!is_http(to.connect)) {
    use.connected = {to.connect};
  }
  to.options.socket = read_security(to.security, use).connected;
}

int run_status(const arguments& arguments) {
  const auto about = words_of(arguments.about);
  asio::io_context context{1};
  std::exception_ptr failure;
  std::string text;
  std::string remark;
  try {
    const auto from = open(context.get_executor(), arguments.connect, arguments.options);
    bool stopped = false;
    stop_signals signals{context.get_executor(), [&] {
                           stopped = true;
                           from->stop();
                         }};
    asio::co_spawn(
        context,
        [&]() -> asio::awaitable<void> {
          auto found = co_await from->read(about.groups);
          text = text_about(found.status, arguments);
          remark = found.remark;
        },
        [&](std::exception_ptr e) {
          failure = e;
          from->stop();
          signals.cancel();
        });
    context.run();
    if (stopped) {
      return exit_code::failed;
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
  } catch (const fault& e) {
    fmt::print(stderr, "zinc {}: {}\n", about.name, for_terminal(e.what()));
    return e.code;
  }
  write_output(text);
  if (!remark.empty()) {
    fmt::print(stderr, "zinc {}: {}\n", about.name, for_terminal(remark));
  }
  return exit_code::done;
}

}  // namespace zinc::status
