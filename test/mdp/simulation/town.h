#pragma once
// One network, its books, and what is left of sockets that are no more.

#include "test/mdp/simulation/ledger.h"
#include "test/simulation/sim_net.h"
#include "test/simulation/sim_socket.h"

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace mdp::simulation {

using zmtp::simulation::event_queue;
using zmtp::simulation::random_source;
using zmtp::simulation::sim_host;
using zmtp::simulation::sim_net;
using zmtp::simulation::trace;

class town {
public:
  town(std::uint64_t seed, const trace::printer& print) : net_{seed, {}} {
    net_.here().notes.print_to(print);
  }

  [[nodiscard]] sim_net& net() noexcept { return net_; }
  [[nodiscard]] ledger& books() noexcept { return books_; }
  [[nodiscard]] random_source& random() noexcept { return net_.here().random; }
  [[nodiscard]] time_point now() const noexcept { return net_.now(); }
  void note(std::string_view what, std::initializer_list<std::uint64_t> figures) {
    net_.here().note(what, figures);
  }
  [[nodiscard]] std::chrono::milliseconds up_to(std::chrono::milliseconds most) {
    return random().up_to(most);
  }

  // A socket, which lasts as long as the town.
  sim_socket& open(sim_host& host, std::unique_ptr<zmtp::socket_state> state) {
    return *sockets_.emplace_back(
        std::make_unique<sim_socket>(net_, host, ++last_socket_, std::move(state), books_));
  }

  // Whatever ran on this host has ended: its kernel closes the connections; or, if the machine has
  // lost its power, nobody does, and peers learn of it when they write, or later still.
  void end_process(const sim_host& on, bool without_power);

private:
  sim_net net_;
  ledger books_{net_.here()};
  std::uint32_t last_socket_ = 0;
  std::vector<std::unique_ptr<sim_socket>> sockets_;
};

}  // namespace mdp::simulation
