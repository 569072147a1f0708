#include "test/bstar/simulation/scenario.h"

#include "test/bstar/simulation/client_process.h"
#include "test/support/scratch_folder.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace bstar::simulation {

namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;
using duration = zmtp::simulation::world::duration;
using time_point = zmtp::simulation::world::time_point;

class scenario {
public:
  scenario(std::uint64_t seed, const scenario_options& options)
      : options_{options},
        world_{seed},
        heartbeat_{world_.random().between(200, 1'000)},
        expiry_{heartbeat_ * world_.random().between(15, 30) / 10},
        history_{world_.net().here(), {.heartbeat = heartbeat_, .expiry = expiry_}} {
    world_.net().here().notes.print_to(options.print);
    world_.net().options().cuts = random().chance(30);
  }

  scenario_result run();

private:
  [[nodiscard]] zmtp::simulation::random_source& random() noexcept { return world_.random(); }
  void add_servers();
  void add_clients();
  void choose_faults();
  void live();
  void recover();
  [[nodiscard]] bool one_active() const {
    return servers_[0]->is_active() != servers_[1]->is_active();
  }
  // As those of world, with a look at the servers after each step.
  bool run_until(const std::function<bool()>& done, duration limit);
  void run_for(duration time) {
    static_cast<void>(run_until([] { return false; }, time));
  }

  const scenario_options& options_;
  zmtp::simulation::world world_;
  milliseconds heartbeat_;
  milliseconds expiry_;
  pair_history history_;
  zmtp::test::scratch_folder folder_ = zmtp::test::scratch_folder::in_memory();
  std::vector<fault> faults_;
  std::vector<std::unique_ptr<server_process>> servers_;
  std::vector<std::unique_ptr<client_process>> clients_;
  std::vector<std::unique_ptr<insistent_client_process>> insistent_clients_;
  std::optional<fault_schedule> schedule_;
  time_point began_ = world_.now();
};

bool scenario::run_until(const std::function<bool()>& done, duration limit) {
  return world_.run_until(
      [&] {
        for (const auto& one : servers_) {
          one->observe();
        }
        return done();
      },
      limit);
}

void scenario::add_servers() {
  for (const server who : {0U, 1U}) {
    server_process::options how;
    how.node.pair.as = who == 0 ? role::primary : role::backup;
    how.node.pair.heartbeat = heartbeat_;
    how.node.pair.expiry = expiry_;
    how.node.epoch_file = folder_.path(host_of(who));
    if (options_.spoil) {
      options_.spoil(who, how);
    }
    servers_.push_back(std::make_unique<server_process>(world_, history_, who, std::move(how)));
  }
  servers_[random().pick(2)]->start();
  run_for(random().up_to(2 * expiry_));
  for (const auto& one : servers_) {
    if (!one->running()) {
      one->start();
    }
  }
}

void scenario::add_clients() {
  for (std::size_t i = random().between(1, 3); i != 0; --i) {
    std::vector<std::string> names{voter_of(0), voter_of(1)};
    if (random().chance(50)) {
      std::swap(names[0], names[1]);
    }
    clients_.push_back(std::make_unique<client_process>(
        world_, history_, "client" + std::to_string(i), std::move(names),
        client_options{.timeout = heartbeat_, .settle = 2 * heartbeat_}));
  }
  for (const server who : {0U, 1U}) {
    insistent_clients_.push_back(std::make_unique<insistent_client_process>(
        world_, "insistent" + std::to_string(who), voter_of(who), random().up_to(heartbeat_ / 2)));
  }
}

void scenario::choose_faults() {
  if (options_.faults) {
    faults_ = *options_.faults;
    return;
  }
  const bool only_pauses = random().chance(15);
  for (const auto f : all_faults) {
    if (only_pauses ? f == fault::pause : random().chance(50)) {
      faults_.push_back(f);
    }
  }
}

void scenario::live() {
  std::vector<zmtp::simulation::simulated_host*> hosts;
  for (const auto& one : clients_) {
    hosts.push_back(&one->machine());
  }
  for (const auto& one : insistent_clients_) {
    hosts.push_back(&one->machine());
  }
  schedule_.emplace(world_, history_, std::array{servers_[0].get(), servers_[1].get()},
                    std::move(hosts));
  const auto gap = heartbeat_ * random().between(2, 20);
  for (std::size_t left = 12; left != 0; --left) {
    run_for(random().up_to(gap));
    if (!faults_.empty()) {
      schedule_->make(faults_[random().pick(faults_.size())], 4 * expiry_);
    }
  }
  static_cast<void>(run_until([&] { return schedule_->all_over(); }, 1h));
}

// All faults are over: one server becomes active and stays so, and each client is served.
void scenario::recover() {
  if (options_.stays) {
    schedule_->make(*options_.stays, 24h);
  }
  run_for(history_.rules().until_active());
  if (!one_active()) {
    history_.report(servers_[0]->is_active() ? violation::both_active : violation::none_active,
                    "after all faults");
  }
  const auto changes = history_.changes();
  std::vector<std::size_t> answers;
  for (const auto& one : clients_) {
    answers.push_back(one->answers());
  }
  // A client that has just sent a request to the passive server needs two timeouts and pauses.
  run_for(2 * (heartbeat_ + 2 * heartbeat_));
  for (std::size_t i = 0; i != clients_.size(); ++i) {
    if (clients_[i]->answers() == answers[i]) {
      history_.report(violation::unserved, "client " + std::to_string(i));
    }
  }
  run_for(10 * expiry_);
  if (history_.changes() != changes) {
    history_.report(violation::unsteady, "although all is well");
  }
}

scenario_result scenario::run() {
  choose_faults();
  add_servers();
  add_clients();
  live();
  recover();
  std::string description = "heartbeat " + std::to_string(heartbeat_.count()) + " ms, expiry " +
                            std::to_string(expiry_.count()) + " ms";
  for (const auto f : faults_) {
    description += ", " + std::string{to_string(f)};
  }
  std::size_t answers = 0;
  for (const auto& one : clients_) {
    answers += one->answers();
  }
  auto& here = world_.net().here();
  return {{.description = std::move(description),
           .trace_hash = here.notes.hash(),
           .events = here.events.happened(),
           .virtual_time = world_.now() - began_,
           .figures = {{"faults", schedule_->made()},
                       {"changes of role", history_.changes()},
                       {"takeovers by request", history_.takeovers()},
                       {"requests served", history_.served()},
                       {"answers", answers}}},
          history_.findings()};
}

}  // namespace

scenario_result run_scenario(std::uint64_t seed, const scenario_options& options) {
  return scenario{seed, options}.run();
}

}  // namespace bstar::simulation
