// zinc proxy

#include "tools/zinc/proxy_command.h"

#include "tools/zinc/any_socket.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/config_reload.h"
#include "tools/zinc/http_start.h"
#include "tools/zinc/log_flags.h"
#include "tools/zinc/output.h"
#include "tools/zinc/proxy_figures.h"
#include "tools/zinc/repeated_signal.h"
#include "tools/zinc/service_manager.h"
#include "tools/zinc/stop_signals.h"
#include "zmtp/error.h"
#include "zmtp/pattern/last_value_cache.h"
#include "zmtp/socket/proxy.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <concepts>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zinc {

namespace {

namespace asio = boost::asio;

void say_bound(const char* word, const std::vector<zmtp::endpoint>& bound) {
  for (const auto& at : bound) {
    fmt::print("{} {}\n", word, at.to_string());
  }
  flush_output();
}

// Returns the server of figures, whose report has one record.
template <class Status>
std::unique_ptr<http::server> serve_figures(const asio::any_io_executor& executor,
                                            const proxy_arguments& arguments,
                                            std::string_view group,
                                            std::span<const zmtp::figure_of<Status>> figures,
                                            std::function<Status()> status) {
  return start_http(
      executor, arguments.http,
      [group, figures, status = std::move(status)](http::extent, const auto& take) {
        take({.component = "proxy",
              .not_ready = {},
              .records = {
                  {.group = group, .labels = {}, .samples = zmtp::samples_of(figures, status())}}});
      });
}

const zmtp::socket_options& options_of(const proxy_arguments& arguments, const proxy_side& side) {
  return side.connect ? arguments.sockets.connected : arguments.sockets.bound;
}

class running_proxy {
public:
  running_proxy(const asio::any_io_executor& executor, const proxy_arguments& arguments)
      : frontend_{executor, arguments.frontend.type, options_of(arguments, arguments.frontend)},
        backend_{executor, arguments.backend.type, options_of(arguments, arguments.backend)},
        manager_{executor},
        signals_{executor,
                 [this] {
                   manager_.stopping();
                   proxy_->terminate();
                 }},
        state_{executor, SIGUSR1, [this] { log_state(); }},
        reload_{executor, arguments, {}, [](const auto&) {}} {
    join();
    attach("bound", frontend_, arguments.frontend);
    attach("bound", backend_, arguments.backend);
    if (arguments.capture) {
      capture_.emplace(executor, arguments.capture->type,
                       options_of(arguments, *arguments.capture));
      capture_->visit([this]<class Socket>(Socket& one) {
        if constexpr (zmtp::message_sink<Socket>) {
          proxy_->capture_to(one);
        }
      });
      attach("capture", *capture_, *arguments.capture);
    }
    if (!arguments.control.empty()) {
      control_.emplace(executor, arguments.sockets.bound);
      proxy_->obey(*control_);
      say_bound("control", {control_->bind(arguments.control)});
    }
    web_ = serve_figures<zmtp::proxy_statistics>(executor, arguments, "proxy", proxy_figures(),
                                                 [this] { return proxy_->statistics(); });
    proxy_->async_run([this](zmtp::error_code ec) { end(ec); });
    manager_.ready();
  }

  [[nodiscard]] int code() const noexcept { return code_; }

private:
  // Creates the proxy between the sockets in their own types. complete() has found that they fit.
  void join() {
    frontend_.visit([this]<class Front>(Front& front) {
      backend_.visit([&]<class Back>(Back& back) {
        if constexpr (zmtp::can_be_proxied<Front, Back>) {
          proxy_.emplace(front, back);
        }
      });
    });
    // A SUB receives nothing without a subscription. An XSUB gets the subscriptions of the other side.
    for (auto* const side : {&frontend_, &backend_}) {
      side->visit([]<class Socket>(Socket& one) {
        if constexpr (std::same_as<Socket, zmtp::sub_socket>) {
          one.subscribe("");
        }
      });
    }
  }

  static void attach(const char* word, any_socket& socket, const proxy_side& side) {
    say_bound(word, socket.attach(side.endpoints, !side.connect));
  }

  void log_state() const {
    spdlog::info("proxy state: {}", zmtp::line_of(proxy_figures(), proxy_->statistics()));
  }

  void end(zmtp::error_code ec) {
    if (ec) {
      spdlog::error("proxy failed: {}", ec.message());
      code_ = exit_code::failed;
    }
    log_state();
    frontend_.base().close();
    backend_.base().close();
    if (capture_) {
      capture_->base().close();
    }
    control_.reset();
    if (web_) {
      web_->stop();
    }
    manager_.end();
    signals_.cancel();
    state_.cancel();
    reload_.cancel();
  }

  any_socket frontend_;
  any_socket backend_;
  std::optional<any_socket> capture_;
  std::optional<zmtp::rep_socket> control_;
  std::optional<zmtp::proxy> proxy_;
  std::unique_ptr<http::server> web_;
  service_manager manager_;
  stop_signals signals_;
  repeated_signal state_;
  config_reload<proxy_arguments> reload_;
  int code_ = exit_code::done;
};

class running_cache {
public:
  running_cache(const asio::any_io_executor& executor, const proxy_arguments& arguments)
      : cache_{executor,
               {.limit = *arguments.last_values,
                .matching = zmtp::xpub_options::matching::prefix,
                .frontend = options_of(arguments, arguments.frontend),
                .backend = options_of(arguments, arguments.backend)}},
        manager_{executor},
        signals_{executor, [this] { end(); }},
        state_{executor, SIGUSR1, [this] { log_state(); }},
        reload_{executor, arguments, {}, [](const auto&) {}} {
    for (const auto& at : arguments.frontend.endpoints) {
      if (arguments.frontend.connect) {
        cache_.connect(at);
      } else {
        say_bound("bound", {cache_.bind_for_publishers(at)});
      }
    }
    for (const auto& at : arguments.backend.endpoints) {
      if (arguments.backend.connect) {
        cache_.connect_to_subscriber(at);
      } else {
        say_bound("bound", {cache_.bind(at)});
      }
    }
    web_ = serve_figures<zmtp::last_value_cache_status>(
        executor, arguments, "cache", cache_figures(), [this] { return cache_.status(); });
    manager_.ready();
  }

  [[nodiscard]] static int code() noexcept { return exit_code::done; }

private:
  void log_state() const {
    spdlog::info("proxy state: {}", zmtp::line_of(cache_figures(), cache_.status()));
  }
  void end() {
    manager_.stopping();
    manager_.end();
    log_state();
    cache_.stop();
    if (web_) {
      web_->stop();
    }
    state_.cancel();
    reload_.cancel();
  }

  zmtp::last_value_cache cache_;
  std::unique_ptr<http::server> web_;
  service_manager manager_;
  stop_signals signals_;
  repeated_signal state_;
  config_reload<proxy_arguments> reload_;
};

template <class Running>
int run(const proxy_arguments& arguments) {
  asio::io_context context{1};
  Running one{context.get_executor(), arguments};
  context.run();
  return one.code();
}

}  // namespace

int run_proxy(const proxy_arguments& arguments) {
  start_log("proxy");
  try {
    return arguments.last_values ? run<running_cache>(arguments) : run<running_proxy>(arguments);
  } catch (const boost::system::system_error& e) {
    spdlog::error("{}", e.what());
    return e.code().category() == zmtp::zmtp_category() ? exit_code::misused : exit_code::failed;
  }
}

}  // namespace zinc
