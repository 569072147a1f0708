#include "test/chp/simulation/scenario.h"

#include "test/chp/simulation/client_process.h"
#include "test/chp/simulation/map_history.h"
#include "test/chp/simulation/server_process.h"
#include "test/support/scratch_folder.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace chp::simulation {

namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;
using duration = zmtp::simulation::world::duration;
using zmtp::simulation::death;

class scenario {
public:
  scenario(std::uint64_t seed, const scenario_options& options)
      : world_{seed},
        heartbeat_{random().between(100, 400)},
        expiry_{heartbeat_ * random().between(15, 30) / 10},
        block_{random().chance(20)},
        history_{world_.net().here(), {.block = block_}} {
    world_.net().here().notes.print_to(options.print);
    world_.net().options().cuts = random().chance(30);
  }

  scenario_result run();

private:
  [[nodiscard]] zmtp::simulation::random_source& random() noexcept { return world_.random(); }
  void add_servers();
  void add_clients();
  void live();
  void recover();
  [[nodiscard]] bool in_sync() const {
    return std::any_of(servers_.begin(), servers_.end(),
                       [](const auto& each) { return each->is_in_sync(); });
  }
  void kill(server who, death how);
  void compare();

  zmtp::simulation::world world_;
  milliseconds heartbeat_;
  milliseconds expiry_;
  bool block_;
  map_history history_;
  zmtp::test::scratch_folder folder_;
  std::vector<std::unique_ptr<server_process>> servers_;
  std::vector<std::unique_ptr<client_process>> clients_;
  zmtp::simulation::world::time_point began_ = world_.now();
};

void scenario::add_servers() {
  for (const server who : {0U, 1U}) {
    server_process::options how;
    auto& s = how.server;
    s.server.heartbeat = heartbeat_;
    s.server.degraded = block_ ? degraded_policy::block : degraded_policy::ack;
    s.pair.pair.as = who == 0 ? bstar::role::primary : bstar::role::backup;
    s.pair.pair.heartbeat = heartbeat_;
    s.pair.pair.expiry = expiry_;
    s.pair.epoch_file = folder_.path(host_of(who));
    s.lost_folder = folder_.path();
    servers_.push_back(std::make_unique<server_process>(world_, history_, who, std::move(how)));
    servers_.back()->start();
  }
}

void scenario::add_clients() {
  for (const std::string name : {"anna", "bert"}) {
    client_process::options how;
    how.servers = {server_address::at(endpoint_of(0)), server_address::at(endpoint_of(1))};
    how.client.heartbeat = heartbeat_;
    how.client.server_ttl = 5 * heartbeat_;
    how.client.resend = 2 * heartbeat_;
    how.pace = heartbeat_;
    clients_.push_back(std::make_unique<client_process>(world_, history_, name, std::move(how)));
    clients_.back()->start();
  }
}

void scenario::kill(server who, death how) {
  servers_[who]->kill(how);
  history_.on_loss({servers_[0]->content(), servers_[1]->content()});
}

void scenario::live() {
  world_.run_for(random().up_to(40 * heartbeat_));
  const server active = servers_[0]->is_active() ? 0 : 1;
  kill(active, death::process);
  world_.run_for(random().up_to(10 * expiry_));
  servers_[active]->start();
  world_.run_for(random().up_to(20 * heartbeat_));
  auto& net = world_.net();
  auto& one = servers_[0]->process().machine();
  auto& other = servers_[1]->process().machine();
  net.part(one, other);
  net.part(other, one);
  world_.run_for(random().up_to(10 * expiry_));
  net.rejoin(one, other);
  net.rejoin(other, one);
}

// All faults are over.
void scenario::recover() {
  world_.run_for(random().up_to(20 * heartbeat_));
  for (const auto& each : clients_) {
    each->stop_writing();
  }
  const auto limit = 100 * (heartbeat_ + expiry_) + 60s;
  if (!world_.run_until([&] { return in_sync(); }, limit)) {
    history_.report(violation::not_in_sync, servers_[0]->status() + " / " + servers_[1]->status());
    return;
  }
  const auto ended = [](const auto& each) { return each->open() == 0 && each->is_following(); };
  if (!world_.run_until([&] { return std::all_of(clients_.begin(), clients_.end(), ended); },
                        limit)) {
    for (const auto& each : clients_) {
      history_.report(violation::unended, each->name() + ": " + std::to_string(each->open()) +
                                              (each->is_following() ? "" : ", not following"));
    }
    return;
  }
  world_.run_for(10 * heartbeat_);
  compare();
}

void scenario::compare() {
  const server active = servers_[0]->is_active() ? 0 : 1;
  const auto map = servers_[active]->content();
  history_.on_rest(map);
  if (servers_[1 - active]->content() != map) {
    history_.report(violation::unequal, "the servers");
  }
  for (const auto& each : clients_) {
    if (each->copy() != map) {
      history_.report(violation::unequal, each->name());
    }
  }
}

scenario_result scenario::run() {
  add_servers();
  add_clients();
  live();
  recover();
  auto& here = world_.net().here();
  return {{.description = "heartbeat " + std::to_string(heartbeat_.count()) + " ms, expiry " +
                          std::to_string(expiry_.count()) + " ms" + (block_ ? ", block" : ""),
           .trace_hash = here.notes.hash(),
           .events = here.events.happened(),
           .virtual_time = world_.now() - began_,
           .figures = {{"updates", history_.updates()},
                       {"committed", history_.committed()},
                       {"on both", history_.on_both()},
                       {"told lost", history_.told_lost()},
                       {"gone", history_.gone()}}},
          history_.findings()};
}

}  // namespace

scenario_result run_scenario(std::uint64_t seed, const scenario_options& options) {
  return scenario{seed, options}.run();
}

}  // namespace chp::simulation
