// zinc broker

#include "mdp/broker.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/stop_signals.h"

#include <boost/asio/io_context.hpp>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>

namespace zinc {

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
  const stop_signals signals{context.get_executor(), [&] { broker.stop(); }};
  context.run();
  const auto status = broker.status();
  spdlog::info("stopped: {} requests, {} replies, {} given to another worker, {} expired",
               status.counters.requests, status.counters.replies, status.counters.requeued,
               status.counters.expired);
  return exit_code::done;
}

}  // namespace zinc
