#include "test/chp/simulation/recovery.h"

#include "zmtp/storage/error.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace chp::simulation {

using namespace std::chrono_literals;

bool recovery::any(bool (server_process::*is)() const) const {
  return std::any_of(servers_.begin(), servers_.end(),
                     [is](const auto& each) { return (*each.*is)(); });
}

bool recovery::all_ended() const {
  return std::all_of(clients_.begin(), clients_.end(), [this](const auto& each) {
    return !is_served(*each) || (each->open() == 0 && each->is_following());
  });
}

void recovery::run(bool hands_over) {
  world_.run_for(world_.random().up_to(20 * setting_.heartbeat));
  if (hands_over) {
    fail_active_disk();
  }
  for (const auto& each : clients_) {
    each->stop_writing();
  }
  for (const auto& each : guides_) {
    each->stop_writing();
  }
  // A dead connection without traffic is given up after 15 s.
  const auto limit = 100 * (setting_.heartbeat + setting_.expiry) + 60s;
  const auto stopped = [this] { return any(&server_process::has_stopped); };
  if (setting_.witness) {
    // A server that is alone in the set comes back.
    world_.run_for(2 * setting_.expiry);
    if (!witness_.now().in_sync.empty() && !any(&server_process::is_member)) {
      witness_.reset();
    }
  }
  // A server that was paused at the end of the fault learns only now that its disk has failed.
  const auto failed = [this] { return any(&server_process::has_failed); };
  if (world_.run_until([&] { return in_sync() || stopped() || failed(); }, limit)) {
    schedule_.restart_if_failed(0);
    schedule_.restart_if_failed(1);
  }
  if (world_.run_until([&] { return in_sync() || stopped(); }, limit) && stopped()) {
    decide();
  }
  if (!world_.run_until([&] { return in_sync(); }, limit)) {
    history_.report(violation::not_in_sync, servers_[0]->status() + " / " + servers_[1]->status());
    return;
  }
  if (!world_.run_until([&] { return all_ended(); }, limit)) {
    for (const auto& each : clients_) {
      if (is_served(*each)) {
        history_.report(violation::unended, each->name() + ": " + std::to_string(each->open()) +
                                                (each->is_following() ? "" : ", not following"));
      }
    }
    return;
  }
  for (const auto& each : clients_) {
    // When keys expire it can follow, and sends what waits.
    if (!each->has_room_for(*servers_[active()])) {
      each->kill(zmtp::simulation::death::process);
    }
  }
  // All keys with a time to live expire, which is at most 3 s on a slow clock.
  world_.run_for(20 * setting_.heartbeat + (setting_.ttls ? 4s : 0s));
  compare();
}

// While the clients write, and the other server is in sync.
void recovery::fail_active_disk() {
  const auto limit = 40 * (setting_.heartbeat + setting_.expiry);
  static_cast<void>(world_.run_until([&] { return in_sync(); }, limit));
  const auto who = active();
  if (!in_sync() || !setting_.stores[who]) {
    return;
  }
  auto& one = *servers_[who];
  one.disk().fail_with(zmtp::storage_errc::store_failed);
  const auto& other = *servers_[1 - who];
  // Without an update it does not notice.
  if (!world_.run_until([&] { return other.is_active(); }, limit) && one.has_failed()) {
    history_.report(violation::not_handed_over, one.status());
  }
  one.disk().fail_with({});
  schedule_.restart_if_failed(who);
}

// The operator's decision.
void recovery::decide() {
  for (const server who : {0U, 1U}) {
    auto& one = *servers_[who];
    if (one.has_stopped()) {
      one.kill(zmtp::simulation::death::process);
      const auto& other = *servers_[1 - who];
      history_.on_loss({one.content(), other.content()}, other.has_all_in_content());
      one.discard();
      one.start();
    }
  }
}

void recovery::compare() {
  if (!in_sync()) {
    history_.report(violation::not_in_sync, "any more");
    return;
  }
  for (const auto& each : clients_) {
    each->tell_limits();
    if (!is_served(*each)) {
      history_.on_unserved(each->name());
    }
  }
  const auto map = servers_[active()]->published();
  history_.on_rest(map);
  for (const auto& each : servers_) {
    if (each->published() != map || each->content() != map) {
      history_.report(violation::unequal, "the servers");
    }
  }
  for (const auto& each : clients_) {
    if (is_served(*each)) {
      each->check_seen();
      if (each->status().degraded) {
        history_.report(violation::stays_degraded, each->name());
      }
      if (each->copy() != each->part_of(map)) {
        history_.report(violation::unequal, each->name());
      }
    }
  }
}

}  // namespace chp::simulation
