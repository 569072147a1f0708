#include "test/chp/simulation/guide_pair.h"

#include "test/chp/simulation/guide_pair_faults.h"
#include "test/chp/simulation/guide_server_process.h"
#include "test/chp/simulation/map_history.h"
#include "test/chp/simulation/setting.h"
#include "test/support/scratch_folder.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace chp::simulation {

namespace {

using std::chrono::milliseconds;
using zmtp::simulation::death;
using namespace std::chrono_literals;

class guide_pair {
public:
  guide_pair(std::uint64_t seed, const guide_pair_options& options)
      : options_{options}, world_{seed} {
    world_.net().here().notes.print_to(options.print);
    world_.net().options().cuts = random().chance(30);
    setting_.choose_limits(zmtp::simulation::random_source{~seed});
    setting_.small_copies = false;  // the Guide's server copies the map when clients update it
  }

  guide_pair_result run();

private:
  [[nodiscard]] zmtp::simulation::random_source& random() noexcept { return world_.random(); }
  void add_servers();
  void add_clients();
  void live();
  void recover();
  void restart_theirs_if(bool is_stuck);
  [[nodiscard]] bool restart_ours();
  [[nodiscard]] bool restart_theirs();
  void compare();
  [[nodiscard]] bool until(const std::function<bool()>& done) {
    // A dead connection without traffic is given up after 15 s.
    return world_.run_until(done, 100 * (setting_.heartbeat + setting_.expiry) + 60s);
  }
  [[nodiscard]] bool follows() const { return ours_->is_following() && theirs_->is_active(); }
  [[nodiscard]] bool is_served(const client_process& one) const {
    return one.reaches(ours_->is_active() ? who_ : 1 - who_);
  }
  // Under `block`, our server acknowledges nothing.
  [[nodiscard]] bool acknowledges() const { return !setting_.block || !ours_->is_active(); }
  [[nodiscard]] bool all_ended() const {
    return std::all_of(clients_.begin(), clients_.end(), [this](const auto& each) {
      return !is_served(*each) || (each->is_following() && (each->open() == 0 || !acknowledges()));
    });
  }

  const guide_pair_options& options_;
  zmtp::simulation::world world_;
  setting setting_{world_.random()};
  server who_ = random().pick(2);  // our server
  map_history history_{world_.net().here(), {.block = setting_.block, .beside_guide = true}};
  zmtp::test::scratch_folder folder_ = zmtp::test::scratch_folder::in_memory();
  std::unique_ptr<server_process> ours_;
  std::unique_ptr<guide_server_process> theirs_;
  std::vector<std::unique_ptr<client_process>> clients_;
  std::optional<guide_pair_faults> faults_;
  std::size_t adopted_ = 0;
  zmtp::simulation::world::time_point began_ = world_.now();
};

void guide_pair::add_servers() {
  server_process::options how;
  how.server.server = setting_.server();
  how.server.pair.pair.as = who_ == 0 ? bstar::role::primary : bstar::role::backup;
  how.server.pair.pair.heartbeat = setting_.heartbeat;
  how.server.pair.pair.expiry = setting_.expiry;
  how.has_store = setting_.stores[who_];
  how.clock = setting_.clock(random());
  // The Guide's server does not notice that it was disconnected because it was too slow.
  how.server.server.publisher_bytes = server_options{}.publisher_bytes;
  how.server.server.limit = {};  // the Guide's server has no limit
  if (options_.spoil) {
    options_.spoil(how);
  }
  ours_ = std::make_unique<server_process>(world_, history_, who_, folder_.path(), std::move(how));
  theirs_ = std::make_unique<guide_server_process>(
      world_, 1 - who_,
      guide_server_process::options{.heartbeat = setting_.heartbeat,
                                    .expiry = setting_.expiry,
                                    .clock = setting_.clock(random())});
  const bool is_first = random().chance(50);
  if (is_first) {
    ours_->start();
  } else {
    theirs_->start();
  }
  world_.run_for(random().up_to(2 * setting_.expiry));
  if (is_first) {
    theirs_->start();
  } else {
    ours_->start();
  }
}

void guide_pair::add_clients() {
  for (std::size_t i = 0; i != setting_.clients; ++i) {
    client_process::options how;
    const server first = random().pick(2);
    how.servers = {first};
    if (i == 0 || random().chance(75)) {
      how.servers.push_back(1 - first);
    }
    how.client = setting_.client(i);
    how.client.subtree = how.part = setting_.part_of(i);
    if (setting_.few_outcomes) {
      // Nothing is ever on both, so all kept updates have outcomes that the server must remember.
      how.client.pending_updates = how.client.kept_updates = 1;
    }
    how.pace = setting_.heartbeat * random().between(1, 5) / 5;
    how.clock = setting_.clock(random());
    // The Guide's server executes a resent update again.
    how.sees_twice = true;
    // Nothing is ever on both.
    how.requires_both = 0;
    if (options_.spoil_client) {
      options_.spoil_client(how);
    }
    clients_.push_back(std::make_unique<client_process>(
        world_, history_, "client" + std::to_string(i), std::move(how)));
    clients_.back()->start();
  }
}

void guide_pair::restart_theirs_if(bool is_stuck) {
  if (is_stuck) {
    theirs_->kill(death::process);
    theirs_->start();
  }
}

void guide_pair::live() {
  auto& faults = faults_.emplace(world_, *ours_, *theirs_, clients_, 4 * setting_.expiry);
  const auto gap = setting_.heartbeat * random().between(2, 10);
  for (std::size_t left = 8; left != 0; --left) {
    world_.run_for(random().up_to(gap));
    restart_theirs_if(theirs_->has_given_up());
    faults.make();
  }
  static_cast<void>(world_.run_until([&] { return faults.open() == 0; }, 1h));
}

// Our server copies the map of the Guide's server, which must be able to become active.
bool guide_pair::restart_ours() {
  ours_->kill(death::process);
  if (theirs_->has_given_up() || !until([&] { return theirs_->is_active(); })) {
    ours_->start();
    return false;
  }
  ours_->start();
  if (!until([&] { return follows(); })) {
    history_.report(violation::not_in_sync, "our server does not follow: " + ours_->status());
  }
  ++adopted_;
  return true;
}

// The Guide's server copies the map of ours, when that publishes an update.
bool guide_pair::restart_theirs() {
  theirs_->kill(death::process);
  static_cast<void>(until([&] { return ours_->is_active(); }));
  theirs_->start();
  const bool is_well = until([&] {
    return follows() || (ours_->is_active() && (theirs_->has_copied() || !acknowledges()));
  });
  if (!is_well) {
    const auto* const state = theirs_->has_given_up() ? "gave up"
                              : theirs_->is_active()  ? "active"
                                                      : "passive";
    history_.report(violation::not_in_sync, "ours: " + ours_->status() + ", the Guide's: " + state);
  }
  return is_well;
}

// All faults are over.
void guide_pair::recover() {
  world_.run_for(random().up_to(20 * setting_.heartbeat));
  const auto before = history_.findings().size();
  restart_theirs_if(theirs_->has_given_up() || theirs_->is_copying());
  if ((random().chance(50) || !restart_ours()) && !restart_theirs()) {
    return;
  }
  if (history_.findings().size() != before) {
    return;
  }
  world_.run_for(random().up_to(20 * setting_.heartbeat));
  if (options_.cuts_at_rest) {
    world_.net().part(ours_->process().machine(), theirs_->process().machine());
    world_.net().part(theirs_->process().machine(), ours_->process().machine());
    world_.run_for(20 * setting_.expiry);
  }
  for (const auto& each : clients_) {
    each->stop_writing();
  }
  if (!until([&] { return all_ended(); })) {
    for (const auto& each : clients_) {
      if (is_served(*each)) {
        history_.report(violation::unended, each->name() + ": " + std::to_string(each->open()) +
                                                (each->is_following() ? "" : ", not following"));
      }
    }
    return;
  }
  world_.run_for(20 * setting_.heartbeat);
  compare();
}

void guide_pair::compare() {
  const bool is_ours = ours_->is_active();
  const auto ours = ours_->published();
  const auto theirs = theirs_->published();
  const auto& map = is_ours ? ours : theirs;
  history_.check_values(map);
  if (is_ours == theirs_->is_active()) {
    history_.report(violation::not_in_sync, "any more");
  }
  if (acknowledges() && ours != theirs) {
    history_.report(violation::unequal, "the servers");
  }
  if (!is_ours && ours_->content() != map) {
    history_.report(violation::unequal, "the disk");
  }
  for (const auto& each : clients_) {
    if (is_served(*each) && each->copy() != each->part_of(map)) {
      history_.report(violation::unequal, each->name());
    }
  }
}

guide_pair_result guide_pair::run() {
  add_servers();
  add_clients();
  live();
  recover();
  auto& here = world_.net().here();
  auto figures = history_.figures();
  figures.insert(figures.begin(), {{"faults", faults_->made()}, {"adopted", adopted_}});
  return {{.description = setting_.description() + (who_ == 0 ? ", our primary" : ", our backup"),
           .trace_hash = here.notes.hash(),
           .events = here.events.happened(),
           .virtual_time = world_.now() - began_,
           .figures = std::move(figures)},
          history_.findings()};
}

}  // namespace

guide_pair_result run_guide_pair(std::uint64_t seed, const guide_pair_options& options) {
  return guide_pair{seed, options}.run();
}

}  // namespace chp::simulation
