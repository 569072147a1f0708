#pragma once
// One network on which programs run, and what is left of sockets that are no more.

#include "test/simulation/sim_net.h"
#include "test/simulation/sim_socket.h"

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::simulation {

class town {
public:
  town(std::uint64_t seed, const trace::printer& print) : net_{seed, {}} {
    net_.here().notes.print_to(print);
  }
  town(const town&) = delete;
  town& operator=(const town&) = delete;

  [[nodiscard]] sim_net& net() noexcept { return net_; }
  [[nodiscard]] random_source& random() noexcept { return net_.here().random; }
  [[nodiscard]] event_queue::time_point now() const noexcept { return net_.now(); }
  void note(std::string_view what, std::initializer_list<std::uint64_t> figures) {
    net_.here().note(what, figures);
  }
  [[nodiscard]] std::chrono::milliseconds up_to(std::chrono::milliseconds most) {
    return random().up_to(most);
  }

  // A socket, which lasts as long as the town.
  sim_socket& open(sim_host& host, std::unique_ptr<socket_state> state) {
    return *sockets_.emplace_back(
        std::make_unique<sim_socket>(net_, host, ++last_socket_, std::move(state), *watcher_));
  }

  // Whatever ran on this host has ended: its kernel closes the connections; or, if the machine has
  // lost its power, nobody does, and peers learn of it when they write, or later still.
  void end_process(const sim_host& on, bool without_power);

protected:
  ~town() = default;
  // Who sees what all sockets do. Before the first is opened; it must not go before the town.
  void watch(socket_watcher& all) noexcept { watcher_ = &all; }

private:
  sim_net net_;
  socket_watcher* watcher_ = nullptr;
  std::uint32_t last_socket_ = 0;
  std::vector<std::unique_ptr<sim_socket>> sockets_;
};

}  // namespace zmtp::simulation
