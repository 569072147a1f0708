#include "test/chp/simulation/scenario.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace chp::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The time until all programs have reconnected. Half-open connections are detected after 15 s.
constexpr seconds settling{10};
constexpr seconds settling_when_half_open{35};
constexpr seconds many_made_within{120};
// The time for an update without obstacles, and for the expiry of a key with a time to live of a second.
constexpr seconds committed_within{4};
// For a snapshot, of whichever server is asked second.
constexpr seconds answered_within{6};

class scenario {
public:
  scenario(std::uint64_t seed, const scenario_options& options)
      : options_{options}, town_{seed, options.print} {}

  scenario_result run();

private:
  [[nodiscard]] random_source& random() noexcept { return town_.random(); }
  void choose_net();
  [[nodiscard]] troubles some_troubles();
  void choose_nodes();
  void choose_clients();
  [[nodiscard]] manners some_manners(std::size_t updates);
  void describe();
  void pass(event_queue::duration time);
  void live();
  void play();
  void kill_active();
  void restart_both();
  void split();
  void restart_alone();
  void hold_questions();
  // Returns true if the condition becomes true within `most`. Checks the condition once per `pace`.
  template <class Condition>
  bool wait_for(milliseconds most, Condition&& condition, milliseconds pace = milliseconds{10});
  [[nodiscard]] node_process* active();
  [[nodiscard]] bool in_sync();
  void be_quiet();
  void check_once_more();

  scenario_options options_;
  town town_;
  troubles kinds_;
  milliseconds heartbeat_{};
  std::vector<std::unique_ptr<node_process>> nodes_;
  std::vector<std::unique_ptr<client_process>> clients_;
  std::vector<std::unique_ptr<letter_client_process>> letter_clients_;
  std::optional<fault_schedule> fault_schedule_;
  std::string description_;
};

void scenario::choose_net() {
  auto& how = town_.net().options();
  how.most_delay = milliseconds{random().between(1, 10)};
  how.jitter = random().chance(50) ? milliseconds{random().between(1, 5)} : milliseconds{0};
  how.most_window = random().between(16, 128) * 1024;
  how.least_window = random().chance(20) ? 1024 : how.most_window;
  how.cuts = random().chance(70);
  if (options_.what == drama::questions_held) {
    how.least_window = how.most_window = 1024;
  }
  if (options_.busy) {
    how.least_window = how.most_window;
  }
}

troubles scenario::some_troubles() {
  if (options_.what != drama::chance || random().chance(5)) {
    return {};
  }
  if (random().chance(10)) {
    return {.node_crashes = true};
  }
  troubles kinds;
  for (bool* const one : {&kinds.cuts, &kinds.partitions, &kinds.pair_partitions, &kinds.pauses,
                          &kinds.node_pauses, &kinds.crashes, &kinds.node_crashes}) {
    *one = random().chance(40);
  }
  kinds.half_open = random().chance(25);
  kinds.full_disks = options_.stored && random().chance(40);
  return kinds;
}

void scenario::choose_nodes() {
  node_process::options o;
  o.pair.heartbeat = heartbeat_;
  o.server.heartbeat = heartbeat_;
  o.server.backup_timeout = 2 * heartbeat_;
  o.server.snapshot_timeout = 4 * heartbeat_;
  o.server.degraded = random().chance(85) ? degraded_policy::ack : degraded_policy::block;
  o.server.snapshot_piece = random().chance(50) ? 1'000 : 64 * 1024;
  // Some servers have a short publisher queue, so that slow subscribers exceed it.
  o.server.publisher_bytes = random().chance(40) ? 4 * 1024 : 1024 * 1024;
  if (options_.what == drama::questions_held) {
    // A few snapshots exceed the limit of the queue of a client.
    o.server.snapshot_piece = 500;
    o.server.publisher_bytes = 1024 * 1024;
  }
  if (options_.small) {
    o.server.map.max_keys = 4;
    town_.books().expect_refusals();
  }
  if (options_.stored) {
    o.stored = true;
    o.server.unwritten_bytes = random().chance(30) ? 2'000 : 1024 * 1024;
    o.server.store_retry = milliseconds{random().between(50, 300)};
    town_.books().expect_stored();
  }
  const std::array<std::string, 2> names{"primary", "backup"};
  for (std::size_t i = 0; i != names.size(); ++i) {
    o.pair.as = i == 0 ? bstar::role::primary : bstar::role::backup;
    nodes_.push_back(std::make_unique<node_process>(town_, names[i], names[1 - i], o));
    if (options_.spoil_node) {
      options_.spoil_node(*nodes_.back());
    }
  }
}

manners scenario::some_manners(std::size_t updates) {
  manners how;
  how.pace = milliseconds{random().between(20, 400)};
  how.burst = random().between(1, 4);
  how.updates = updates;
  for (const auto* const key : {"/s/a", "/s/b", "/s/t/c", "/u/d", "e", "HUGZ/f"}) {
    how.keys.emplace_back(key);
  }
  for (auto left = random().between(0, 6); left != 0; --left) {
    how.keys.push_back("/s/" + std::to_string(random().pick(100)));
  }
  if (options_.busy) {
    for (int number = 0; number != 400; ++number) {
      how.keys.push_back("/many/" + std::to_string(number));
    }
    how.pace = milliseconds{30};
    how.updates = 1'000;
  }
  return how;
}

void scenario::choose_clients() {
  const std::vector<std::string> servers{"primary", "backup"};
  const auto some_servers = [&] {
    auto all = servers;
    if (random().chance(30)) {
      std::swap(all[0], all[1]);
    }
    return all;
  };
  for (auto left = random().between(2, 4); left != 0; --left) {
    client_options o;
    o.subtree = random().chance(40) ? "/s/" : "";
    o.heartbeat = heartbeat_;
    o.server_ttl = 3 * heartbeat_;
    o.retry = milliseconds{random().between(20, 100)};
    o.longest_retry = milliseconds{500};
    o.resend = milliseconds{random().between(200, 1'000)};
    o.pending_updates = random().chance(20) ? 3 : 10'000;
    auto how = some_manners(random().between(20, 80));
    auto at = some_servers();
    clients_.push_back(std::make_unique<client_process>(
        town_, "client " + std::to_string(clients_.size() + 1), std::move(at), o, std::move(how)));
    if (options_.spoil_client) {
      options_.spoil_client(*clients_.back());
    }
  }
  const auto count = options_.small || options_.busy ? 0 : random().between(0, 2);
  for (auto left = options_.letter_clients.value_or(count); left != 0; --left) {
    const letter_client_process::options o{.subtree = random().chance(40) ? "/s/" : "",
                                           .server_ttl = 4 * heartbeat_};
    auto how = some_manners(random().between(10, 40));
    auto at = some_servers();
    letter_clients_.push_back(std::make_unique<letter_client_process>(
        town_, "letter client " + std::to_string(letter_clients_.size() + 1), std::move(at), o,
        std::move(how)));
  }
}

void scenario::describe() {
  description_ = std::to_string(clients_.size()) + " clients, " +
                 std::to_string(letter_clients_.size()) + " letter clients, heartbeat " +
                 std::to_string(heartbeat_.count()) + " ms";
  const std::array<std::pair<bool, const char*>, 18> named{{
      {options_.what == drama::active_killed, ", the active one killed"},
      {options_.what == drama::both_killed, ", both killed"},
      {options_.what == drama::both_restarted, ", both restarted"},
      {options_.what == drama::partition, ", a partition"},
      {options_.what == drama::left_alone, ", one restarted alone"},
      {options_.what == drama::questions_held, ", questions held"},
      {options_.stored, ", with stores"},
      {options_.small, ", with little room"},
      {options_.busy, ", with many updates"},
      {kinds_.cuts, ", cuts"},
      {kinds_.half_open, ", half-open"},
      {kinds_.partitions, ", partitions"},
      {kinds_.pair_partitions, ", partitions of the pair"},
      {kinds_.pauses, ", pauses"},
      {kinds_.node_pauses, ", pauses of servers"},
      {kinds_.crashes, ", crashes"},
      {kinds_.node_crashes, ", crashes of servers"},
      {kinds_.full_disks, ", full disks"},
  }};
  for (const auto& [is, what] : named) {
    description_ += is ? what : "";
  }
}

void scenario::pass(event_queue::duration time) {
  town_.net().here().events.run_until(town_.now() + time);
}

template <class Condition>
bool scenario::wait_for(milliseconds most, Condition&& condition, milliseconds pace) {
  const auto end = town_.now() + most;
  while (!condition() && town_.now() < end) {
    pass(pace);
  }
  return condition();
}

node_process* scenario::active() {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [](const auto& one) { return one->running() && one->serving(); });
  return found == nodes_.end() ? nullptr : found->get();
}

bool scenario::in_sync() {
  auto* const one = active();
  return one != nullptr && one->status().backup_in_sync;
}

void scenario::live() {
  for (const auto& one : nodes_) {
    one->start();
  }
  std::vector<process*> all;
  for (const auto& one : clients_) {
    all.push_back(one.get());
  }
  for (const auto& one : letter_clients_) {
    all.push_back(one.get());
  }
  for (auto* const one : all) {
    one->start();
  }
  // The time until a connection is restored: 3 s without an answer, and then a pause.
  const auto settles = 6 * heartbeat_ + milliseconds{5'000};
  fault_schedule_.emplace(
      town_, kinds_, std::array<node_process*, 2>{nodes_[0].get(), nodes_[1].get()}, all, settles);
  if (options_.what == drama::chance) {
    const milliseconds lasting{random().between(3'000, 15'000)};
    fault_schedule_->start(lasting, milliseconds{random().between(200, 2'000)});
    pass(lasting);
  } else {
    play();
  }
  fault_schedule_->stop();
  town_.books().disturb_pair(town_.now() + settles);
  be_quiet();
  pass(kinds_.half_open ? settling_when_half_open : settling);
  if (options_.busy) {
    // Servers that let few wait take a few in each round trip.
    (void)wait_for(
        many_made_within,
        [this] {
          return std::all_of(clients_.begin(), clients_.end(),
                             [](const auto& one) { return one->has_made_all(); });
        },
        milliseconds{100});
  }
}

void scenario::be_quiet() {
  for (const auto& one : clients_) {
    one->be_quiet();
  }
  for (const auto& one : letter_clients_) {
    one->be_quiet();
  }
}

void scenario::play() {
  if (!wait_for(milliseconds{10'000}, [this] { return in_sync(); })) {
    town_.books().report(violation::not_converged, "the backup is not in sync");
    return;
  }
  switch (options_.what) {
    case drama::chance: return;
    case drama::active_killed:
      for (int i = 0; i != 3; ++i) {
        kill_active();
      }
      return;
    case drama::both_killed: {
      pass(town_.up_to(milliseconds{2'000}));
      const auto lasting = town_.up_to(milliseconds{2'000});
      fault_schedule_->kill(*nodes_[0], false, lasting);
      fault_schedule_->kill(*nodes_[1], false, town_.up_to(milliseconds{2'000}));
      pass(seconds{5});
      return;
    }
    case drama::both_restarted: restart_both(); return;
    case drama::partition: split(); return;
    case drama::left_alone: restart_alone(); return;
    case drama::questions_held: hold_questions(); return;
  }
}

// A server becomes active when it has declared its peer dead and a client has sent a request: an expiry, the
// time until clients detect the loss, and the time until they retry.
void scenario::kill_active() {
  pass(town_.up_to(milliseconds{1'500}));
  auto* const one = active();
  if (one == nullptr) {
    town_.books().report(violation::none_active, "before a server is killed");
    return;
  }
  const auto most = 2 * heartbeat_ + std::max(milliseconds{50}, heartbeat_ / 4) + milliseconds{400};
  fault_schedule_->kill(*one, false, most + milliseconds{500});
  if (!wait_for(most, [this] { return active() != nullptr; })) {
    town_.books().report(violation::slow_failover, "no server is active " +
                                                       std::to_string(most.count()) + " ms after " +
                                                       one->name() + " was killed");
  }
  if (!wait_for(milliseconds{10'000}, [this] { return in_sync(); })) {
    town_.books().report(violation::not_converged, "the backup is not in sync again");
  }
}

void scenario::restart_both() {
  for (const auto& one : nodes_) {
    pass(town_.up_to(milliseconds{1'000}));
    // A backup that was too slow for a moment is waited for.
    (void)wait_for(milliseconds{10'000}, [this] { return in_sync(); });
    fault_schedule_->kill(*one, false, milliseconds{50});
    if (!wait_for(milliseconds{10'000}, [this] { return in_sync(); })) {
      town_.books().report(violation::not_converged, "the backup is not in sync again");
    }
  }
  if (town_.books().excused() != 0) {
    town_.books().report(violation::lost,
                         "though each server was there again before the other went");
  }
}

// Each side has clients of its own, and so both serve.
void scenario::split() {
  pass(town_.up_to(milliseconds{1'000}));
  const milliseconds lasting{4 * heartbeat_.count() + 4'000};
  fault_schedule_->part(*nodes_[0], *nodes_[1], 2, lasting);
  for (std::size_t i = 0; i != clients_.size(); ++i) {
    fault_schedule_->part(*clients_[i], *nodes_[i % 2], 2, lasting);
  }
  pass(lasting - milliseconds{1});
  // Messages in flight do not arrive: the peer receives this only from its server.
  for (const auto& s : town_.net().living()) {
    for (const auto& one : clients_) {
      if (&s->host(zmtp::simulation::end_of_stream::connecting) == &one->host()) {
        s->cut(milliseconds{0}, milliseconds{0});
      }
    }
  }
  pass(milliseconds{2});
}

// The server cannot reach the copy of its map, so no server is active.
void scenario::restart_alone() {
  pass(town_.up_to(milliseconds{1'000}));
  (void)wait_for(milliseconds{10'000}, [this] { return in_sync(); });
  const std::size_t which = nodes_[1].get() == active() ? 1 : 0;
  auto& other = *nodes_[1 - which];
  const milliseconds lasting{4 * heartbeat_.count() + 3'000};
  fault_schedule_->part(*nodes_[0], *nodes_[1], 2, lasting);
  for (const auto& each : clients_) {
    fault_schedule_->part(*each, other, 2, lasting);
  }
  for (const auto& each : letter_clients_) {
    fault_schedule_->part(*each, other, 2, lasting);
  }
  fault_schedule_->kill(*nodes_[which], false, milliseconds{50});
  pass(lasting);
  if (town_.books().excused() != 0) {
    town_.books().report(violation::lost, "though the other server had it");
  }
}

// Holds all data of the passive server from its first request on. Its connections live until the timeout of a
// PING.
void scenario::hold_questions() {
  split();
  const auto asked = [&](std::size_t which) { return nodes_[which]->questions(); };
  const std::array before{asked(0), asked(1)};
  const auto has_asked = [&](std::size_t which) { return asked(which) != before[which]; };
  if (!wait_for(
          seconds{10}, [&] { return has_asked(0) || has_asked(1); }, milliseconds{1})) {
    return;
  }
  const auto lasting = heartbeat_ + town_.up_to(heartbeat_);
  fault_schedule_->part(*nodes_[0], *nodes_[1], has_asked(0) ? 0 : 1, lasting);
  pass(lasting + milliseconds{1});
}

// The network works: every program has the map of the active server, and can set a key.
void scenario::check_once_more() {
  auto& books = town_.books();
  std::vector<std::uint32_t> last;
  for (const auto& one : clients_) {
    last.push_back(one->make_update(seconds{1}));
  }
  pass(committed_within);
  for (const auto number : last) {
    books.expect_committed(number);
  }
  // Clients without extensions do not detect lost updates, nor changes during their snapshot. After a restart
  // they request a new one.
  for (const auto& one : letter_clients_) {
    one->kill(false);
    one->start();
  }
  pass(answered_within);
  auto* const one = active();
  if (one == nullptr ||
      std::all_of(nodes_.begin(), nodes_.end(), [](const auto& each) { return each->serving(); })) {
    books.report(one == nullptr ? violation::none_active : violation::two_active, "at the end");
    return;
  }
  if (!in_sync()) {
    books.report(violation::not_converged, "the backup is not in sync at the end");
  }
  books.check_rest(one->number());
  const auto number = one->map().number();
  for (const auto& each : nodes_) {
    if (each.get() != one && !each->status().following) {
      books.report(violation::not_converged, each->name() + " does not follow");
    }
    books.check_map(each->name(), replica_of(each->map()), number, {});
  }
  for (const auto& each : clients_) {
    each->check_rest(number);
  }
  for (const auto& each : letter_clients_) {
    each->check_rest(number);
  }
}

scenario_result scenario::run() {
  choose_net();
  heartbeat_ = milliseconds{random().between(100, 1'000)};
  const auto some = some_troubles();
  kinds_ = options_.kinds.value_or(some);
  choose_nodes();
  choose_clients();
  describe();
  auto& world = town_.net().here();
  auto& books = town_.books();
  const auto began = world.events.now();
  live();
  check_once_more();
  std::size_t losses_told = 0;
  std::size_t failovers = 0;
  std::size_t at_once = 0;
  for (const auto& one : clients_) {
    losses_told += one->losses_told();
    failovers += one->failovers();
  }
  for (const auto& one : nodes_) {
    at_once += one->questions_at_once();
  }
  return {{.description = description_,
           .trace_hash = world.notes.hash(),
           .events = world.events.happened(),
           .virtual_time = world.events.now() - began,
           .figures = {{"updates", books.updates()},
                       {"committed", books.committed()},
                       {"activations", books.activations()},
                       {"failovers of clients", failovers},
                       {"offered by losers", books.offers()},
                       {"questions at once", at_once},
                       {"expired", books.expired()},
                       {"refused", books.refused()},
                       {"lost with both memories", books.excused()},
                       {"losses told", losses_told},
                       {"troubles", fault_schedule_->made()}}},
          books.findings()};
}

}  // namespace

scenario_result run_scenario(std::uint64_t seed, const scenario_options& options) {
  return scenario{seed, options}.run();
}

}  // namespace chp::simulation
