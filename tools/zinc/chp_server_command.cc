// zinc chp server

#include "chp/replicated_server.h"
#include "chp/server.h"
#include "chp/server_address.h"
#include "tools/zinc/bstar_figures.h"
#include "tools/zinc/chp_commands.h"
#include "tools/zinc/chp_figures.h"
#include "tools/zinc/chp_server_files.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/config_reload.h"
#include "tools/zinc/file_place.h"
#include "tools/zinc/http_start.h"
#include "tools/zinc/log_flags.h"
#include "tools/zinc/pair_report.h"
#include "tools/zinc/printable.h"
#include "tools/zinc/repeated_signal.h"
#include "tools/zinc/service_manager.h"
#include "tools/zinc/stop_signals.h"
#include "zmtp/error.h"
#include "zmtp/storage/error.h"

#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zinc {

namespace {

namespace asio = boost::asio;

chp::server_options with_epoch(const chp_server_arguments& arguments) {
  auto options = arguments.options;
  options.epoch = next_epoch(arguments.epoch_file);
  return options;
}

void log_event(chp::server_event what) {
  const auto say_fault = [what](zmtp::storage_errc fault) {
    spdlog::error("updates not committed: {}: {}", chp::to_string(what),
                  make_error_code(fault).message());
  };
  if (what == chp::server_event::store_full) {
    say_fault(zmtp::storage_errc::store_full);
  } else if (what == chp::server_event::store_failed) {
    say_fault(zmtp::storage_errc::store_failed);
  } else if (what == chp::server_event::stopped) {
    spdlog::error(
        "server stopped: the active server lacks updates that both servers had, perhaps because it "
        "was started without its data; start it with its data, or restart this server with "
        "--discard-data to copy the active server");
  } else {
    spdlog::info("server event: {}", chp::to_string(what));
  }
}

// The server reports each principal and right once.
void log_refusal(const chp::access_refusal& of) {
  spdlog::warn("refused by --rules: principal={} right={} name={}",
               of.user_id.empty() ? "anonymous" : printable(of.user_id), chp::to_string(of.wanted),
               printable(of.name));
}

void log_lost(const std::string& path, boost::system::error_code ec) {
  if (ec) {
    spdlog::error(
        "cannot write the lost updates to {}: {}; make room or name another --lost-folder", path,
        ec.message());
  } else {
    spdlog::warn(
        "the active server does not have the updates in {}, and a copy of its map replaces them",
        path);
  }
}

http::report report_of(const chp::server_status& now) {
  http::report all{
      .component = "chp",
      .not_ready = {},
      .records = {{.group = "chp", .labels = {}, .samples = zmtp::samples_of(chp_figures(), now)}}};
  if (now.stopped) {
    all.not_ready = "the server has stopped, and an operator must decide";
  } else if (!now.active) {
    all.not_ready = "the server is not active";
  }
  return all;
}

// Binds and prints each endpoint. Returns the sockets that have the first of three ports.
template <class Server>
std::vector<bound_socket> bind(Server& server, const asio::any_io_executor& executor,
                               const std::vector<std::string>& endpoints) {
  std::vector<bound_socket> all;
  for (const auto& each : endpoints) {
    all.push_back({executor, server.bind(each).snapshots});
    say("bound " + all.back().at.to_string());
  }
  return all;
}

class lone_server {
public:
  lone_server(const asio::any_io_executor& executor, const chp_server_arguments& arguments,
              std::optional<chp::loaded_log> from)
      : lone_server{executor, arguments, with_epoch(arguments), std::move(from)} {}

  std::vector<bound_socket> start(const asio::any_io_executor& executor,
                                  const chp_server_arguments& arguments) {
    auto bound = bind(server_, executor, arguments.bind);
    if (const auto epoch = chp::epoch_of(server_.status().number); epoch != 0) {
      say_active(static_cast<bstar::epoch>(epoch));
    }
    return bound;
  }
  [[nodiscard]] std::string status() const {
    return zmtp::line_of(chp_figures(), server_.status());
  }
  [[nodiscard]] http::report report() const { return report_of(server_.status()); }
  void change_access(zmtp::access_rules rules) { server_.change_access(std::move(rules)); }
  void stop() { server_.stop(); }

private:
  lone_server(const asio::any_io_executor& executor, const chp_server_arguments& arguments,
              const chp::server_options& options, std::optional<chp::loaded_log> from)
      : server_{
            from ? chp::server{executor, options, std::move(*from), handlers(arguments.epoch_file)}
                 : chp::server{executor, options, handlers(arguments.epoch_file)}} {}

  static chp::server_handlers handlers(const std::string& epoch_file) {
    chp::server_handlers own{.on_event =
                                 [](chp::server_event what) {
                                   if (what == chp::server_event::epoch_used_up) {
                                     spdlog::error(
                                         "updates not committed: the epoch is used up, restart "
                                         "the server");
                                   } else if (what != chp::server_event::active) {
                                     log_event(what);  // this server is always active
                                   }
                                 },
                             .on_refused = log_refusal};
    if (!epoch_file.empty()) {
      own.next_epoch = [epoch_file]() -> std::optional<std::uint64_t> {
        try {
          const auto next = next_epoch(epoch_file);
          say_active(next);
          return next;
        } catch (const boost::system::system_error& e) {
          spdlog::error("epoch not renewed: {}", e.what());
          return std::nullopt;
        }
      };
    }
    return own;
  }

  chp::server server_;
};

class one_of_a_pair {
public:
  one_of_a_pair(const asio::any_io_executor& executor, const chp_server_arguments& arguments,
                std::optional<chp::loaded_log> from)
      : server_{from ? chp::replicated_server{executor, options_of(arguments), std::move(*from),
                                              handlers()}
                     : chp::replicated_server{executor, options_of(arguments), handlers()}} {}

  std::vector<bound_socket> start(const asio::any_io_executor& executor,
                                  const chp_server_arguments& arguments) {
    const auto peer = chp::server_address::at(arguments.peer);
    auto bound = bind(server_, executor, arguments.bind);
    server_.bind_state(arguments.state_bind);
    server_.connect({.state = arguments.state_connect,
                     .snapshots = peer.snapshot,
                     .publisher = peer.publisher});
    return bound;
  }
  [[nodiscard]] std::string status() const {
    const auto s = server_.status();
    return zmtp::line_of(chp_figures(), s.server) + ' ' + zmtp::line_of(bstar_figures(), s.pair);
  }
  [[nodiscard]] http::report report() const {
    const auto now = server_.status();
    auto all = report_of(now.server);
    all.records.push_back(
        {.group = "bstar", .labels = {}, .samples = zmtp::samples_of(bstar_figures(), now.pair)});
    return all;
  }
  void change_access(zmtp::access_rules rules) { server_.change_access(std::move(rules)); }
  void stop() { server_.stop(); }

private:
  static chp::replicated_server_options options_of(const chp_server_arguments& arguments) {
    chp::replicated_server_options options;
    options.server = arguments.options;
    options.pair.pair = arguments.pair;
    options.pair.pair.heartbeat = arguments.options.heartbeat;
    options.pair.epoch_file = arguments.epoch_file;
    options.pair.socket = arguments.options.socket;
    options.pair.peer_socket = arguments.peer_socket;
    options.pair.peer_key = arguments.peer_key;
    options.lost_folder = arguments.lost_folder;
    options.discard_own_data = arguments.discard_data;
    return options;
  }
  static chp::replicated_server_handlers handlers() {
    return {.on_active = say_active,
            .on_passive = say_passive,
            .on_pair_error = log_unwritten_epoch,
            .on_event = log_event,
            .on_refused = log_refusal,
            .on_pair_event = log_pair_event,
            .on_lost = log_lost};
  }

  chp::replicated_server server_;
};

template <class Server>
int serve(const chp_server_arguments& arguments) {
  asio::io_context context{1};
  service_manager manager{context.get_executor()};
  Server server{context.get_executor(), arguments, load_store(context, arguments)};
  repeated_signal state{context.get_executor(), SIGUSR1,
                        [&] { spdlog::info("server state: {}", server.status()); }};
  config_reload<chp_server_arguments> again{
      context.get_executor(), arguments, {"rules"}, [&](const auto& now) {
        // Rules that come or go change at the next start.
        if (!arguments.rules.empty() && !now.rules.empty()) {
          server.change_access(now.options.access);
        }
      }};
  std::unique_ptr<http::server> web;
  const stop_signals signals{context.get_executor(), [&] {
                               spdlog::info("server stopped: {}", server.status());
                               manager.stopping();
                               manager.end();
                               state.cancel();
                               again.cancel();
                               server.stop();
                               if (web) {
                                 web->stop();
                               }
                             }};
  // Comes last, because a script may send a signal when it reads `bound`.
  const auto bound = server.start(context.get_executor(), arguments);
  web = start_http(
      context.get_executor(), arguments.http,
      [&](http::extent, const auto& take) { take(server.report()); }, {}, bound);
  manager.ready();
  context.run();
  return exit_code::done;
}

}  // namespace

int run_chp_server(const chp_server_arguments& arguments) {
  start_log("chp");
  for (const auto& file : {arguments.epoch_file, arguments.store}) {
    if (const auto fault = fault_of_place(file); !fault.empty()) {
      spdlog::error("{}", fault);
      return exit_code::failed;
    }
  }
  try {
    return arguments.paired ? serve<one_of_a_pair>(arguments) : serve<lone_server>(arguments);
  } catch (const boost::system::system_error& e) {
    spdlog::error("{}", e.what());
    if (e.code() == zmtp::storage_errc::store_damaged && arguments.paired) {
      spdlog::error("store damaged: move {} away, then this server copies the map of its peer",
                    arguments.store);
    }
    const bool argument =
        e.code().category() == zmtp::zmtp_category() || e.code() == bstar::errc::bad_option;
    return argument ? exit_code::misused : exit_code::failed;
  }
}

}  // namespace zinc
