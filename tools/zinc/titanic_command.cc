// zinc titanic

#include "mdp/titanic/guide_directory.h"
#include "mdp/titanic/salvage.h"
#include "mdp/titanic/server.h"
#include "mdp/titanic/sqlite_request_database.h"
#include "mdp/titanic/titanic_report.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/config_reload.h"
#include "tools/zinc/file_place.h"
#include "tools/zinc/http_start.h"
#include "tools/zinc/log_flags.h"
#include "tools/zinc/output.h"
#include "tools/zinc/printable.h"
#include "tools/zinc/repeated_signal.h"
#include "tools/zinc/service_manager.h"
#include "tools/zinc/stop_signals.h"
#include "tools/zinc/titanic_store_command.h"
#include "tools/zinc/units.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/stat.h>

namespace zinc {

namespace {

namespace asio = boost::asio;
namespace json = boost::json;
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

// Returns false unless the text is pairs of hexadecimal digits.
bool read_hex(std::string_view text, std::string& bytes) {
  for (; text.size() >= 2; text.remove_prefix(2)) {
    unsigned byte = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + 2, byte, 16);
    if (ec != std::errc{} || end != text.data() + 2) {
      return false;
    }
    bytes += static_cast<char>(byte);
  }
  return text.empty();
}

// The id of a request for the operator: 32 digits, then a dot and the principal in hexadecimal, unless
// it is empty.
std::string id_of(const titanic::pending_request& of) {
  auto id = of.id.to_string();
  if (!of.principal.empty()) {
    id += '.';
    for (const char byte : of.principal) {
      id += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
  }
  return id;
}

http::operations operations_of(titanic::server& of, std::string token) {
  constexpr std::size_t most_requests = 200;
  using take_result = http::operations::take_result;
  const auto list = [&of](const take_result& take) {
    json::array items;
    for (const auto& one : of.pending(most_requests)) {
      items.push_back(json::object{{"id", id_of(one)},
                                   {"request", one.id.to_string()},
                                   {"service", printable(one.service)},
                                   {"user", printable(one.principal)},
                                   {"age", text_of(one.age)},
                                   {"attempts", one.attempts},
                                   {"in_flight", one.in_flight}});
    }
    take({.status = 200,
          .text = json::serialize(json::object{
              {"things", "requests"}, {"action", "purge"}, {"items", std::move(items)}})});
  };
  const auto purge = [&of](const std::string& text, const take_result& take) {
    const auto id = titanic::request_id::parse(std::string_view{text}.substr(0, 32));
    std::string principal;
    const bool valid =
        id && (text.size() == 32 || (text[32] == '.' && read_hex(text.substr(33), principal)));
    const auto done = [take, text](bool removed) {
      if (removed) {
        spdlog::info("operator removed a request: id={}", text);
        take({.status = 200, .text = "{}"});
      } else {
        take({.status = 500, .text = "the store has not removed the request; read the log"});
      }
    };
    if (!valid || !of.purge(*id, principal, done)) {
      take({.status = 404, .text = "no stored request has this id; list them with GET /operator"});
    }
  };
  return {.token = std::move(token), .list = list, .change = purge};
}

int run_server(const titanic_arguments& arguments) {
  asio::io_context context{1};
  service_manager manager{context.get_executor()};
  auto result = exit_code::done;
  auto store = std::make_shared<titanic::sqlite_request_database>(context.get_executor(),
                                                                  store_of(arguments));
  std::optional<titanic::server> server;
  std::optional<repeated_signal> state;
  std::optional<stop_signals> signals;
  auto drain_time = arguments.drain;
  config_reload<titanic_arguments> again{
      context.get_executor(), arguments, {"drain"}, [&](const auto& now) {
        drain_time = now.drain;
      }};
  std::unique_ptr<http::server> web;
  bool draining = false;
  asio::steady_timer limit{context};
  const auto stop = [&] {
    server->stop();
    if (web) {
      web->stop();
    }
    manager.end();
    state->cancel();
    again.cancel();
    signals->cancel();
    limit.cancel();
  };
  const auto drain = [&] {
    draining = true;
    manager.stopping();
    spdlog::info("titanic draining: no new requests for at most {}", text_of(drain_time));
    server->async_drain([&](error_code) { stop(); });
    limit.expires_after(drain_time);
    limit.async_wait([&](error_code ec) {
      if (!ec) {
        spdlog::warn(
            "replies missing: drain ended after {}, the next start resends the requests {}",
            text_of(drain_time), titanic::report(server->status()));
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
                     manager.ready();
                   });
  } catch (const boost::system::system_error& e) {
    spdlog::error("{}", e.what());
    return exit_code::misused;
  }
  try {
    web = start_http(
        context.get_executor(), arguments.http,
        [&](http::extent wanted, const auto& take) { take(report_of(*server, draining, wanted)); },
        operations_of(*server, arguments.http_operator_token));
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
  start_log("titanic");
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
