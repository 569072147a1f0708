// zinc bstar

#include "tools/zinc/bstar_command.h"

#include "tools/zinc/bstar_figures.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/config_reload.h"
#include "tools/zinc/file_place.h"
#include "tools/zinc/http_start.h"
#include "tools/zinc/launcher.h"
#include "tools/zinc/log_flags.h"
#include "tools/zinc/pair_report.h"
#include "tools/zinc/service_manager.h"
#include "tools/zinc/stop_signals.h"
#include "tools/zinc/supervised_command.h"
#include "zmtp/error.h"

#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace zinc {

namespace {

namespace asio = boost::asio;

class pair_node {
public:
  pair_node(const asio::any_io_executor& executor, const bstar_arguments& arguments)
      : node_{executor, with_takeover(arguments), handlers()},
        manager_{executor},
        signals_{executor, [this] { stop(); }},
        reload_{executor, arguments, {"grace"}, [this](const auto& now) {
                  if (command_) {
                    command_->set_grace(now.grace);
                  }
                }} {
    if (!arguments.command.empty()) {
      command_.emplace(executor, arguments.command, arguments.grace,
                       [this](int status, bool asked) { on_command_end(status, asked); });
    }
    say("bound " + node_.bind(arguments.bind).to_string());
    node_.connect(arguments.connect);
    if (!arguments.voter.empty()) {
      const auto echo = [](zmtp::routed_message request, zmtp::router_socket& on) {
        // A peer that disconnected or does not read gets no answer.
        static_cast<void>(on.try_send(request.peer, std::move(request.content)));
      };
      say("voter " + node_.bind_voter(arguments.voter, echo).to_string());
    }
    web_ = start_http(executor, arguments.http,
                      [this](http::extent, const auto& take) { take(report()); });
    manager_.ready();
  }

  [[nodiscard]] int code() const noexcept { return code_; }

private:
  static bstar::node_options with_takeover(const bstar_arguments& arguments) {
    auto options = arguments.options;
    options.pair.take_over =
        arguments.voter.empty() ? bstar::takeover::on_expiry : bstar::takeover::on_request;
    return options;
  }

  bstar::node_handlers handlers() {
    return {.on_active = [this](bstar::epoch e) { on_active(e); },
            .on_passive =
                [this](bstar::passive_reason why) {
                  say_passive(why);
                  if (command_) {
                    command_->end();
                  }
                },
            .on_event = log_pair_event,
            .on_error = log_unwritten_epoch};
  }

  http::report report() const {
    const auto now = node_.status();
    return {
        .component = "bstar",
        .not_ready = now.now == bstar::state::active ? "" : "the node is not active",
        .records = {
            {.group = "bstar", .labels = {}, .samples = zmtp::samples_of(bstar_figures(), now)}}};
  }

  void on_active(bstar::epoch e) {
    say_active(e);
    if (command_ && !stopping_) {
      command_->want("ZINC_EPOCH=" + std::to_string(e));
    }
  }

  void on_command_end(int status, bool asked) {
    if (!asked) {
      // This node stops, so that its peer takes over.
      spdlog::error("command ended: {}", text_of_end(status));
      code_ = status == 0 ? exit_code::done : exit_code::failed;
      stopping_ = true;
    }
    if (stopping_) {
      close();
    }
  }

  // Ends the command first, because the peer must not take over before that.
  void stop() {
    manager_.stopping();
    stopping_ = true;
    if (!command_ || !command_->end()) {
      close();
    }
  }

  void close() {
    node_.stop();
    manager_.end();
    if (web_) {
      web_->stop();
    }
    signals_.cancel();
    reload_.cancel();
    if (command_) {
      command_->cancel();
    }
  }

  bstar::node node_;
  service_manager manager_;
  stop_signals signals_;
  config_reload<bstar_arguments> reload_;
  std::optional<supervised_command> command_;
  std::unique_ptr<http::server> web_;
  bool stopping_ = false;
  int code_ = exit_code::done;
};

}  // namespace

int run_bstar(const bstar_arguments& arguments) {
  start_log("bstar");
  if (const auto fault = fault_of_place(arguments.options.epoch_file); !fault.empty()) {
    spdlog::error("{}", fault);
    return exit_code::failed;
  }
  asio::io_context context{1};
  try {
    pair_node node{context.get_executor(), arguments};
    context.run();
    return node.code();
  } catch (const boost::system::system_error& e) {
    spdlog::error("{}", e.what());
    const bool argument =
        e.code().category() == zmtp::zmtp_category() || e.code() == bstar::errc::bad_option;
    return argument ? exit_code::misused : exit_code::failed;
  } catch (const std::system_error& e) {
    // The command cannot run. The peer takes over when this node ends.
    spdlog::error("{}", e.what());
    return exit_code::failed;
  }
}

}  // namespace zinc
