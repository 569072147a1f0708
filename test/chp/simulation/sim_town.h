#pragma once
// One network of programs, and the remains of sockets that were destroyed.

#include "test/chp/simulation/sim_socket.h"
#include "zmtp/simulation/simulated_network.h"

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::simulation {

class sim_town {
public:
  sim_town(std::uint64_t seed, const trace::printer& print) : net_{seed, {}} {
    net_.here().notes.print_to(print);
  }
  sim_town(const sim_town&) = delete;
  sim_town& operator=(const sim_town&) = delete;

  [[nodiscard]] simulated_network& net() noexcept { return net_; }
  [[nodiscard]] random_source& random() noexcept { return net_.here().random; }
  [[nodiscard]] event_queue::time_point now() const noexcept { return net_.now(); }
  void note(std::string_view what, std::initializer_list<std::uint64_t> figures) {
    net_.here().note(what, figures);
  }
  [[nodiscard]] std::chrono::milliseconds up_to(std::chrono::milliseconds most) {
    return random().up_to(most);
  }

  // A socket, which lasts as long as the town.
  sim_socket& open(simulated_host& host, std::unique_ptr<socket_state> state) {
    return *sockets_.emplace_back(
        std::make_unique<sim_socket>(net_, host, ++last_socket_, std::move(state)));
  }

  // Ends every program on this host: its kernel closes the connections. If the machine loses its
  // power, nothing closes them, and peers detect the loss when they write, or later.
  void end_process(const simulated_host& on, bool without_power);

protected:
  ~sim_town() = default;

private:
  simulated_network net_;
  std::uint32_t last_socket_ = 0;
  std::vector<std::unique_ptr<sim_socket>> sockets_;
};

}  // namespace zmtp::simulation
