// zinc titanic

#include "mdp/titanic/guide_directory.h"
#include "mdp/titanic/salvage.h"
#include "mdp/titanic/server.h"
#include "mdp/titanic/sqlite_request_database.h"
#include "mdp/titanic/titanic_report.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/file_place.h"
#include "tools/zinc/http_start.h"
#include "tools/zinc/output.h"
#include "tools/zinc/printable.h"
#include "tools/zinc/repeated_signal.h"
#include "tools/zinc/stop_signals.h"
#include "tools/zinc/titanic_store_command.h"
#include "tools/zinc/units.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <sys/stat.h>

namespace zinc {

namespace {

namespace asio = boost::asio;
namespace titanic = mdp::titanic;
using boost::system::error_code;

titanic::sqlite_options store_of(const titanic_arguments& arguments) {
  titanic::sqlite_options options;
  options.path = arguments.store;
  options.sync = !arguments.unsafe_nosync;
  options.reserve_bytes = arguments.reserve;
  return options;
}

int run_salvage(const titanic_arguments& arguments) {
  titanic::salvage_report report;
  if (const auto ec = titanic::salvage(arguments.store, report)) {
    spdlog::error("cannot salvage {}: {}", arguments.store, ec.message());
    return exit_code::failed;
  }
  std::printf("kept %llu, reopened %llu, lost %llu\n", static_cast<unsigned long long>(report.kept),
              static_cast<unsigned long long>(report.reopened),
              static_cast<unsigned long long>(report.lost));
  spdlog::info("store salvaged: damaged={}.damaged", arguments.store);
  return exit_code::done;
}

int run_import(const titanic_arguments& arguments) {
  titanic::import_report report;
  if (const auto ec =
          titanic::import_guide_directory(arguments.import_from, store_of(arguments), report)) {
    spdlog::error("cannot import {} into {}: {}", arguments.import_from, arguments.store,
                  ec.message());
    return exit_code::failed;
  }
  std::printf("pending %llu, answered %llu, known %llu, unreadable %llu\n",
              static_cast<unsigned long long>(report.pending),
              static_cast<unsigned long long>(report.answered),
              static_cast<unsigned long long>(report.known),
              static_cast<unsigned long long>(report.unreadable));
  return exit_code::done;
}

void log_state(const titanic::server& of) {
  spdlog::info("titanic state: {}", titanic::report(of.status()));
  for (const auto& one : of.services()) {
    spdlog::info("service state: service={} {}", printable(one.name), titanic::report(one));
  }
}

http::report report_of(const titanic::server& of, bool draining, http::extent wanted) {
  const auto now = of.status();
  http::report all{.component = "titanic", .not_ready = {}, .records = {}};
  if (draining) {
    all.not_ready = "Titanic drains";
  } else if (!now.accepting) {
    all.not_ready = "the store is not open or has failed";
  }
  all.records.push_back({.group = "titanic",
                         .labels = {},
                         .samples = zmtp::samples_of(titanic::titanic_figures(), now)});
  if (wanted == http::extent::totals) {
    return all;
  }
  for (const auto& one : of.services()) {
    all.records.push_back({.group = "titanic_service",
                           .labels = {{"service", printable(one.name)}},
                           .samples = zmtp::samples_of(titanic::titanic_service_figures(), one)});
  }
  return all;
}

int run_server(const titanic_arguments& arguments) {
  asio::io_context context{1};
  auto result = exit_code::done;
  auto store = std::make_shared<titanic::sqlite_request_database>(context.get_executor(),
                                                                  store_of(arguments));
  std::optional<titanic::server> server;
  std::optional<repeated_signal> state;
  std::optional<stop_signals> signals;
  std::unique_ptr<http::server> web;
  bool draining = false;
  asio::steady_timer limit{context};
  const auto stop = [&] {
    server->stop();
    if (web) {
      web->stop();
    }
    state->cancel();
    signals->cancel();
    limit.cancel();
  };
  const auto drain = [&] {
    draining = true;
    spdlog::info("titanic draining: no new requests for at most {}", text_of(arguments.drain));
    server->async_drain([&](error_code) { stop(); });
    limit.expires_after(arguments.drain);
    limit.async_wait([&](error_code ec) {
      if (!ec) {
        spdlog::warn(
            "replies missing: drain ended after {}, the next start resends the requests {}",
            text_of(arguments.drain), titanic::report(server->status()));
        stop();
      }
    });
  };
  try {
    server.emplace(context.get_executor(), arguments.connect, arguments.options, store,
                   [&](error_code ec) {
                     if (ec) {
                       spdlog::error("cannot open {}: {}", arguments.store, ec.message());
                       result = exit_code::failed;
                       stop();
                       return;
                     }
                     const auto now = server->status();
                     std::printf("open %zu %zu\n", now.requests, now.pending);
                     flush_output();
                     spdlog::info("titanic started: broker={} requests={} pending={}",
                                  arguments.connect, now.requests, now.pending);
                   });
  } catch (const boost::system::system_error& e) {
    spdlog::error("{}", e.what());
    return exit_code::misused;
  }
  try {
    web = start_http(
        context.get_executor(), arguments.http,
        [&](http::extent wanted, const auto& take) { take(report_of(*server, draining, wanted)); });
  } catch (const boost::system::system_error& e) {
    spdlog::error("{}", e.what());
    return exit_code::failed;
  }
  state.emplace(context.get_executor(), SIGUSR1, [&] { log_state(*server); });
  signals.emplace(context.get_executor(), drain);
  context.run();
  if (result == exit_code::done) {
    spdlog::info("titanic stopped: {}", titanic::report(server->status()));
  }
  return result;
}

}  // namespace

int run_titanic(const titanic_arguments& arguments) {
  spdlog::set_default_logger(spdlog::stderr_color_mt("titanic"));
  // Only the user of this process may read the requests.
  ::umask(S_IRWXG | S_IRWXO);
  if (const auto fault = fault_of_place(arguments.store); !fault.empty()) {
    spdlog::error("{}", fault);
    return exit_code::failed;
  }
  if (arguments.task != titanic_task::serve) {
    return run_titanic_store(arguments, store_of(arguments));
  }
  if (arguments.salvage) {
    return run_salvage(arguments);
  }
  if (!arguments.import_from.empty()) {
    return run_import(arguments);
  }
  if (arguments.unsafe_nosync) {
    spdlog::warn("store without sync: a power failure loses accepted requests");
  }
  return run_server(arguments);
}

}  // namespace zinc
