#include "test/mdp/simulation/troublemaker.h"

#include <utility>

namespace mdp::simulation {

using std::chrono::milliseconds;

troublemaker::troublemaker(town& in, const troubles& kinds, std::vector<process*> programs,
                           std::size_t brokers)
    : town_{&in}, kinds_{kinds}, programs_{std::move(programs)}, brokers_{brokers} {}

void troublemaker::start(milliseconds lasting, milliseconds pace) {
  until_ = town_->now() + lasting;
  pace_ = pace;
  if (kinds_.cuts) {
    town_->net().on_stream([this](stream& s) { doom(s); });
  }
  make_later();
}

// Some connections are to die at an octet that is chosen beforehand.
void troublemaker::doom(stream& s) {
  auto& random = town_->random();
  if (over() || !random.chance(15)) {
    return;
  }
  const auto from = random.chance(50) ? end_of_stream::connecting : end_of_stream::accepting;
  const auto octets = random.between(1, random.chance(50) ? 400 : 10'000);
  if (random.chance(50)) {
    s.cut_when_taken(from, octets);
  } else {
    s.cut_when_arrived(from, octets);
  }
  ++made_;
}

void troublemaker::stop() {
  stopped_ = true;
  for (const auto& s : town_->net().living()) {
    s->spare();
  }
  town_->net().rejoin_all();
  town_->books().excuse_lateness();
  for (auto* const one : programs_) {
    one->host().resume();
    if (!one->running() && !one->retired()) {
      one->start();
    }
  }
}

void troublemaker::make_later() {
  if (kinds_.none() && others_.empty()) {
    return;
  }
  (void)town_->net().here().events.after(town_->up_to(2 * pace_), [this] {
    if (!over()) {
      make_one();
      make_later();
    }
  });
}

void troublemaker::make_one() {
  auto ways = others_;
  const auto add = [&](bool wanted, void (troublemaker::*way)()) {
    if (wanted) {
      ways.push_back([this, way] { (this->*way)(); });
    }
  };
  add(kinds_.cuts || kinds_.half_open, &troublemaker::cut_one);
  add(kinds_.partitions, &troublemaker::part_one);
  add(kinds_.pauses, &troublemaker::pause_any);
  add(kinds_.broker_pauses, &troublemaker::pause_broker);
  add(kinds_.crashes, &troublemaker::kill_any);
  add(kinds_.broker_crashes, &troublemaker::kill_broker);
  add(kinds_.broker_losses, &troublemaker::lose_broker);
  ++made_;
  ways[town_->random().pick(ways.size())]();
}

troublemaker::stream::learns_after troublemaker::some_time_to_learn() {
  if (kinds_.half_open && town_->random().chance(kinds_.cuts ? 40 : 100)) {
    return std::nullopt;
  }
  return town_->up_to(milliseconds{100});
}

void troublemaker::cut_one() {
  const auto living = town_->net().living();
  if (living.empty()) {
    return;
  }
  const auto& s = living[town_->random().pick(living.size())];
  town_->note("trouble: a cut", {s->id()});
  const auto connecting = some_time_to_learn();
  s->cut(connecting, some_time_to_learn());
}

process& troublemaker::any_broker() { return *programs_[town_->random().pick(brokers_)]; }

process& troublemaker::any_but_brokers() {
  return *programs_[town_->random().between(brokers_, programs_.size() - 1)];
}

void troublemaker::part_one() {
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

void troublemaker::pause_any() { pause(any_but_brokers()); }
void troublemaker::pause_broker() { pause(any_broker()); }

void troublemaker::pause(process& one) {
  town_->note("trouble: a pause of " + one.name(), {});
  one.host().pause();
  (void)town_->net().here().events.after(town_->up_to(milliseconds{6'000}), [this, &one] {
    town_->books().excuse_lateness();
    one.host().resume();
  });
}

void troublemaker::kill_any() { kill(any_but_brokers()); }
void troublemaker::kill_broker() { kill(any_broker()); }

void troublemaker::lose_broker() {
  auto& one = *programs_[brokers_ - 1];
  if (one.retired()) {
    return;
  }
  const auto without_power = town_->random().chance(30);
  town_->note("trouble: the loss of " + one.name() + ", without power", {without_power});
  one.retire(without_power);
}

void troublemaker::kill(process& one) {
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
