#include "test/simulation/fault_schedule.h"

#include <utility>

namespace zmtp::simulation {

using std::chrono::milliseconds;

fault_schedule::fault_schedule(simulated_network& net, const troubles& kinds,
                               std::vector<endpoint> endpoints)
    : disturbance{net}, endpoints_{std::move(endpoints)} {
  if (kinds.cuts || kinds.half_open) {
    also_kill_connections({.at_any_byte = kinds.cuts,
                           .half_open = kinds.half_open,
                           .doomed = 30,
                           .most_bytes = 40'000});
  }
  const auto add = [this](bool wanted, void (fault_schedule::*one)()) {
    if (wanted) {
      also([this, one] { (this->*one)(); });
    }
  };
  add(kinds.pauses, &fault_schedule::pause_one);
  add(kinds.disconnects, &fault_schedule::disconnect_one);
  add(kinds.moves, &fault_schedule::move_one);
  add(kinds.outages, &fault_schedule::take_away_one);
}

void fault_schedule::stop() {
  disturbance::stop();
  for (const auto& e : endpoints_) {
    e.binds->host().resume();
    e.connects->host().resume();
  }
}

void fault_schedule::pause_one() {
  const auto& e = any();
  auto& host = random().chance(50) ? e.binds->host() : e.connects->host();
  host.pause();
  net().here().events.after(random().up_to(milliseconds{3'000}), [&host] { host.resume(); });
}

void fault_schedule::disconnect_one() {
  const auto& e = any();
  auto* const s = random().chance(50) ? e.binds : e.connects;
  std::vector<peer_id> attached;
  s->state().for_each_pipe([&](const pipe& p) {
    if (p.attached) {
      attached.push_back(p.id);
    }
  });
  if (!attached.empty()) {
    s->disconnect(attached[random().pick(attached.size())]);
  }
}

void fault_schedule::move_one() {
  const auto& e = any();
  e.connects->disconnect(e.name);
  e.connects->connect(e.name);
}

void fault_schedule::take_away_one() {
  const auto& e = any();
  e.binds->unbind(e.name);
  net().here().events.after(random().up_to(milliseconds{1'000}), [&e] { e.binds->bind(e.name); });
}

}  // namespace zmtp::simulation
