#pragma once
// The decisions of one node, and the messages of its peer.

#include "bstar/state_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace bstar {

using namespace std::chrono_literals;

class machine_script : public testing::Test {
public:
  void start(pair_options options, epoch last = 0) {
    machine.emplace(options, last, 7, now);
    actions.clear();
  }
  void start(role as, epoch last = 0) { start(pair_options{.as = as}, last); }

  // A node of the Guide.
  void hear(peer_state s) {
    take([&] { machine->on_peer({.state = s}, now, actions); });
  }
  // A state of a Zinc peer, which has received our last tick, or no tick at all.
  void hear(peer_state s, epoch e, std::uint64_t position = 0) {
    hear_late(s, e, position, machine->report().more->tick);
  }
  void hear_late(peer_state s, epoch e, std::uint64_t position, std::uint64_t received) {
    const peer_report report{.state = s,
                             .more = account{.of = e,
                                             .position = position,
                                             .tick = ++peer_tick,
                                             .received = received,
                                             .lacks_data = peer_lacks_data,
                                             .declines = peer_declines}};
    take([&] { machine->on_peer(report, now, actions); });
  }
  void hand_over() {
    take([&] { machine->hand_over(now, actions); });
  }
  bool ask() {
    bool served = false;
    take([&] { served = machine->on_client_request(now, actions); });
    return served || machine->serving();
  }
  void persist_late(epoch which) {
    take([&] { machine->on_persisted(which, now, actions); });
  }
  void renew() {
    take([&] { machine->renew_epoch(now, actions); });
  }
  // Time passes, in which the machine is called when it asks for it.
  void pass(std::chrono::milliseconds time) {
    const auto until = now + time;
    while (machine->next_deadline() <= until) {
      now = std::max(now, machine->next_deadline());
      take([&] { machine->on_deadline(now, actions); });
    }
    now = until;
  }
  // Lets time pass while the node is paused.
  void stand_still(std::chrono::milliseconds time) { now += time; }

  bool notified(event what) const {
    return std::find(events.begin(), events.end(), what) != events.end();
  }

  state_machine::time_point now{1h};
  std::optional<state_machine> machine;
  std::uint64_t peer_tick = 1'000;
  // Flags of the next messages of the peer.
  bool peer_lacks_data = false;
  bool peer_declines = false;
  bool persists = true;
  // The actions of the machine: the shell would have executed them.
  std::vector<epoch> persisted;
  std::vector<epoch> activated;
  std::vector<passive_reason> passivated;
  std::vector<event> events;
  unsigned published = 0;

private:
  template <class Input>
  void take(Input input) {
    input();
    const auto asked = actions.persist;
    collect();
    if (asked && persists) {
      persisted.push_back(*asked);
      machine->on_persisted(*asked, now, actions);
      collect();
    }
  }
  void collect() {
    if (actions.became_active) {
      activated.push_back(*actions.became_active);
    }
    if (actions.became_passive) {
      passivated.push_back(*actions.became_passive);
    }
    published += actions.publish ? 1 : 0;
    events.insert(events.end(), actions.events.begin(), actions.events.end());
    actions.clear();
  }

  machine_actions actions;
};

using epochs = std::vector<epoch>;
using reasons = std::vector<passive_reason>;

}  // namespace bstar
