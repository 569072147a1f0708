#pragma once
// Cuts connections, and kills, pauses and parts processes, at random times.

#include "test/zmtp/simulation/participant.h"
#include "zmtp/simulation/world.h"

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace zmtp::simulation {

struct troubles {
  bool cuts = false;
  bool kills = false;
  bool pauses = false;
  bool parts = false;

  // Bytes under way may be lost.
  [[nodiscard]] bool lossy() const noexcept { return cuts || kills; }
};

// The kinds, as a description of the scenario lists them.
[[nodiscard]] std::string to_string(const troubles& kinds);

class fault_schedule {
public:
  // `restart` gets a participant whose process was killed.
  fault_schedule(world& in, participants& all, const troubles& kinds,
                 std::function<void(participant&)> restart)
      : world_{in}, all_{all}, kinds_{kinds}, restart_{std::move(restart)} {}
  fault_schedule(const fault_schedule&) = delete;
  fault_schedule& operator=(const fault_schedule&) = delete;

  void start() {
    active_ = true;
    make_one_later();
  }
  // Pauses and parted networks end within three seconds.
  void stop() noexcept { active_ = false; }
  [[nodiscard]] std::size_t made() const noexcept { return made_; }

private:
  void make_one_later();
  void make_one();
  void cut_one();

  world& world_;
  participants& all_;
  troubles kinds_;
  std::function<void(participant&)> restart_;
  bool active_ = false;
  std::size_t made_ = 0;
};

}  // namespace zmtp::simulation
