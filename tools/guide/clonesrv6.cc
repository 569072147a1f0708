// clonesrv6: Clone server, model six: one server of a Binary Star pair.

#include "chp/replicated_server.h"
#include "chp/server_address.h"
#include "tools/guide/clock_log.h"
#include "tools/guide/clone_log.h"
#include "tools/guide/program.h"
#include "tools/zinc/pair_report.h"

#include <boost/asio/this_coro.hpp>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace {

struct settings {
  bool primary = false;
  bool backup = false;
  // An empty endpoint means the Guide's endpoint for the role.
  std::string bind{};
  std::string peer{};
  std::string bind_state{};
  std::string connect_state{};
  bstar::pair_options pair{};

  [[nodiscard]] static std::string given(const std::string& what, bool first, const char* if_first,
                                         const char* otherwise) {
    return !what.empty() ? what : first ? if_first : otherwise;
  }
};

// Prints the lines of the Guide's clonesrv6 about the pair and the map.
class reporter {
public:
  reporter(bool primary, std::string peer) : primary_{primary}, peer_{std::move(peer)} {}

  void begin(const std::shared_ptr<const chp::replicated_server>& server) {
    server_ = server;
    guide::log_line(primary_ ? "I: primary active, waiting for backup (passive)"
                             : "I: backup passive, waiting for primary (active)");
  }
  void on_active() {
    // As soon as it has been constructed.
    const auto server = server_.lock();
    const bool received = server && server->status().pair.peer_alive;
    switch (std::exchange(state_, state::active)) {
      case state::initial:
        guide::log_line(received ? "I: connected to backup (passive), ready as active"
                                 : "I: request from client, ready as active");
        return;
      case state::passive:
        guide::log_line(!received  ? "I: failover successful, ready as active"
                        : primary_ ? "I: backup (passive) is restarting, ready as active"
                                   : "I: primary (passive) is restarting, ready as active");
        return;
      case state::active: return;  // in another epoch
    }
  }
  void on_passive() {
    if (std::exchange(state_, state::passive) == state::active) {
      guide::log("W: dual actives, ready as passive");
    } else {
      guide::log("I: connected to {} (active), ready as passive", primary_ ? "backup" : "primary");
    }
    guide::log("I: asking for snapshot from: {}", peer_);
  }
  void on_event(chp::server_event what) {
    const auto server = server_.lock();
    if (what == chp::server_event::synchronized && server) {
      const auto now = server->status().server;
      guide::log("I: received snapshot={}", now.number);
      log_.skip_to(now);
    }
  }
  void on_turn(const chp::server_status& now) { log_.on_turn(now); }

private:
  enum class state { initial, active, passive };

  const bool primary_;
  const std::string peer_;
  state state_ = state::initial;
  guide::clone_log log_{{}, guide::log_line};
  std::weak_ptr<const chp::replicated_server> server_;
};

boost::asio::awaitable<int> serve(const settings& is) {
  if (is.primary == is.backup) {
    guide::say("Usage: clonesrv6 {{ -p | -b }}");
    co_return guide::exit_code::done;
  }
  const bool first = is.primary;
  const auto peer = settings::given(is.peer, first, "tcp://localhost:5566", "tcp://localhost:5556");
  chp::replicated_server_options options;
  options.pair.pair = is.pair;
  options.pair.pair.as = first ? bstar::role::primary : bstar::role::backup;
  options.server.heartbeat = is.pair.heartbeat;
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto report = std::make_shared<reporter>(first, peer);
  chp::replicated_server_handlers handlers;
  handlers.on_active = [report](bstar::epoch) { report->on_active(); };
  handlers.on_passive = [report](bstar::passive_reason) { report->on_passive(); };
  handlers.on_event = [report](chp::server_event what) { report->on_event(what); };
  handlers.on_turn = [report](const chp::server_status& now) { report->on_turn(now); };
  handlers.on_pair_event = zinc::log_pair_event;
  const auto server =
      std::make_shared<chp::replicated_server>(executor, options, std::move(handlers));
  report->begin(server);
  server->bind(settings::given(is.bind, first, "tcp://*:5556", "tcp://*:5566"));
  server->bind_state(settings::given(is.bind_state, first, "tcp://*:5003", "tcp://*:5004"));
  const auto address = chp::server_address::at(peer);
  server->connect({.state = settings::given(is.connect_state, first, "tcp://localhost:5004",
                                            "tcp://localhost:5003"),
                   .snapshots = address.snapshot,
                   .publisher = address.publisher});
  co_await guide::until_stopped();
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  // Standard output is for the lines of the Guide's program.
  spdlog::set_default_logger(spdlog::stderr_color_mt("clonesrv6"));
  settings is;
  guide::command_line line{
      "Clone server, model six: one server of a Binary Star pair; serves clients while it is "
      "active"};
  line.flag("-p,--primary", is.primary, "primary server");
  line.flag("-b,--backup", is.backup, "backup server");
  line.endpoint("--bind", is.bind,
                "endpoint to bind, for snapshots; the publisher and the collector have the next "
                "two ports [tcp://*:5556, backup: tcp://*:5566]");
  line.endpoint(
      "--peer", is.peer,
      "peer to connect to: its first port [tcp://localhost:5566, backup: tcp://localhost:5556]");
  line.endpoint("--bind-state", is.bind_state,
                "endpoint to bind, from which the peer receives the state of this server "
                "[tcp://*:5003, backup: tcp://*:5004]");
  line.endpoint("--connect-state", is.connect_state,
                "peer to connect to, to receive its state [tcp://localhost:5004, backup: "
                "tcp://localhost:5003]");
  line.milliseconds("--heartbeat", is.pair.heartbeat,
                    "time between two states, and between two HUGZ");
  return guide::run(line, argc, argv, serve, is);
}
