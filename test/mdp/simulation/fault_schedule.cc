#include "test/mdp/simulation/fault_schedule.h"

#include <utility>

namespace mdp::simulation {

using std::chrono::milliseconds;

fault_schedule::fault_schedule(town& in, const troubles& kinds, std::vector<process*> programs,
                               std::size_t brokers)
    : disturbance{in.net()}, town_{&in}, programs_{std::move(programs)}, brokers_{brokers} {
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
}

void fault_schedule::stop() {
  disturbance::stop();
  town_->net().rejoin_all();
  town_->books().excuse_lateness();
  for (auto* const one : programs_) {
    one->host().resume();
    if (!one->running() && !one->retired()) {
      one->start();
    }
  }
}

process& fault_schedule::any_broker() { return *programs_[town_->random().pick(brokers_)]; }

process& fault_schedule::any_but_brokers() {
  return *programs_[town_->random().between(brokers_, programs_.size() - 1)];
}

void fault_schedule::part_one() {
  auto& one = any_but_brokers().host();
  auto& other = any_broker().host();
  const auto ways = town_->random().pick(3);
  town_->note("trouble: a partition, ways", {ways});
  if (ways != 0) {
    town_->net().part(one, other);
  }
  if (ways != 1) {
    town_->net().part(other, one);
  }
  (void)town_->net().here().events.after(town_->up_to(milliseconds{6'000}), [this, &one, &other] {
    town_->net().rejoin(one, other);
    town_->net().rejoin(other, one);
  });
}

void fault_schedule::pause(process& one) {
  town_->note("trouble: a pause of " + one.name(), {});
  one.host().pause();
  (void)town_->net().here().events.after(town_->up_to(milliseconds{6'000}), [this, &one] {
    town_->books().excuse_lateness();
    one.host().resume();
  });
}

void fault_schedule::lose_broker() {
  auto& one = *programs_[brokers_ - 1];
  if (one.retired()) {
    return;
  }
  const auto without_power = town_->random().chance(30);
  town_->note("trouble: the loss of " + one.name() + ", without power", {without_power});
  one.retire(without_power);
}

void fault_schedule::kill(process& one) {
  if (!one.running()) {
    return;
  }
  const auto without_power = town_->random().chance(30);
  town_->note("trouble: the end of " + one.name() + ", without power", {without_power});
  one.kill(without_power);
  (void)town_->net().here().events.after(town_->up_to(milliseconds{3'000}), [this, &one] {
    if (!one.running() && !one.retired()) {
      town_->note("start of " + one.name(), {});
      one.start();
    }
  });
}

}  // namespace mdp::simulation
