// zinc broker

#include "mdp/broker.h"
#include "mdp/broker_report.h"
#include "tools/zinc/broker_config.h"
#include "tools/zinc/broker_figures.h"
#include "tools/zinc/broker_operator.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/gathered_report.h"
#include "tools/zinc/http_start.h"
#include "tools/zinc/output.h"
#include "tools/zinc/printable.h"
#include "tools/zinc/repeated_signal.h"
#include "tools/zinc/roles_file.h"
#include "tools/zinc/stop_signals.h"
#include "tools/zinc/units.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace zinc {

namespace {

namespace asio = boost::asio;

// Logs why connections closed, at most once a second for each reason, so that no peer can flood the log.
class refusal_log {
public:
  refusal_log(const asio::any_io_executor& executor, const mdp::broker& broker)
      : timer_{executor}, broker_{broker} {
    wait();
  }
  void cancel() { timer_.cancel(); }

  void write() {
    const auto now = broker_.connections().ended;
    for (std::size_t i = 1; i < now.size(); ++i) {
      const auto reason = static_cast<zmtp::errc>(i);
      if (now[i] != logged_[i] && reason != zmtp::errc::connection_lost &&
          reason != zmtp::errc::socket_closed) {
        spdlog::warn("connections closed: {} count={}", zmtp::make_error_code(reason).message(),
                     now[i] - logged_[i]);
      }
    }
    const auto invalid = broker_.status().counters.invalid_messages;
    for (std::size_t i = 1; i < invalid.size(); ++i) {
      if (invalid[i] != invalid_logged_[i]) {
        spdlog::warn("connections closed: invalid message: {} count={}",
                     mdp::make_error_code(static_cast<mdp::errc>(i)).message(),
                     invalid[i] - invalid_logged_[i]);
      }
    }
    logged_ = now;
    invalid_logged_ = invalid;
  }

private:
  void wait() {
    timer_.expires_after(std::chrono::seconds{1});
    timer_.async_wait([this](boost::system::error_code ec) {
      if (!ec) {
        write();
        wait();
      }
    });
  }

  asio::steady_timer timer_;
  const mdp::broker& broker_;
  decltype(zmtp::socket_counters::ended) logged_{};
  decltype(mdp::broker_counters::invalid_messages) invalid_logged_{};
};

// The broker reports each principal and right once.
void log_refusal(const mdp::broker_event& event, std::string_view /*peer*/) {
  if (event.what == mdp::broker_event::kind::access_refused) {
    spdlog::warn("refused by --rules: principal={} right={} name={}",
                 event.user_id.empty() ? "anonymous" : printable(event.user_id),
                 mdp::to_string(event.wanted), printable(event.service));
  }
}

// A broker and its context, which one thread runs. Brokers share nothing.
class virtual_broker {
public:
  virtual_broker(const mdp::broker_options& options, std::vector<std::string> endpoints)
      : endpoints_{std::move(endpoints)},
        broker_{context_.get_executor(), options, {.on_event = log_refusal}},
        refusals_{context_.get_executor(), broker_} {}

  [[nodiscard]] asio::any_io_executor executor() { return context_.get_executor(); }

  // Binds every endpoint and prints it. Must be called before run().
  [[nodiscard]] exit_code bind() {
    for (const auto& at : endpoints_) {
      zmtp::error_code ec;
      const auto bound = broker_.bind(at, ec);
      if (ec) {
        spdlog::error("cannot bind {}: {}; choose another endpoint", at, ec.message());
        return ec.category() == zmtp::zmtp_category() ? exit_code::misused : exit_code::failed;
      }
      name_ += name_.empty() ? "" : ",";
      name_ += bound.to_string();
      std::printf("bound %s\n", bound.to_string().c_str());
      spdlog::info("broker started: MDP/0.1 and MDP/0.2 endpoint={}", bound.to_string());
    }
    return exit_code::done;
  }

  // Runs until the broker stops. Returns false after a failure.
  [[nodiscard]] bool run() {
    try {
      context_.run();
    } catch (const std::exception& e) {
      spdlog::critical("broker failed: {} endpoint={}", e.what(), name_);
      return false;
    }
    spdlog::info("broker stopped: endpoint={} {}", name_, mdp::report(broker_.status()));
    return true;
  }

  // Returns whether the broker left requests unanswered. Must be called after run().
  [[nodiscard]] bool cut_short() const noexcept { return cut_short_; }

  // `on_stopped` is called in the context when the broker has stopped. Must be called before run().
  void notify(std::function<void()> on_stopped) { on_stopped_ = std::move(on_stopped); }

  // Stops the broker. Any thread may call it.
  void stop() {
    asio::post(context_, [this] {
      refusals_.write();
      refusals_.cancel();
      broker_.stop();
      on_stopped_();
    });
  }
  // Answers the accepted requests for at most this time, then stops. Any thread may call it.
  void drain(std::chrono::milliseconds at_most) {
    asio::post(context_, [this, at_most] {
      refusals_.write();
      refusals_.cancel();
      draining_ = true;
      const auto now = broker_.status();
      if (now.waiting + now.working != 0) {
        spdlog::info(
            "broker draining: no new requests for at most {} endpoint={} waiting={} working={}",
            text_of(at_most), name_, now.waiting, now.working);
      }
      broker_.async_drain(at_most, [this, at_most, now](zmtp::error_code ec) {
        if (ec == zmtp::errc::timed_out) {
          const auto left = broker_.status().counters.stopped - now.counters.stopped;
          if (left != 0) {
            cut_short_ = true;
            spdlog::error(
                "requests unanswered: drain ended after {}, workers may execute some endpoint={} "
                "requests={}",
                text_of(at_most), name_, left);
          }
        }
        on_stopped_();
      });
    });
  }
  void change_services(const mdp::broker_options& options) {
    asio::post(context_, [this, options] { broker_.change_services(options); });
  }
  void change_access(const zmtp::access_rules& rules) {
    asio::post(context_, [this, rules] { broker_.change_access(rules); });
  }
  void log_state() {
    asio::post(context_, [this] {
      spdlog::info("broker state: endpoint={} {}", name_, mdp::report(broker_.status()));
      for (const auto& one : broker_.services()) {
        spdlog::info("service state: endpoint={} service={} {}", name_, printable(one.name),
                     mdp::report(one));
      }
    });
  }

  // Returns the state for HTTP. Must be called in the context.
  [[nodiscard]] http::report read(http::extent wanted) const {
    http::report all{
        .component = "broker", .not_ready = draining_ ? "the broker drains" : "", .records = {}};
    all.records.push_back(record_of(broker_.status(), name_));
    if (wanted == http::extent::totals) {
      return all;
    }
    for (const auto& one : broker_.services()) {
      all.records.push_back(record_of(one, name_));
    }
    return all;
  }

  // Must be called in the context.
  [[nodiscard]] std::vector<mdp::worker_status> workers(std::size_t count) const {
    return broker_.workers(count);
  }
  [[nodiscard]] bool drain_worker(zmtp::peer_id worker) {
    const auto known = broker_.drain_worker(worker);
    if (known) {
      spdlog::info("operator drains a worker: endpoint={}", name_);
    }
    return known;
  }

private:
  std::vector<std::string> endpoints_;
  asio::io_context context_{1};
  mdp::broker broker_;
  refusal_log refusals_;
  std::string name_;  // endpoints of the broker
  bool draining_ = false;
  bool cut_short_ = false;
  std::function<void()> on_stopped_ = [] {};
};

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
  spdlog::set_default_logger(spdlog::stderr_color_mt("broker"));
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
                      cancel_signals();
                      for (const auto& one : brokers) {
                        one->drain(arguments.drain);
                      }
                    }};
  // The signal handlers exist already, because a script may send a signal when it reads `bound`.
  for (const auto& one : brokers) {
    if (const auto code = one->bind(); code != exit_code::done) {
      return code;
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
        by_operator.operations(std::move(token)));
  } catch (const boost::system::system_error& e) {
    spdlog::error("{}", e.what());
    return exit_code::failed;
  }
  if (web) {
    brokers.front()->notify([&web] { web->stop(); });
  }
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
