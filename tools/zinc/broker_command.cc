// zinc broker

#include "tools/zinc/broker_config.h"
#include "tools/zinc/broker_operator.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/config_reload.h"
#include "tools/zinc/gathered_report.h"
#include "tools/zinc/http_start.h"
#include "tools/zinc/log_flags.h"
#include "tools/zinc/output.h"
#include "tools/zinc/repeated_signal.h"
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

}  // namespace

int run_broker(const broker_arguments& arguments) {
  start_log("broker");
  std::vector<std::unique_ptr<virtual_broker>> brokers;
  for (const auto& endpoints : endpoints_of_brokers(arguments)) {
    brokers.push_back(std::make_unique<virtual_broker>(resolve(arguments), endpoints));
  }
  const auto each = [&](void (virtual_broker::*what)()) {
    for (const auto& one : brokers) {
      (one.get()->*what)();
    }
  };
  const auto here = brokers.front()->executor();
  service_manager manager{here};
  repeated_signal state{here, SIGUSR1, [&] { each(&virtual_broker::log_state); }};
  auto drain = arguments.drain;
  config_reload<broker_arguments> again{
      here, arguments, {"service", "unserved-timeout", "rules", "drain"}, [&](const auto& now) {
        drain = now.drain;
        for (const auto& one : brokers) {
          one->change_services(resolve(now));
          // Rules that come or go change at the next start.
          if (!arguments.rules.empty() && !now.rules.empty()) {
            one->change_access(now.options.access);
          }
        }
      }};
  const auto cancel_signals = [&] {
    state.cancel();
    again.cancel();
  };
  stop_signals stop{here, [&] {
                      manager.stopping();
                      cancel_signals();
                      for (const auto& one : brokers) {
                        one->drain(drain);
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
        by_operator.operations(arguments.http_operator_token), sockets);
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
