#pragma once
// A client of a simulated pair: the production client, which updates and watches the map.

#include "chp/client.h"
#include "test/chp/simulation/edited_stream.h"
#include "test/chp/simulation/map_history.h"
#include "zmtp/simulation/world.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace chp::simulation {

class server_process;

class client_process {
public:
  struct options {
    std::vector<server> servers{};
    client_options client{};
    std::string part{};  // it updates keys of this subtree alone, and has no others
    std::chrono::milliseconds pace{100};  // between two updates, at most
    std::size_t shared_keys = 3;
    bool sets_ttls = false;
    unsigned requires_both = 20;  // percentage of updates
    bool sees_twice = false;      // a server may execute an update twice
    zmtp::simulation::clock_rate clock{};
    unsigned cancels = 0;  // percentage of updates after which an older one is cancelled
    // Faults of a client, for the tests of the checks.
    bool claims_both = false;   // says that both servers have what one has
    bool drops_losses = false;  // says nothing of lost updates
    bool drops_lost_histories = false;
    // Erases each key after this percentage of its time to live, as an expiry would.
    std::optional<unsigned> erases_after{};
    bool sets_expired_again = false;
    message_edit edit{};      // edits the messages that it reads; may be empty
    unsigned ttl_factor = 1;  // sets times to live that are longer than it says
  };

  // `in` and `to` must outlive the client.
  client_process(zmtp::simulation::world& in, map_history& to, std::string host, options how)
      : world_{&in}, process_{&in.add(std::move(host))}, history_{&to}, options_{std::move(how)} {
    process_->set_clock(options_.clock);
    if (options_.edit) {
      edit_reads(*process_, options_.edit);
    }
  }
  client_process(const client_process&) = delete;
  client_process& operator=(const client_process&) = delete;
  ~client_process() { kill(zmtp::simulation::death::process); }

  void start();
  void kill(zmtp::simulation::death how);
  // After a pause of the process. The client then reads what it has missed.
  void resume() noexcept {
    process_->resume();
    last_event_ = world_->now();
  }
  [[nodiscard]] zmtp::simulation::process& process() noexcept { return *process_; }
  // Begins no more updates.
  void stop_writing() noexcept { writes_ = false; }
  // Tells the history if the client cannot know all of its lost updates.
  void tell_limits();

  // All is well: the copy has every key that it had since the last history_lost.
  void check_seen();
  [[nodiscard]] bool running() const noexcept { return client_ != nullptr; }
  [[nodiscard]] bool reaches(server which) const;
  [[nodiscard]] bool has_room_for(const server_process& of) const;
  [[nodiscard]] const std::string& name() const noexcept { return process_->host(); }
  [[nodiscard]] std::size_t open() const noexcept { return open_.size(); }
  [[nodiscard]] bool is_following() const { return client_ && client_->status().following; }
  // How often a map was above the limit of its copy.
  [[nodiscard]] std::size_t larger_maps() const noexcept { return larger_maps_; }
  [[nodiscard]] std::size_t lost_histories() const noexcept { return lost_histories_; }
  [[nodiscard]] client_status status() const { return client_->status(); }
  [[nodiscard]] map_history::content copy() const;
  // The keys of the map that the copy must have.
  [[nodiscard]] map_history::content part_of(const map_history::content& map) const;

private:
  [[nodiscard]] boost::asio::awaitable<void> write();
  [[nodiscard]] boost::asio::awaitable<void> watch();
  void update();
  void erase_later(const std::string& key, std::chrono::seconds ttl);
  void cancel_one();
  void on_event(const client_event& event);
  void on_change(const change& c);
  // Tells the history which values both servers have, by what this client was told.
  void tell_seen();

  zmtp::simulation::world* world_;
  zmtp::simulation::process* process_;
  map_history* history_;
  options options_;
  std::shared_ptr<client> client_;
  bool writes_ = true;
  std::size_t larger_maps_ = 0;
  std::size_t lost_histories_ = 0;  // told to it
  server followed_ = 0;             // at last
  std::size_t last_ = 0;
  std::map<map_history::index, std::unique_ptr<boost::asio::cancellation_signal>> open_;
  struct seen {
    bool is_present = false;
    zmtp::simulation::world::time_point at{};
    bool is_told = false;  // to the history
  };
  std::map<std::string, seen> seen_;  // keys that are set once, since the last history_lost
  zmtp::simulation::world::time_point last_event_{};
  zmtp::simulation::world::time_point replicated_at_{};  // the last time that it was told
};

}  // namespace chp::simulation
