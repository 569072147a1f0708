#include "test/mdp/simulation/fault_schedule.h"

#include <utility>

namespace mdp::simulation {

using std::chrono::milliseconds;

fault_schedule::fault_schedule(setting& in, const troubles& kinds, programs& of)
    : disturbance{in.net()}, in_{&in}, programs_{&of} {
  if (kinds.cuts || kinds.half_open) {
    also_kill_connections({.at_any_byte = kinds.cuts,
                           .half_open = kinds.half_open,
                           .doomed = 15,
                           .most_bytes = 10'000});
  }
  const auto add = [this](bool wanted, way one) {
    if (wanted) {
      also(std::move(one));
    }
  };
  add(kinds.partitions, [this] { part_one(); });
  add(kinds.pauses, [this] { pause(any_but_brokers()); });
  add(kinds.broker_pauses, [this] { pause(any_broker()); });
  add(kinds.crashes, [this] { kill(any_but_brokers()); });
  add(kinds.broker_crashes, [this] { kill(any_broker()); });
  add(kinds.broker_losses, [this] { lose_broker(); });
  add(kinds.farewells, [this] { send_worker_home(); });
  add(kinds.bad_disk, [this] { disturb_disk(); });
}

void fault_schedule::stop() {
  disturbance::stop();
  in_->net().rejoin_all();
  in_->calls().excuse_lateness();
  if (programs_->titanic) {
    programs_->titanic->heal_disk();
  }
  for (auto* const one : programs_->all) {
    one->resume();
    if (!one->running() && !one->retired()) {
      one->start();
    }
  }
}

process& fault_schedule::any_broker() {
  return *programs_->brokers[in_->random().pick(programs_->brokers.size())];
}

process& fault_schedule::any_but_brokers() {
  const auto& all = programs_->all;
  return *all[in_->random().between(programs_->brokers.size(), all.size() - 1)];
}

void fault_schedule::part_one() {
  auto& one = any_but_brokers().machine();
  auto& other = any_broker().machine();
  const auto ways = in_->random().pick(3);
  in_->note("trouble: a partition, ways", {ways});
  if (ways != 0) {
    in_->net().part(one, other);
  }
  if (ways != 1) {
    in_->net().part(other, one);
  }
  in_->after(in_->up_to(milliseconds{6'000}), [this, &one, &other] {
    in_->net().rejoin(one, other);
    in_->net().rejoin(other, one);
  });
}

void fault_schedule::pause(process& one) {
  in_->note("trouble: a pause of " + one.name(), {});
  one.pause();
  in_->after(in_->up_to(milliseconds{6'000}), [this, &one] {
    in_->calls().excuse_lateness();
    one.resume();
  });
}

void fault_schedule::lose_broker() {
  auto& one = *programs_->brokers.back();
  if (one.retired()) {
    return;
  }
  const auto without_power = in_->random().chance(30);
  in_->note("trouble: the loss of " + one.name() + ", without power", {without_power});
  one.retire(without_power);
}

void fault_schedule::kill(process& one) {
  if (!one.running()) {
    return;
  }
  const auto without_power = in_->random().chance(30);
  in_->note("trouble: the end of " + one.name() + ", without power", {without_power});
  one.kill(without_power);
  in_->after(in_->up_to(milliseconds{3'000}), [this, &one] {
    if (!one.running() && !one.retired()) {
      in_->note("start of " + one.name(), {});
      one.start();
    }
  });
}

// A worker ends as soon as it has answered its requests. Another one replaces it.
void fault_schedule::send_worker_home() {
  if (programs_->workers.empty()) {
    return;
  }
  auto& one = *programs_->workers[in_->random().pick(programs_->workers.size())];
  if (!one.begun()) {
    return;
  }
  in_->note("trouble: farewell of " + one.name(), {});
  one.leave();
  in_->after(in_->up_to(milliseconds{3'000}), [&one] {
    one.kill(false);
    one.start();
  });
}

// The disk becomes full, fails, or works again.
void fault_schedule::disturb_disk() {
  switch (in_->random().pick(3)) {
    case 0: programs_->titanic->fill_disk(); break;
    case 1: programs_->titanic->fail_disk(); break;
    case 2: programs_->titanic->heal_disk(); break;
  }
}

}  // namespace mdp::simulation
