#include "test/chp/simulation/scenario.h"

#include "test/chp/simulation/map_history.h"
#include "test/chp/simulation/recovery.h"
#include "test/chp/simulation/simulated_witness.h"
#include "test/support/scratch_folder.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <utility>

namespace chp::simulation {

namespace {

using namespace std::chrono_literals;

class scenario {
public:
  scenario(std::uint64_t seed, const scenario_options& options)
      : options_{options},
        world_{seed},
        setting_{choose_setting(seed)},
        hands_over_{!options.stays && seed % 4 == 3} {
    world_.net().here().notes.print_to(options.print);
    world_.net().options().cuts = random().chance(30);
  }

  scenario_result run();

private:
  [[nodiscard]] zmtp::simulation::random_source& random() noexcept { return world_.random(); }
  [[nodiscard]] setting choose_setting(std::uint64_t seed);
  void choose_faults();
  void add_servers();
  void add_clients();
  void add_guide(const guide_process::options& how);
  void live();
  [[nodiscard]] std::size_t reached(std::size_t server_process::reached::*what) const {
    return servers_[0]->limits_reached().*what + servers_[1]->limits_reached().*what;
  }

  const scenario_options& options_;
  zmtp::simulation::world world_;
  setting setting_;
  bool hands_over_;  // the disk of the active server fails in the end
  map_history history_{
      world_.net().here(),
      {.block = setting_.block, .witness = setting_.witness, .stores = setting_.stores}};
  witness_record witness_{world_};
  zmtp::test::scratch_folder folder_ = zmtp::test::scratch_folder::in_memory();
  std::vector<fault> faults_;
  std::vector<std::unique_ptr<server_process>> servers_;
  std::vector<std::unique_ptr<client_process>> clients_;
  std::vector<std::unique_ptr<guide_process>> guides_;
  std::optional<fault_schedule> schedule_;
  zmtp::simulation::world::time_point began_ = world_.now();
};

setting scenario::choose_setting(std::uint64_t seed) {
  setting chosen{random()};
  chosen.witness = seed % 6 == 5;
  // From a source of their own, so that they do not change the other choices of a seed.
  chosen.choose_limits(zmtp::simulation::random_source{~seed});
  if (options_.set) {
    options_.set(chosen);
  }
  return chosen;
}

void scenario::choose_faults() {
  if (options_.faults) {
    faults_ = *options_.faults;
    return;
  }
  for (const auto f : all_faults) {
    if (random().chance(40)) {
      faults_.push_back(f);
    }
  }
}

void scenario::add_servers() {
  for (const server who : {0U, 1U}) {
    server_process::options how;
    how.server.server = setting_.server();
    how.server.pair.pair.as = who == 0 ? bstar::role::primary : bstar::role::backup;
    how.server.pair.pair.heartbeat = setting_.heartbeat;
    how.server.pair.pair.expiry = setting_.expiry;
    how.has_store = setting_.stores[who];
    how.witness = setting_.witness ? &witness_ : nullptr;
    how.reads_forged_epochs = std::count(faults_.begin(), faults_.end(), fault::forged_epochs) > 0;
    how.clock = setting_.clock(random());
    if (options_.spoil) {
      options_.spoil(who, how);
    }
    if (options_.witness_grants_all) {
      witness_.grant_all();
    }
    servers_.push_back(
        std::make_unique<server_process>(world_, history_, who, folder_.path(), std::move(how)));
  }
  history_.look_with([this] {
    return std::vector{servers_[0]->content(), servers_[1]->content()};
  });
  servers_[0]->set_peer(*servers_[1]);
  servers_[1]->set_peer(*servers_[0]);
  servers_[random().pick(2)]->start();
  world_.run_for(random().up_to(2 * setting_.expiry));
  for (const auto& each : servers_) {
    if (!each->running()) {
      each->start();
    }
  }
}

void scenario::add_clients() {
  for (std::size_t i = 0; i != setting_.clients; ++i) {
    client_process::options how;
    const server first = random().pick(2);
    how.servers = {first};
    // The first client reaches both servers.
    if (i == 0 || random().chance(75)) {
      how.servers.push_back(1 - first);
    }
    how.client = setting_.client(i);
    how.client.subtree = how.part = setting_.part_of(i);
    how.pace = setting_.heartbeat * random().between(1, 5) / 5;
    how.sets_ttls = setting_.ttls;
    how.sees_twice = setting_.few_changes;  // not each erasure
    how.clock = setting_.clock(random());
    how.cancels = random().chance(20) ? 10 : 0;
    if (options_.spoil_client) {
      options_.spoil_client(how);
    }
    clients_.push_back(std::make_unique<client_process>(
        world_, history_, "client" + std::to_string(i), std::move(how)));
    clients_.back()->start();
  }
  for (const bool has_ids : {false, true}) {
    if (random().chance(20)) {
      guide_process::options how{
          .has_ids = has_ids, .pace = setting_.heartbeat, .clock = setting_.clock(random())};
      if (!has_ids && clients_.size() % 2 == 0) {
        how.sends_to = clients_.size() / 2 % 2;
      }
      // An update without an id may be executed twice, if it is sent to both servers.
      how.expects_once = (has_ids && !setting_.few_ids) || how.sends_to;
      add_guide(how);
    }
  }
  if (options_.guide) {
    add_guide(*options_.guide);
  }
}

void scenario::add_guide(const guide_process::options& how) {
  guides_.push_back(std::make_unique<guide_process>(world_, history_,
                                                    "guide" + std::to_string(guides_.size()), how));
}

void scenario::live() {
  std::vector<client_process*> clients;
  for (const auto& each : clients_) {
    clients.push_back(each.get());
  }
  std::vector<zmtp::simulation::simulated_host*> others;
  for (const auto& each : guides_) {
    others.push_back(&each->machine());
  }
  schedule_.emplace(world_, history_, std::array{servers_[0].get(), servers_[1].get()},
                    std::move(clients), std::move(others));
  const auto gap = setting_.heartbeat * random().between(2, 10);
  for (std::size_t left = 10; left != 0; --left) {
    world_.run_for(random().up_to(gap));
    if (!faults_.empty()) {
      schedule_->make(faults_[random().pick(faults_.size())], 4 * setting_.expiry);
    }
  }
  static_cast<void>(world_.run_until([&] { return schedule_->all_over(); }, 1h));
}

scenario_result scenario::run() {
  choose_faults();
  add_servers();
  add_clients();
  live();
  if (options_.stays) {
    schedule_->make(*options_.stays, 24h);
  }
  recovery{world_, history_, setting_, *schedule_, witness_, servers_, clients_, guides_}.run(
      hands_over_);
  for (const auto& each : servers_) {
    each->check_epoch();
  }
  auto description = setting_.description();
  for (const auto f : faults_) {
    description += ", " + std::string{to_string(f)};
  }
  auto figures = history_.figures();
  figures.insert(figures.begin(), {"faults", schedule_->made()});
  figures.insert(
      figures.end(),
      {{"refused at limits", reached(&server_process::reached::refused)},
       {"of forgotten sessions", reached(&server_process::reached::forgotten)},
       {"dropped while waiting", reached(&server_process::reached::dropped)},
       {"maps above a copy",
        std::accumulate(clients_.begin(), clients_.end(), std::size_t{0},
                        [](auto sum, const auto& each) { return sum + each->larger_maps(); })}});
  auto& here = world_.net().here();
  return {{.description = std::move(description),
           .trace_hash = here.notes.hash(),
           .events = here.events.happened(),
           .virtual_time = world_.now() - began_,
           .figures = std::move(figures)},
          history_.findings()};
}

}  // namespace

scenario_result run_scenario(std::uint64_t seed, const scenario_options& options) {
  return scenario{seed, options}.run();
}

}  // namespace chp::simulation
