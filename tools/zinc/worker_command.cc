// zinc worker

#include "mdp/worker.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/config_reload.h"
#include "tools/zinc/launcher.h"
#include "tools/zinc/log_flags.h"
#include "tools/zinc/service_manager.h"
#include "tools/zinc/shell_command.h"
#include "tools/zinc/stop_signals.h"
#include "tools/zinc/units.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace zinc {

namespace {

namespace asio = boost::asio;

// Executes requests concurrently and counts them.
class echo_service {
public:
  // Calls `on_last` at the last request of the count, and `on_idle` when no request is in progress.
  echo_service(const worker_arguments& arguments, const asio::any_io_executor& executor,
               std::function<void()> on_last, std::function<void()> on_idle)
      : arguments_{arguments},
        executor_{executor},
        on_last_{std::move(on_last)},
        on_idle_{std::move(on_idle)} {}

  [[nodiscard]] std::size_t in_progress() const noexcept { return in_progress_; }

  void take(mdp::worker_request request) {
    ++in_progress_;
    if (++taken_ == arguments_.count) {
      on_last_();
    }
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
                      [this, held, command = arguments_.command](boost::system::error_code ec,
                                                                 int status, std::string output) {
                        if (ec || status != 0) {
                          spdlog::error("command failed: {} command='{}'",
                                        ec ? ec.message() : text_of_end(status), command);
                          static_cast<void>(held->fail());
                          end_one();
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
      spdlog::warn("reply dropped: {}", ec.message());
    }
    end_one();
  }

  void end_one() {
    if (--in_progress_ == 0) {
      on_idle_();
    }
  }

  const worker_arguments& arguments_;
  asio::any_io_executor executor_;
  std::function<void()> on_last_;
  std::function<void()> on_idle_;
  std::size_t taken_ = 0;
  std::size_t in_progress_ = 0;
};

// Runs the worker. At a signal, or after its count of requests, the worker takes no more requests, finishes
// those in progress and ends.
class worker_run {
public:
  explicit worker_run(const worker_arguments& arguments)
      : arguments_{arguments},
        service_{arguments_, context_.get_executor(), [this] { leave(); },
                 [this] { end_if_done(); }},
        drain_end_{context_.get_executor()},
        manager_{context_.get_executor()},
        reload_{context_.get_executor(),
                arguments,
                {"exec", "delay", "drain"},
                [this](const auto& now) { apply(now); }} {}

  [[nodiscard]] exit_code run() {
    try {
      worker_.emplace(context_.get_executor(), arguments_.connect, arguments_.options,
                      [this](mdp::worker_request request) { service_.take(std::move(request)); });
    } catch (const boost::system::system_error& e) {
      spdlog::error("{}", e.what());
      return exit_code::misused;
    }
    signals_.emplace(context_.get_executor(), [this] { on_signal(); });
    spdlog::info("worker started: service={} broker={}", arguments_.options.service,
                 arguments_.connect);
    manager_.ready();
    context_.run();
    return result_;
  }

private:
  void apply(const worker_arguments& now) {
    arguments_.command = now.command;
    arguments_.delay = now.delay;
    arguments_.drain = now.drain;
  }

  void on_signal() {
    // signals_ handles only the first signal.
    again_.emplace(context_.get_executor(), [this] { give_up("second signal"); });
    leave();
  }

  // Makes the worker take no more requests.
  void leave() {
    if (std::exchange(leaving_, true)) {
      return;
    }
    manager_.stopping();
    if (service_.in_progress() != 0) {
      spdlog::info("worker draining: no new requests for at most {} requests={}",
                   text_of(arguments_.drain), service_.in_progress());
    }
    worker_->async_drain([this](boost::system::error_code) {
      drained_ = true;
      end_if_done();
    });
    drain_end_.expires_after(arguments_.drain);
    drain_end_.async_wait([this](boost::system::error_code ec) {
      if (!ec && !done_) {
        give_up(fmt::format("drain ended after {}", text_of(arguments_.drain)));
      }
    });
  }

  // Without a broker the drain ends before the commands.
  void end_if_done() {
    if (drained_ && service_.in_progress() == 0) {
      done_ = true;
      drain_end_.cancel();
      manager_.end();
      reload_.cancel();
      signals_->cancel();
      again_.reset();
    }
  }

  void give_up(const std::string& why) {
    if (service_.in_progress() != 0) {
      spdlog::error("requests without a reply: {}, another worker may execute them requests={}",
                    why, service_.in_progress());
      result_ = exit_code::failed;
    } else {
      spdlog::warn("replies not written: {}", why);
    }
    context_.stop();
  }

  worker_arguments arguments_;
  exit_code result_ = exit_code::done;
  bool leaving_ = false;
  bool drained_ = false;
  bool done_ = false;
  asio::io_context context_{1};
  echo_service service_;
  std::optional<mdp::worker> worker_;
  asio::steady_timer drain_end_;
  service_manager manager_;
  config_reload<worker_arguments> reload_;
  std::optional<stop_signals> signals_;
  std::optional<stop_signals> again_;
};

}  // namespace

int run_worker(const worker_arguments& arguments) {
  start_log("worker");
  std::signal(SIGPIPE, SIG_IGN);  // a command may exit before it reads all input
  return worker_run{arguments}.run();
}

}  // namespace zinc
