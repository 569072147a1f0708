// zinc worker

#include "mdp/worker.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/shell_command.h"
#include "tools/zinc/stop_signals.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace zinc {

namespace {

namespace asio = boost::asio;

// Answers requests, each in its own time, and counts them.
class echo_service {
public:
  echo_service(const worker_arguments& arguments, const asio::any_io_executor& executor,
               std::function<void()> on_last)
      : arguments_{arguments}, executor_{executor}, on_last_{std::move(on_last)} {}

  void take(mdp::worker_request request) {
    if (arguments_.command.empty()) {
      auto body = std::move(request.body());
      answer(std::move(request), std::move(body));
      return;
    }
    std::string input;
    for (const auto part : request.body()) {
      input += part;
    }
    auto held = std::make_shared<mdp::worker_request>(std::move(request));
    run_shell_command(executor_, arguments_.command, std::move(input),
                      [this, held](boost::system::error_code ec, int status, std::string output) {
                        if (ec || status != 0) {
                          spdlog::error("'{}' failed ({}); the request is not answered",
                                        arguments_.command,
                                        ec ? ec.message() : fmt::format("status {}", status));
                          return;
                        }
                        answer(std::move(*held), zmtp::message{output});
                      });
  }

private:
  void answer(mdp::worker_request request, zmtp::message body) {
    if (arguments_.delay.count() == 0) {
      reply(request, std::move(body));
      return;
    }
    auto timer = std::make_shared<asio::steady_timer>(executor_, arguments_.delay);
    auto held = std::make_shared<std::pair<mdp::worker_request, zmtp::message>>(std::move(request),
                                                                                std::move(body));
    timer->async_wait([this, timer, held](boost::system::error_code ec) {
      if (!ec) {
        reply(held->first, std::move(held->second));
      }
    });
  }

  void reply(mdp::worker_request& request, zmtp::message body) {
    if (const auto ec = request.reply(std::move(body))) {
      spdlog::warn("a reply came too late: {}", ec.message());
      return;
    }
    if (++answered_ == arguments_.count) {
      on_last_();
    }
  }

  const worker_arguments& arguments_;
  asio::any_io_executor executor_;
  std::function<void()> on_last_;
  std::size_t answered_ = 0;
};

}  // namespace

int run_worker(const worker_arguments& arguments) {
  spdlog::set_default_logger(spdlog::stderr_color_mt("worker"));
  std::signal(SIGPIPE, SIG_IGN);  // a command may end before it has read its input
  asio::io_context context{1};
  std::optional<mdp::worker> worker;
  std::optional<stop_signals> signals;
  const auto stop = [&] {
    worker->stop();
    signals->cancel();
  };
  echo_service service{arguments, context.get_executor(), stop};
  try {
    worker.emplace(context.get_executor(), arguments.connect, arguments.options,
                   [&](mdp::worker_request request) { service.take(std::move(request)); });
  } catch (const boost::system::system_error& e) {
    spdlog::error("{}", e.what());
    return exit_code::misused;
  }
  signals.emplace(context.get_executor(), stop);
  spdlog::info("offering {} to {}", arguments.options.service, arguments.connect);
  context.run();
  return exit_code::done;
}

}  // namespace zinc
