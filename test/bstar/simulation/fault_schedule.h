#pragma once
// Faults of a simulated pair, its clients and the network between them, until a fixed time.

#include "test/bstar/simulation/server_process.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace bstar::simulation {

enum class fault : std::uint8_t {
  kill,             // a server is killed, and starts again later
  power_loss,       // the same, and its connections are not closed
  pause,            // a server is paused
  link_cut,         // between the servers, both ways
  one_way_cut,      // between the servers
  client_cut,       // between a client and a server, one way or both
  slow,             // new connections are slow
  refused,          // many connects fail
  connections_cut,  // all connections end
};
inline constexpr std::array all_faults{fault::kill,     fault::power_loss,  fault::pause,
                                       fault::link_cut, fault::one_way_cut, fault::client_cut,
                                       fault::slow,     fault::refused,     fault::connections_cut};

[[nodiscard]] std::string_view to_string(fault f) noexcept;

class fault_schedule {
public:
  // All must outlive the schedule.
  fault_schedule(zmtp::simulation::world& in, pair_history& to,
                 std::array<server_process*, 2> servers,
                 std::vector<zmtp::simulation::simulated_host*> clients)
      : in_{&in}, history_{&to}, servers_{servers}, clients_{std::move(clients)} {}

  // Begins a fault that ends within `longest`.
  void make(fault f, std::chrono::milliseconds longest);
  [[nodiscard]] bool all_over() const noexcept { return open_ == 0; }
  [[nodiscard]] std::size_t made() const noexcept { return made_; }

private:
  using end = std::function<void()>;

  // Each begins a fault and returns how to end it.
  [[nodiscard]] end kill(zmtp::simulation::death how);
  [[nodiscard]] end pause();
  [[nodiscard]] end cut_link(bool both_ways);
  [[nodiscard]] end cut_client();
  [[nodiscard]] end slow_down(std::chrono::milliseconds longest);
  [[nodiscard]] end refuse();
  [[nodiscard]] end trouble_on_link(end also);
  void cut_connections();
  [[nodiscard]] server_process& any_server() {
    return *servers_[in_->random().pick(servers_.size())];
  }

  zmtp::simulation::world* in_;
  pair_history* history_;
  std::array<server_process*, 2> servers_;
  std::vector<zmtp::simulation::simulated_host*> clients_;
  std::size_t open_ = 0;
  std::size_t made_ = 0;
};

}  // namespace bstar::simulation
