#pragma once
// Faults of a simulated pair of the map, of its disks, its clients and the network between them,
// until a fixed time.

#include "test/chp/simulation/client_process.h"
#include "test/chp/simulation/server_process.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace chp::simulation {

enum class fault : std::uint8_t {
  kill,               // a server is killed, and starts again later
  power_loss,         // the same, and its connections are not closed
  wipe,               // the same, and its disk is empty then
  pause,              // a server is paused
  slow_disk,          //
  full_disk,          //
  failed_disk,        // until the server starts again
  failed_epochs,      // no epoch can be stored
  failed_lost_files,  // no file of lost updates can be written
  forged_epochs,      // a server reads state messages with a huge epoch
  link_cut,           // between the servers, both ways
  one_way_cut,        // between the servers
  client_cut,         // between a client or another program and a server, one way or both
  client_kill,        // a client is killed, and another one starts
  client_pause,       // a client is paused
  slow,               // new connections are slow
  refused,            // many connects fail
  connections_cut,    // all connections end
};
inline constexpr std::array all_faults{
    fault::kill,          fault::power_loss,    fault::wipe,
    fault::pause,         fault::slow_disk,     fault::full_disk,
    fault::failed_disk,   fault::failed_epochs, fault::failed_lost_files,
    fault::forged_epochs, fault::link_cut,      fault::one_way_cut,
    fault::client_cut,    fault::client_kill,   fault::client_pause,
    fault::slow,          fault::refused,       fault::connections_cut};

[[nodiscard]] std::string_view to_string(fault f) noexcept;

class fault_schedule {
public:
  // All must outlive the schedule.
  fault_schedule(zmtp::simulation::world& in, map_history& to,
                 std::array<server_process*, 2> servers, std::vector<client_process*> clients,
                 std::vector<zmtp::simulation::simulated_host*> others)
      : in_{&in},
        history_{&to},
        servers_{servers},
        clients_{std::move(clients)},
        hosts_{std::move(others)} {
    for (auto* const each : clients_) {
      hosts_.push_back(&each->process().machine());
    }
  }

  // Begins a fault that ends within `longest`.
  void make(fault f, std::chrono::milliseconds longest);
  [[nodiscard]] bool all_over() const noexcept { return open_ == 0; }
  // The operator starts a server again whose disk has failed.
  void restart_if_failed(server who);
  [[nodiscard]] std::size_t made() const noexcept { return made_; }

private:
  using end = std::function<void()>;

  // Each begins a fault and returns how to end it.
  [[nodiscard]] end begin(fault f, std::chrono::milliseconds longest);
  [[nodiscard]] end kill(zmtp::simulation::death how);
  [[nodiscard]] end wipe();
  [[nodiscard]] end pause();
  [[nodiscard]] end spoil_disk(fault f, std::chrono::milliseconds longest);
  [[nodiscard]] end spoil_files(fault f);
  [[nodiscard]] end forge_epochs();
  [[nodiscard]] end cut_link(bool both_ways);
  [[nodiscard]] end cut_client();
  [[nodiscard]] end kill_client();
  [[nodiscard]] end pause_client();
  [[nodiscard]] end slow_down(std::chrono::milliseconds longest);
  [[nodiscard]] end refuse();
  void cut_connections();
  void stop(server who, zmtp::simulation::death how);
  [[nodiscard]] server any_server() { return in_->random().pick(servers_.size()); }
  [[nodiscard]] client_process& any_client() {
    return *clients_[in_->random().pick(clients_.size())];
  }

  zmtp::simulation::world* in_;
  map_history* history_;
  std::array<server_process*, 2> servers_;
  std::vector<client_process*> clients_;
  std::vector<zmtp::simulation::simulated_host*> hosts_;  // those of clients and other programs
  std::size_t open_ = 0;
  std::size_t made_ = 0;
};

}  // namespace chp::simulation
