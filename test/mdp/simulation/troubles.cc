#include "test/mdp/simulation/troubles.h"

#include <array>
#include <utility>

namespace mdp::simulation {

namespace {

troubles of_processes_and_network(zmtp::simulation::random_source& random, bool several_brokers) {
  if (random.chance(10)) {
    return {};
  }
  if (random.chance(10)) {
    return {.broker_pauses = true};
  }
  return {.cuts = random.chance(50),
          .half_open = random.chance(30),
          .partitions = random.chance(40),
          .pauses = random.chance(40),
          .broker_pauses = random.chance(30),
          .crashes = random.chance(50),
          .broker_crashes = random.chance(25),
          .broker_losses = several_brokers && random.chance(40)};
}

}  // namespace

troubles some_troubles(zmtp::simulation::random_source& random, bool several_brokers,
                       bool with_titanic) {
  auto made = of_processes_and_network(random, several_brokers);
  made.farewells = random.chance(20);
  made.bad_disk = with_titanic && random.chance(30);
  return made;
}

std::string description(const troubles& of) {
  const std::array<std::pair<bool, const char*>, 10> named{{
      {of.cuts, ", cuts"},
      {of.half_open, ", half-open"},
      {of.partitions, ", partitions"},
      {of.pauses, ", pauses"},
      {of.broker_pauses, ", broker pauses"},
      {of.crashes, ", crashes"},
      {of.broker_crashes, ", broker crashes"},
      {of.broker_losses, ", a broker lost"},
      {of.farewells, ", farewells"},
      {of.bad_disk, ", bad disk"},
  }};
  std::string text;
  for (const auto& [is, what] : named) {
    text += is ? what : "";
  }
  return text;
}

}  // namespace mdp::simulation
