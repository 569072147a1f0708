#pragma once
// A simulated world of Majordomo, with the history of its calls.

#include "test/mdp/simulation/history.h"
#include "zmtp/simulation/world.h"

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace mdp::simulation {

using zmtp::simulation::random_source;
using zmtp::simulation::trace;

class setting : public zmtp::simulation::world {
public:
  setting(std::uint64_t seed, const trace::printer& print) : world{seed} {
    net().here().notes.print_to(print);
  }

  [[nodiscard]] history& calls() noexcept { return calls_; }
  void note(std::string_view what, std::initializer_list<std::uint64_t> figures) {
    net().here().note(what, figures);
  }
  template <class Duration>
  [[nodiscard]] Duration up_to(Duration most) {
    return random().up_to(most);
  }

private:
  history calls_{net().here()};
};

// Where the broker of this name listens.
[[nodiscard]] inline std::string endpoint_of(const std::string& broker) {
  return "tcp://" + broker + ":5555";
}

}  // namespace mdp::simulation
