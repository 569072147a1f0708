#pragma once
// A simulated world whose processes are killed, paused and cut off, until the trouble ends.

#include "zmtp/simulation/world.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace zmtp::simulation {

class troubled_world {
public:
  explicit troubled_world(std::uint64_t seed) : world_{seed} {}

  [[nodiscard]] world& here() noexcept { return world_; }

  // A process that faults may hit. `what` starts it, and starts it again after each kill.
  process& add(std::string host, process::program what) {
    auto& made = world_.add(std::move(host));
    programs_.push_back({&made, std::move(what)});
    made.start(programs_.back().what);
    return made;
  }
  // A process that keeps running. The network may cut it off.
  process& add_client(std::string host, process::program what) {
    auto& made = world_.add(std::move(host));
    made.start(std::move(what));
    clients_.push_back(&made);
    return made;
  }

  // Makes faults for this time. Afterwards every process runs and reaches every other one.
  void trouble_for(std::chrono::milliseconds time) {
    const auto end = world_.now() + time;
    while (world_.now() < end) {
      world_.run_for(world_.random().up_to(std::chrono::milliseconds{400}));
      make_fault();
    }
    world_.run_for(std::chrono::seconds{2});  // longer than any pause or cut
  }
  [[nodiscard]] std::size_t faults() const noexcept { return faults_; }

private:
  struct restartable {
    process* in;
    process::program what;
  };

  void make_fault() {
    ++faults_;
    auto& random = world_.random();
    auto& [in, what] = programs_[random.pick(programs_.size())];
    auto* const hit = in;
    const auto lasts = random.up_to(std::chrono::milliseconds{1'500});
    switch (random.pick(4)) {
      case 0: restart(*hit, what, death::process); break;
      case 1: restart(*hit, what, death::power); break;
      case 2:
        hit->pause();
        world_.after(lasts, [hit] { hit->resume(); });
        break;
      default: {
        auto& other = any_other(*hit);
        auto& net = world_.net();
        net.part(hit->machine(), other.machine());
        world_.after(lasts, [&net, hit, &other] { net.rejoin(hit->machine(), other.machine()); });
      }
    }
  }

  static void restart(process& in, const process::program& what, death how) {
    in.kill(how);
    in.resume();
    in.start(what);
  }

  [[nodiscard]] process& any_other(const process& than) {
    const auto n = programs_.size() + clients_.size();
    for (;;) {
      const auto i = world_.random().pick(n);
      auto& chosen = i < programs_.size() ? *programs_[i].in : *clients_[i - programs_.size()];
      if (&chosen != &than) {
        return chosen;
      }
    }
  }

  std::vector<restartable> programs_;
  std::vector<process*> clients_;
  std::size_t faults_ = 0;
  world world_;
};

}  // namespace zmtp::simulation
