#include "tools/guide/bstar_server.h"

#include "bstar/node.h"
#include "tools/guide/clock_log.h"
#include "tools/guide/program.h"

#include <boost/asio/this_coro.hpp>

#include <optional>
#include <utility>

namespace guide {

namespace {

namespace asio = boost::asio;

struct settings {
  bstar_manner manner;
  bool primary = false;
  bool backup = false;
  std::string voter{};
  std::string state{};
  std::string peer{};
  bstar::node_options node{};
};

class server {
public:
  server(const asio::any_io_executor& executor, const settings& is)
      : is_{is},
        node_{executor,
              is.node,
              {.on_active = [this](bstar::epoch) { become_active(); },
               .on_passive = [this](bstar::passive_reason why) { become_passive(why); },
               .on_event = [this](bstar::event what) { warn(what); }}} {
    const bool primary = is.primary;
    node_.bind(chosen(is.state, primary, "tcp://*:5003", "tcp://*:5004"));
    node_.connect(chosen(is.peer, primary, "tcp://localhost:5004", "tcp://localhost:5003"));
    node_.bind_voter(chosen(is.voter, primary, "tcp://*:5001", "tcp://*:5002"),
                     [](zmtp::routed_message request, zmtp::router_socket& on) {
                       // If the client has disconnected, its reply is dropped.
                       static_cast<void>(on.try_send(request.peer, std::move(request.content)));
                     });
    say_line(primary ? "I: Primary active, waiting for backup (passive)"
                     : "I: Backup passive, waiting for primary (active)");
  }

private:
  static std::string chosen(const std::string& given, bool primary, const char* of_primary,
                            const char* of_backup) {
    return !given.empty() ? given : primary ? of_primary : of_backup;
  }

  void say_ready(const char* why, const char* what) const {
    const auto line = fmt::format("I: {}, {} {}", why, is_.manner.ready, what);
    is_.manner.log ? log_line(line) : say_line(line);
  }
  void become_active() {
    const auto now = node_.status();
    if (now.peer_alive && now.peer && was_passive_) {
      say_ready(now.peer->state == bstar::peer_state::primary ? "primary (passive) is restarting"
                                                              : "backup (passive) is restarting",
                "active");
    } else if (now.peer_alive && now.peer) {
      say_ready("connected to backup (passive)", "active");
    } else if (was_passive_) {
      say_ready("failover successful", "active");
    } else {
      say_ready("request from client", "active");
    }
    was_passive_ = false;
  }
  void become_passive(bstar::passive_reason why) {
    const auto* const reason = why != bstar::passive_reason::peer_active ? "the peer has taken over"
                               : is_.primary ? "connected to backup (active)"
                                             : "connected to primary (active)";
    say_ready(reason, "passive");
    was_passive_ = true;
  }
  // The Guide's programs exit in these cases. This program continues.
  void warn(bstar::event what) const {
    if (what == bstar::event::dual_active) {
      log_line("W: dual actives, one of which goes on");
    } else if (what == bstar::event::same_role) {
      log_line("W: the peer has the same role: start one with -p and one with -b");
    }
  }

  const settings& is_;
  bool was_passive_ = false;
  bstar::node node_;
};

asio::awaitable<int> serve(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  const server one{executor, is};
  co_await until_stopped();
  if (!is.manner.log) {
    say("W: interrupted");
  }
  co_return exit_code::done;
}

}  // namespace

int run_bstar_server(const bstar_manner& manner, int argc, char** argv) {
  settings is{.manner = manner};
  is.node.pair.primary_serves_at_once = manner.serve_at_once;
  command_line line{"Binary Star server: one of a pair; echoes requests while it is active"};
  line.flag("-p,--primary", is.primary, "primary server");
  line.flag("-b,--backup", is.backup, "backup server");
  line.endpoint("--voter", is.voter,
                "endpoint to bind, for clients [tcp://*:5001, backup: tcp://*:5002]");
  line.endpoint("--state", is.state,
                "endpoint to bind, from which the peer receives the state of this server "
                "[tcp://*:5003, backup: tcp://*:5004]");
  line.endpoint("--peer", is.peer,
                "peer to connect to, to receive its state [tcp://localhost:5004, backup: "
                "tcp://localhost:5003]");
  line.milliseconds("--heartbeat", is.node.pair.heartbeat,
                    "time between two states, the same on both servers");
  return run(line, argc, argv, [&is]() -> asio::awaitable<int> {
    if (is.primary == is.backup) {
      say("Usage: {} {{ -p | -b }}", is.manner.usage);
      co_return exit_code::done;
    }
    is.node.pair.as = is.primary ? bstar::role::primary : bstar::role::backup;
    co_return co_await serve(is);
  });
}

}  // namespace guide
