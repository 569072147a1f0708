#pragma once
// A server of a simulated pair: the production node with its file, in a process that can be killed,
// paused and restarted. It echoes the requests that the node accepts.

#include "bstar/node.h"
#include "test/bstar/simulation/pair_history.h"
#include "zmtp/simulation/world.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace bstar::simulation {

// The host of a server, and the endpoint for the requests of clients.
[[nodiscard]] inline std::string host_of(server who) { return who == 0 ? "primary" : "backup"; }
[[nodiscard]] inline std::string voter_of(server who) { return "tcp://" + host_of(who) + ":5002"; }

class server_process {
public:
  struct options {
    node_options node{};
    // Faults of a user, for the tests of the checks.
    bool serves_without_vote = false;  // accepts what comes while it believes to be active
    bool serves_nobody = false;
    bool loses_file = false;  // at each start
  };

  // `in` and `to` must outlive the server.
  server_process(zmtp::simulation::world& in, pair_history& to, server who, options how)
      : process_{&in.add(host_of(who))}, history_{&to}, who_{who}, options_{std::move(how)} {}
  server_process(const server_process&) = delete;
  server_process& operator=(const server_process&) = delete;
  ~server_process() { kill(zmtp::simulation::death::process); }

  void start();
  void kill(zmtp::simulation::death how);
  void pause();
  // Does nothing if the process was killed in the meantime.
  void resume();
  [[nodiscard]] bool running() const noexcept { return process_->running(); }
  [[nodiscard]] bool paused() const noexcept { return paused_; }
  [[nodiscard]] zmtp::simulation::simulated_host& machine() noexcept { return process_->machine(); }

  // Call after each step of the simulation.
  void observe();
  [[nodiscard]] bool is_active() const { return node_ && node_->status().now == state::active; }

private:
  [[nodiscard]] std::shared_ptr<void> begin(const boost::asio::any_io_executor& executor);
  void take_reports(const node_status& now);
  void on_active(epoch with);
  void echo(zmtp::routed_message request, zmtp::router_socket& on);
  [[nodiscard]] boost::asio::awaitable<void> serve_without_vote(zmtp::router_socket on);

  zmtp::simulation::process* process_;
  pair_history* history_;
  server who_;
  options options_;
  std::shared_ptr<node> node_;
  std::uint64_t states_received_ = 0;
  bool paused_ = false;
  bool believes_active_ = false;
};

}  // namespace bstar::simulation
