#pragma once
// A server of a simulated pair of the map: the production server with its disk and its files, in a
// process that can be killed, paused and restarted.

#include "bstar/state_message.h"
#include "chp/loaded_log.h"
#include "chp/replicated_server.h"
#include "test/chp/simulation/disk_watch.h"
#include "test/chp/simulation/edited_stream.h"
#include "test/chp/simulation/expiry_watch.h"
#include "test/chp/simulation/map_history.h"
#include "test/chp/simulation/simulated_log_store.h"
#include "test/chp/simulation/simulated_witness.h"
#include "zmtp/simulation/world.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include <functional>
#include <memory>
#include <string>

namespace chp::simulation {

[[nodiscard]] inline std::string host_of(server who) { return who == 0 ? "primary" : "backup"; }
// The first port of a server.
[[nodiscard]] inline std::string endpoint_of(server who) {
  return "tcp://" + host_of(who) + ":5556";
}

// Far above all that a run can reach, and below bstar::max_epoch.
inline constexpr bstar::epoch forged_epoch = 500'000;

class server_process {
public:
  struct options {
    replicated_server_options server{};
    bool has_store = false;
    witness_record* witness = nullptr;  // null: the pair has none
    zmtp::simulation::clock_rate clock{};
    bool reads_forged_epochs = false;  // when forge_epochs() says so
    // Faults of a store, to plant in a test.
    simulated_disk::planted_fault disk{};
    // Faults of a server or its user.
    bool loses_everything = false;  // its disk and its epochs, at each start
    bool writes_no_lost_files = false;
    message_edit edit{};  // edits the messages that it reads; may be empty
  };

  // `in` and `to` must outlive the server. Its files are in `folder`.
  server_process(zmtp::simulation::world& in, map_history& to, server who,
                 const std::string& folder, options how);
  server_process(const server_process&) = delete;
  server_process& operator=(const server_process&) = delete;
  ~server_process() { kill(zmtp::simulation::death::process); }
  // The other server, if it is Zinc's, whose map a lost update is looked up in.
  void set_peer(const server_process& other) noexcept { peer_ = &other; }

  void start();
  void kill(zmtp::simulation::death how);
  void pause() {
    is_paused_ = true;
    process_->pause();
  }
  // Does nothing if the process was killed in the meantime.
  void resume() {
    is_paused_ = false;
    process_->resume();
  }
  // At the next start, the server may drop what both servers had.
  void discard() noexcept { discards_ = true; }
  // The process must not be running.
  void wipe_disk();
  void wipe_epochs();
  // The server does not reach the witness.
  void cut_witness(bool is_cut) noexcept { has_no_witness_ = is_cut; }
  // The witness calls this server in sync.
  [[nodiscard]] bool is_member() const {
    return server_ && options_.witness->now().has(server_->status().server.member);
  }
  // Each can be undone.
  void fail_epochs(bool fails);
  void fail_lost_files(bool fails);
  // State messages have a huge epoch, once the server knows one.
  void forge_epochs(bool is_forged) noexcept { is_forged_ = is_forged; }
  // The server has not taken a forged epoch.
  void check_epoch() const;

  [[nodiscard]] zmtp::simulation::process& process() noexcept { return *process_; }
  [[nodiscard]] simulated_disk& disk() noexcept { return disk_; }
  [[nodiscard]] bool running() const noexcept { return process_->running(); }
  [[nodiscard]] bool has_store() const noexcept { return options_.has_store; }
  [[nodiscard]] bool is_active() const { return server_ && server_->status().server.active; }
  // The server is passive and has what the active server has.
  [[nodiscard]] bool is_following() const { return server_ && server_->status().server.following; }
  // The server is active and has a backup in sync.
  [[nodiscard]] bool is_in_sync() const {
    return is_active() && server_->status().server.backup_in_sync;
  }
  [[nodiscard]] bool has_stopped() const { return server_ && server_->status().server.stopped; }
  [[nodiscard]] bool has_failed() const {
    return server_ && server_->status().server.stored == store_status::failed;
  }
  // Updates at the limits of the server, since the beginning of the run.
  struct reached {
    std::size_t refused = 0;    // updates that the map has no room for, or that are too long
    std::size_t forgotten = 0;  // updates of forgotten sessions
    std::size_t dropped = 0;    // updates that waited while it was passive
  };
  [[nodiscard]] reached limits_reached() const;
  [[nodiscard]] std::string status() const;
  // The map of the disk, or of a server without a store.
  [[nodiscard]] map_history::content content() const;
  // Returns whether content() is everything. A server in memory can have more in its log, and a paused
  // one reads more from its connections later.
  [[nodiscard]] bool has_all_in_content() const;
  // The map that clients see.
  [[nodiscard]] map_history::content published() const;

private:
  void begin(const boost::asio::any_io_executor& executor);
  void serve(const boost::asio::any_io_executor& executor, loaded_log from);
  [[nodiscard]] replicated_server_handlers handlers();
  void on_active(bstar::epoch e);
  void on_passive();
  void look_for_expiries(const server_status& now);
  void on_event(server_event event);
  void on_turn(const server_status& now);
  void on_lost(const std::string& path, boost::system::error_code ec);
  void tear_spare_epoch();
  [[nodiscard]] message_edit edits();
  void note(const std::string& what);

  zmtp::simulation::world* world_;
  zmtp::simulation::process* process_;
  map_history* history_;
  server who_;
  options options_;
  simulated_disk disk_;
  disk_watch watch_;
  expiry_watch expiries_;
  const server_process* peer_ = nullptr;
  bool discards_ = false;
  bool has_no_witness_ = false;
  bool is_forged_ = false;
  bool is_paused_ = false;
  bool was_empty_ = true;       // at its last turn as a passive server
  bool has_no_epochs_ = false;  // since its file was wiped, until it has the data of the other
  sequence both_ = 0;
  sequence looked_at_ = 0;
  reached reached_;  // in earlier lives
  std::shared_ptr<replicated_server> server_;
};

}  // namespace chp::simulation
