#pragma once
// A server of a simulated pair of the map: the production server with its files, in a process that
// can be killed, paused and restarted.

#include "chp/replicated_server.h"
#include "test/chp/simulation/map_history.h"
#include "zmtp/simulation/world.h"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>

namespace chp::simulation {

[[nodiscard]] inline std::string host_of(server who) { return who == 0 ? "primary" : "backup"; }
// The first port of a server.
[[nodiscard]] inline std::string endpoint_of(server who) {
  return "tcp://" + host_of(who) + ":5556";
}

class server_process {
public:
  struct options {
    replicated_server_options server{};
  };

  // `in` and `to` must outlive the server.
  server_process(zmtp::simulation::world& in, map_history& to, server who, options how)
      : world_{&in},
        process_{&in.add(host_of(who))},
        history_{&to},
        who_{who},
        options_{std::move(how)} {}
  server_process(const server_process&) = delete;
  server_process& operator=(const server_process&) = delete;
  ~server_process() { kill(zmtp::simulation::death::process); }

  void start();
  void kill(zmtp::simulation::death how);
  void pause() { process_->pause(); }
  void resume() { process_->resume(); }

  [[nodiscard]] zmtp::simulation::process& process() noexcept { return *process_; }
  [[nodiscard]] bool is_active() const { return server_ && server_->status().server.active; }
  // It is active and has a backup in sync.
  [[nodiscard]] bool is_in_sync() const {
    return is_active() && server_->status().server.backup_in_sync;
  }
  [[nodiscard]] std::string status() const;
  // What the server has, or would have after a restart.
  [[nodiscard]] map_history::content content() const;

private:
  [[nodiscard]] std::shared_ptr<void> begin(const boost::asio::any_io_executor& executor);
  void note(const std::string& what);

  zmtp::simulation::world* world_;
  zmtp::simulation::process* process_;
  map_history* history_;
  server who_;
  options options_;
  std::shared_ptr<replicated_server> server_;
};

}  // namespace chp::simulation
