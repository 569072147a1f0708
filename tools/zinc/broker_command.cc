// zinc broker

#include "mdp/broker.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/stop_signals.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstddef>
#include <cstdio>

namespace zinc {

namespace {

namespace asio = boost::asio;

// Why peers were turned away, once a second and a line for each reason: nobody can flood the log.
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
        spdlog::warn("{} connections closed: {}", now[i] - logged_[i],
                     zmtp::make_error_code(reason).message());
      }
    }
    const auto invalid = broker_.status().counters.invalid_messages;
    for (std::size_t i = 1; i < invalid.size(); ++i) {
      if (invalid[i] != invalid_logged_[i]) {
        spdlog::warn("{} messages refused with their connections: {}",
                     invalid[i] - invalid_logged_[i],
                     mdp::make_error_code(static_cast<mdp::errc>(i)).message());
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

}  // namespace

int run_broker(const broker_arguments& arguments) {
  spdlog::set_default_logger(spdlog::stderr_color_mt("broker"));
  boost::asio::io_context context{1};
  mdp::broker broker{context.get_executor(), arguments.options};
  for (const auto& at : arguments.bind) {
    zmtp::error_code ec;
    const auto bound = broker.bind(at, ec);
    if (ec) {
      spdlog::error("cannot bind {}: {}", at, ec.message());
      return ec.category() == zmtp::zmtp_category() ? exit_code::misused : exit_code::failed;
    }
    std::printf("bound %s\n", bound.to_string().c_str());
    spdlog::info("MDP broker for 0.1 and 0.2 is active at {}", bound.to_string());
  }
  std::fflush(stdout);
  refusal_log refusals{context.get_executor(), broker};
  const stop_signals signals{context.get_executor(), [&] {
                               refusals.write();
                               refusals.cancel();
                               broker.stop();
                             }};
  context.run();
  const auto counters = broker.status().counters;
  spdlog::info(
      "stopped: {} requests, {} replies, {} given to another worker; dropped: {} expired, {} after "
      "their last attempt, {} of clients that went, {} for unknown services; {} clients and {} "
      "workers "
      "closed that did not read",
      counters.requests, counters.replies, counters.requeued, counters.expired, counters.exhausted,
      counters.abandoned, counters.refused, counters.clients_not_reading,
      counters.workers_not_reading);
  return exit_code::done;
}

}  // namespace zinc
