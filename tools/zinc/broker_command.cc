// zinc broker

#include "tools/zinc/broker_config.h"
#include "tools/zinc/broker_operator.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/gathered_report.h"
#include "tools/zinc/http_start.h"
#include "tools/zinc/log_flags.h"
#include "tools/zinc/output.h"
#include "tools/zinc/repeated_signal.h"
#include "tools/zinc/roles_file.h"
#include "tools/zinc/service_manager.h"
#include "tools/zinc/stop_signals.h"
#include "tools/zinc/virtual_broker.h"

#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>
#include <spdlog/spdlog.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace zinc {

namespace {

namespace asio = boost::asio;

// Returns the state of all brokers for HTTP.
gathered_report report_of(const std::vector<std::unique_ptr<virtual_broker>>& brokers) {
  std::vector<gathered_report::part> parts;
  for (const auto& one : brokers) {
    parts.push_back({one->executor(),
                     [broker = one.get()](http::extent wanted) { return broker->read(wanted); }});
  }
  return {brokers.front()->executor(), std::move(parts)};
}

// Lists and drains the workers of all brokers.
broker_operator operator_of(const std::vector<std::unique_ptr<virtual_broker>>& brokers) {
  std::vector<broker_operator::part> parts;
  for (const auto& one : brokers) {
    auto* const of = one.get();
    parts.push_back({.executor = one->executor(),
                     .workers = [of](std::size_t count) { return of->workers(count); },
                     .drain = [of](zmtp::peer_id worker) { return of->drain_worker(worker); }});
  }
  return {brokers.front()->executor(), std::move(parts)};
}

// Handles SIGHUP: applies the settings of services in the file. An invalid file changes nothing.
void read_again(const broker_arguments& before,
                const std::vector<std::unique_ptr<virtual_broker>>& brokers) {
  try {
    const auto now = before.read_again();
    const auto options = resolve(now);
    for (const auto& one : brokers) {
      one->change_services(options);
    }
    spdlog::info("settings reloaded: services={}", options.rules.size());
    if (differ_beyond_services(before, now)) {
      spdlog::warn("settings not reloaded: settings outside services change at the next start");
    }
  } catch (const config_fault& fault) {
    spdlog::error("settings not reloaded: {}", fault.what());
  }
}

// Handles SIGHUP: applies the file of rules. An invalid file changes nothing.
void read_rules_again(const std::string& file,
                      const std::vector<std::unique_ptr<virtual_broker>>& brokers) {
  try {
    const auto rules = read_roles(file, roles_table::services);
    for (const auto& one : brokers) {
      one->change_access(rules);
    }
    spdlog::info("rules reloaded: {}", file);
  } catch (const roles_fault& fault) {
    spdlog::error("rules not reloaded: {}", fault.what());
  }
}

}  // namespace

int run_broker(const broker_arguments& arguments) {
  start_log("broker");
  std::vector<std::unique_ptr<virtual_broker>> brokers;
  std::string token;
  try {
    token = operator_token(arguments.http_operator_file);
    for (const auto& endpoints : endpoints_of_brokers(arguments)) {
      brokers.push_back(std::make_unique<virtual_broker>(resolve(arguments), endpoints));
    }
  } catch (const config_fault& fault) {
    spdlog::error("{}", fault.what());
    return exit_code::misused;
  } catch (const std::invalid_argument& fault) {
    spdlog::error("{}", fault.what());
    return exit_code::misused;
  }
  const auto each = [&](void (virtual_broker::*what)()) {
    for (const auto& one : brokers) {
      (one.get()->*what)();
    }
  };
  const auto here = brokers.front()->executor();
  service_manager manager{here};
  repeated_signal state{here, SIGUSR1, [&] { each(&virtual_broker::log_state); }};
  std::optional<repeated_signal> again;
  if (arguments.read_again || !arguments.rules.empty()) {
    again.emplace(here, SIGHUP, [&] {
      if (arguments.read_again) {
        read_again(arguments, brokers);
      }
      if (!arguments.rules.empty()) {
        read_rules_again(arguments.rules, brokers);
      }
    });
  }
  const auto cancel_signals = [&] {
    state.cancel();
    if (again) {
      again->cancel();
    }
  };
  stop_signals stop{here, [&] {
                      manager.stopping();
                      cancel_signals();
                      for (const auto& one : brokers) {
                        one->drain(arguments.drain);
                      }
                    }};
  // The signal handlers exist already, because a script may send a signal when it reads `bound`.
  std::vector<bound_socket> sockets;
  for (const auto& one : brokers) {
    if (const auto code = one->bind(); code != exit_code::done) {
      return code;
    }
    for (const auto& at : one->bound()) {
      sockets.push_back({one->executor(), at});
    }
  }
  flush_output();
  auto report = report_of(brokers);
  auto by_operator = operator_of(brokers);
  std::unique_ptr<http::server> web;
  try {
    web = start_http(
        here, arguments.http,
        [&report](http::extent wanted, auto take) { report.read(wanted, std::move(take)); },
        by_operator.operations(std::move(token)), sockets);
  } catch (const boost::system::system_error& e) {
    spdlog::error("{}", e.what());
    return exit_code::failed;
  }
  brokers.front()->notify([&] {
    manager.end();
    if (web) {
      web->stop();
    }
  });
  manager.ready();
  std::atomic<bool> failed = false;
  const auto run = [&](virtual_broker& one) {
    if (!one.run()) {
      failed = true;
      asio::post(here, [&] {
        stop.cancel();
        cancel_signals();
      });
      each(&virtual_broker::stop);
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < brokers.size(); ++i) {
    threads.emplace_back([&, i] { run(*brokers[i]); });
  }
  run(*brokers.front());
  threads.clear();
  for (const auto& one : brokers) {
    if (one->cut_short()) {
      failed = true;
    }
  }
  return failed ? exit_code::failed : exit_code::done;
}

}  // namespace zinc
