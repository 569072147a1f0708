#include "test/chp/simulation/fault_schedule.h"

#include <algorithm>
#include <utility>

namespace chp::simulation {

using std::chrono::milliseconds;

fault_schedule::fault_schedule(town& in, const troubles& kinds, std::array<node_process*, 2> nodes,
                               std::vector<process*> clients, milliseconds settles)
    : disturbance{in.net()},
      town_{&in},
      nodes_{nodes},
      clients_{std::move(clients)},
      settles_{settles} {
  if (kinds.cuts || kinds.half_open) {
    also_kill_connections({.at_any_byte = kinds.cuts,
                           .half_open = kinds.half_open,
                           .doomed = 15,
                           .most_bytes = 10'000});
    // Connections between the servers are lost, too.
    in.books().disturb_pair(time_point::max());
  }
  const auto add = [this](bool wanted, way one) {
    if (wanted) {
      also(std::move(one));
    }
  };
  add(kinds.partitions, [this] {
    auto& one = any_client();
    auto& other = any_node();
    const auto ways = random().pick(3);
    part(one, other, ways, town_->up_to(milliseconds{5'000}));
  });
  add(kinds.pair_partitions, [this] {
    const auto ways = random().pick(3);
    part(*nodes_[0], *nodes_[1], ways, town_->up_to(milliseconds{5'000}));
  });
  add(kinds.pauses, [this] { pause(any_client()); });
  add(kinds.node_pauses, [this] { pause(any_node()); });
  add(kinds.crashes, [this] {
    auto& one = any_client();
    const auto without_power = random().chance(30);
    kill(one, without_power, town_->up_to(milliseconds{2'000}));
  });
  add(kinds.node_crashes, [this] {
    auto& one = any_node();
    const auto without_power = random().chance(30);
    kill(one, without_power, town_->up_to(milliseconds{3'000}));
  });
  add(kinds.full_disks, [this] {
    auto& one = any_node();
    town_->note("trouble: the disk of " + one.name() + " is full", {});
    one.fill_disk(true);
    (void)town_->net().here().events.after(town_->up_to(milliseconds{2'000}),
                                           [&one] { one.fill_disk(false); });
  });
}

void fault_schedule::stop() {
  disturbance::stop();
  town_->net().rejoin_all();
  const auto go_on = [](process& one) {
    one.host().resume();
    if (!one.running()) {
      one.start();
    }
  };
  for (auto* const one : nodes_) {
    one->fill_disk(false);
    go_on(*one);
  }
  for (auto* const one : clients_) {
    go_on(*one);
  }
}

node_process& fault_schedule::any_node() { return *nodes_[random().pick(nodes_.size())]; }

process& fault_schedule::any_client() { return *clients_[random().pick(clients_.size())]; }

void fault_schedule::disturb(const process& one, milliseconds lasting) {
  if (&one == nodes_[0] || &one == nodes_[1]) {
    town_->books().disturb_pair(town_->now() + lasting + settles_);
  }
}

void fault_schedule::part(process& one, process& other, std::size_t ways, milliseconds lasting) {
  town_->note("trouble: a partition of " + one.name() + " and " + other.name() + ", ways", {ways});
  if (&one == nodes_[0] && &other == nodes_[1]) {
    disturb(one, lasting);
  }
  auto& here = one.host();
  auto& there = other.host();
  if (ways != 1) {
    town_->net().part(here, there);
  }
  if (ways != 0) {
    town_->net().part(there, here);
  }
  (void)town_->net().here().events.after(lasting, [this, &here, &there] {
    town_->net().rejoin(here, there);
    town_->net().rejoin(there, here);
  });
}

void fault_schedule::pause(process& one) {
  const auto lasting = town_->up_to(milliseconds{5'000});
  town_->note("trouble: a pause of " + one.name(), {});
  disturb(one, lasting);
  one.host().pause();
  (void)town_->net().here().events.after(lasting, [&one] { one.host().resume(); });
}

void fault_schedule::kill(process& one, bool without_power, milliseconds lasting) {
  if (!one.running()) {
    return;
  }
  town_->note("trouble: the end of " + one.name() + ", without power", {without_power});
  disturb(one, lasting);
  one.kill(without_power);
  (void)town_->net().here().events.after(lasting, [this, &one] {
    if (!one.running()) {
      town_->note("start of " + one.name(), {});
      one.start();
    }
  });
}

}  // namespace chp::simulation
