#include "test/zmtp/simulation/fault_schedule.h"

#include <chrono>
#include <optional>

namespace zmtp::simulation {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string to_string(const troubles& kinds) {
  return std::string{kinds.cuts ? ", cuts" : ""} + (kinds.kills ? ", kills" : "") +
         (kinds.pauses ? ", pauses" : "") + (kinds.parts ? ", parts" : "");
}

void fault_schedule::make_one_later() {
  world_.after(world_.random().up_to(milliseconds{400}), [this] {
    if (active_) {
      make_one();
      make_one_later();
    }
  });
}

void fault_schedule::cut_one() {
  auto& random = world_.random();
  const auto living = world_.net().living();
  if (living.empty()) {
    return;
  }
  ++made_;
  const auto& s = living[random.pick(living.size())];
  const auto learns = [&]() -> virtual_connection::learns_after {
    if (random.chance(30)) {
      return std::nullopt;
    }
    return random.up_to(milliseconds{100});
  };
  const auto connecting = learns();
  s->cut(connecting, learns());
}

void fault_schedule::make_one() {
  auto& random = world_.random();
  auto& one = *all_[random.pick(all_.size())];
  auto& other = *all_[random.pick(all_.size())];
  switch (random.pick(4)) {
    case 0:
      if (kinds_.cuts) {
        cut_one();
      }
      return;
    case 1:
      if (kinds_.kills) {
        ++made_;
        one.in->kill(random.chance(30) ? death::power : death::process);
        restart_(one);
      }
      return;
    case 2:
      if (kinds_.pauses) {
        ++made_;
        one.in->pause();
        world_.after(random.up_to(seconds{3}), [&one] { one.in->resume(); });
      }
      return;
    default:
      if (kinds_.parts && &one != &other) {
        ++made_;
        world_.net().part(one.in->machine(), other.in->machine());
        world_.after(random.up_to(seconds{3}), [this, &one, &other] {
          world_.net().rejoin(one.in->machine(), other.in->machine());
        });
      }
  }
}

}  // namespace zmtp::simulation
