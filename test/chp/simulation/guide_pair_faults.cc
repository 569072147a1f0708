#include "test/chp/simulation/guide_pair_faults.h"

#include <utility>

namespace chp::simulation {

using zmtp::simulation::death;

void guide_pair_faults::make() {
  ++made_;
  ++open_;
  const auto what = random().pick(5);
  world_.net().here().note("fault", {what});
  auto undo = what <= 1 ? kill() : what == 2 ? pause() : what == 3 ? part_servers() : part_client();
  world_.after(random().up_to(longest_), [this, undo = std::move(undo)] {
    undo();
    --open_;
  });
}

guide_pair_faults::end guide_pair_faults::kill() {
  const auto how = random().chance(50) ? death::process : death::power;
  if (random().chance(50)) {
    ours_.kill(how);
  } else {
    theirs_.kill(how);
  }
  return [this] {
    if (!ours_.running()) {
      ours_.start();
    }
    if (!theirs_.running()) {
      theirs_.start();
    }
  };
}

guide_pair_faults::end guide_pair_faults::pause() {
  if (random().chance(50)) {
    ours_.pause();
  } else {
    theirs_.pause();
  }
  return [this] {
    ours_.resume();
    theirs_.resume();
  };
}

guide_pair_faults::end guide_pair_faults::part_servers() {
  auto& net = world_.net();
  auto& ours = ours_.process().machine();
  auto& theirs = theirs_.process().machine();
  net.part(ours, theirs);
  if (random().chance(50)) {
    net.part(theirs, ours);
  }
  return [&net, &ours, &theirs] {
    net.rejoin(ours, theirs);
    net.rejoin(theirs, ours);
  };
}

guide_pair_faults::end guide_pair_faults::part_client() {
  auto& net = world_.net();
  auto& client = clients_[random().pick(clients_.size())]->process().machine();
  auto& of = random().chance(50) ? ours_.process().machine() : theirs_.process().machine();
  net.part(client, of);
  net.part(of, client);
  return [&net, &client, &of] {
    net.rejoin(client, of);
    net.rejoin(of, client);
  };
}

}  // namespace chp::simulation
