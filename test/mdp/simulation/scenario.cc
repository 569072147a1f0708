#include "test/mdp/simulation/scenario.h"

#include "test/mdp/simulation/durable_process.h"
#include "test/mdp/simulation/flood_process.h"
#include "test/mdp/simulation/stock_client_process.h"
#include "test/mdp/simulation/stock_worker_process.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace mdp::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The time until all programs have reconnected: half-open connections are detected after 15 s.
constexpr seconds settling{25};
constexpr seconds leaving{20};
// For a request that nothing stands in the way of.
constexpr seconds answered_within{15};

class scenario {
public:
  scenario(std::uint64_t seed, const scenario_options& options)
      : options_{options}, in_{seed, options.print} {}

  scenario_result run();

private:
  [[nodiscard]] random_source& random() noexcept { return in_.random(); }
  void choose_net();
  void choose_trades();
  void choose_brokers();
  void choose_workers();
  void choose_clients();
  void choose_titanic();
  void disturb_disk();
  void send_one_home();
  [[nodiscard]] broker_process& home();
  [[nodiscard]] std::vector<std::string> all_brokers();
  [[nodiscard]] troubles some_troubles();
  [[nodiscard]] labour some_labour(const trade& of);
  void describe(std::size_t stock);
  void pass(event_queue::duration time);
  void live();
  void ask_once_more();
  void take_leave();
  void check_brokers();
  template <class Kind, class... Arguments>
  void add(std::vector<std::unique_ptr<Kind>>& to, const char* what, Arguments&&... arguments);

  scenario_options options_;
  setting in_;
  troubles kinds_;
  milliseconds heartbeat_{};
  std::vector<std::unique_ptr<trade>> trades_;
  std::vector<const trade*> served_;
  std::vector<const trade*> asked_;
  std::size_t broker_count_ = 1;
  std::vector<std::unique_ptr<broker_process>> brokers_;
  std::vector<std::unique_ptr<worker_process>> workers_;
  std::vector<std::unique_ptr<stock_worker_process>> stock_workers_;
  std::vector<std::unique_ptr<caller_process>> callers_;
  std::vector<std::unique_ptr<stock_client_process>> stock_clients_;
  std::vector<std::unique_ptr<flood_process>> floods_;
  std::optional<titanic_history> stored_;
  std::optional<titanic_process> titanic_;
  bool bad_disk_ = false;
  bool farewells_ = false;
  std::vector<std::unique_ptr<durable_process>> durables_;
  std::vector<process*> programs_;
  std::optional<fault_schedule> fault_schedule_;
  std::string description_;
};

template <class Kind, class... Arguments>
void scenario::add(std::vector<std::unique_ptr<Kind>>& to, const char* what,
                   Arguments&&... arguments) {
  to.push_back(std::make_unique<Kind>(in_, what + std::to_string(to.size() + 1),
                                      std::forward<Arguments>(arguments)...));
  programs_.push_back(to.back().get());
}

void scenario::choose_net() {
  auto& how = in_.net().options();
  how.most_delay = milliseconds{random().between(1, 20)};
  how.jitter = random().chance(50) ? milliseconds{random().between(1, 10)} : milliseconds{0};
  how.most_window = random().between(16, 128) * 1024;
  how.least_window = random().chance(20) ? 1024 : how.most_window;
  how.cuts = random().chance(70);
}

troubles scenario::some_troubles() {
  if (random().chance(10)) {
    return {};
  }
  if (random().chance(10)) {
    return {.broker_pauses = true};
  }
  return {.cuts = random().chance(50),
          .half_open = random().chance(30),
          .partitions = random().chance(40),
          .pauses = random().chance(40),
          .broker_pauses = random().chance(30),
          .crashes = random().chance(50),
          .broker_crashes = random().chance(25),
          .broker_losses = broker_count_ > 1 && random().chance(40)};
}

// Chooses the services of this run, and the settings of the broker for them.
void scenario::choose_trades() {
  for (const auto* const name : {"echo", "once", "hangs", "raw", "absent"}) {
    if (trades_.size() > 1 && random().chance(40)) {
      continue;
    }
    trades_.push_back(std::make_unique<trade>(trade{.name = name}));
    auto& added = *trades_.back();
    added.idempotent = added.name != "once";
    if (added.name == "hangs") {
      added.busy_timeout = milliseconds{random().between(500, 2'000)};
    }
    if (added.name == "echo" && random().chance(20)) {
      added.busy_expiry = 4 * heartbeat_;
    }
    asked_.push_back(&added);
    if (added.name != "absent") {
      served_.push_back(&added);
    }
  }
}

void scenario::choose_brokers() {
  broker_options o;
  o.heartbeat = heartbeat_;
  o.worker_in_flight = random().between(1, 20);
  o.client_limit.requests = random().between(1, 30);
  o.client_limit.bytes = random().between(2'000, 20'000);
  o.services.unserved_timeout = milliseconds{random().between(300, 6'000)};
  o.services.attempts = static_cast<unsigned>(random().between(2, 4));
  o.services.limit.bytes = random().between(2'000, 40'000);
  for (const auto& of : trades_) {
    auto how = o.services;
    how.idempotent = of->idempotent;
    how.busy_expiry = of->busy_expiry;
    how.busy_timeout = of->busy_timeout;
    how.raw_client_address = of->name == "raw";
    if (random().chance(20)) {
      how.queue_timeout = milliseconds{random().between(1'000, 6'000)};
    }
    if (of->name != "absent" || random().chance(50)) {
      o.rules.push_back({of->name, how});
    }
  }
  if (options_.adjust) {
    options_.adjust(o);
  }
  while (brokers_.size() != broker_count_) {
    add(brokers_, "broker", o);
  }
}

// Returns a broker that stays, for a process that knows only one broker.
broker_process& scenario::home() {
  const auto staying = broker_count_ - (kinds_.broker_losses ? 1 : 0);
  return *brokers_[random().pick(staying)];
}

// In the order in which one of them turns to them.
std::vector<std::string> scenario::all_brokers() {
  std::vector<std::string> names;
  for (const auto& one : brokers_) {
    names.push_back(endpoint_of(one->name()));
  }
  std::rotate(names.begin(),
              names.begin() + static_cast<std::ptrdiff_t>(random().pick(names.size())),
              names.end());
  return names;
}

labour scenario::some_labour(const trade& of) {
  labour how;
  how.longest = milliseconds{random().between(1, 100)};
  how.in_parts = random().chance(40) ? 50 : 0;
  how.fails = random().chance(20) ? 3 : 0;
  how.refuses = random().chance(20) ? 10 : 0;
  how.hangs = of.busy_timeout ? 3 : 0;
  return how;
}

void scenario::choose_workers() {
  for (const auto* const of : served_) {
    // The first serves all brokers, where there are several.
    bool everywhere = broker_count_ > 1;
    for (auto left = random().between(1, 3); left != 0; --left) {
      // A worker that is silent while it works is declared dead if the service has a busy expiry.
      if (random().chance(30) && !of->busy_expiry && !everywhere) {
        const stock_worker_process::options o{heartbeat_,
                                              milliseconds{random().between(10, 1'000)}};
        const auto at = endpoint_of(home().name());
        add(stock_workers_, "stock-worker", at, *of, o, some_labour(*of));
        continue;
      }
      worker_options o;
      o.protocol = random().chance(50) ? version::v01 : version::v02;
      o.heartbeat = heartbeat_;
      o.reconnect_delay = milliseconds{random().between(10, 1'000)};
      o.in_flight = random().chance(50) ? 1 : random().between(2, 8);
      auto how = some_labour(*of);
      if (o.protocol == version::v01) {
        how.in_parts = 0;
      }
      auto at = all_brokers();
      if (random().chance(50) && !std::exchange(everywhere, false)) {
        at.resize(1);
      }
      add(workers_, "worker", at, *of, o, how);
      if (options_.spoil_worker) {
        options_.spoil_worker(*workers_.back());
      }
    }
  }
}

void scenario::choose_clients() {
  for (auto left = random().between(1, 4); left != 0; --left) {
    client_options o;
    o.protocol = random().chance(50) ? version::v01 : version::v02;
    o.timeout = milliseconds{random().between(50, 2'500)};
    o.attempts = static_cast<unsigned>(random().between(1, 4));
    o.backoff = milliseconds{random().between(0, 200)};
    manners how;
    how.pace = milliseconds{random().between(10, 400)};
    how.in_flight = random().between(1, 8);
    how.calls = random().between(10, 60);
    add(callers_, "caller", all_brokers(), asked_, o, how);
    if (options_.spoil_caller) {
      options_.spoil_caller(*callers_.back());
    }
  }
  for (auto left = random().between(0, 2); left != 0; --left) {
    const auto at = endpoint_of(home().name());
    stock_client_process::options o;
    o.timeout = milliseconds{random().between(100, 2'500)};
    o.attempts = static_cast<unsigned>(random().between(1, 3));
    o.calls = random().between(5, 30);
    if (options_.spoil_stock_client) {
      options_.spoil_stock_client(o);
    }
    add(stock_clients_, "stock-client", at, asked_, o);
  }
  if (random().chance(30)) {
    const auto* const of = served_[random().pick(served_.size())];
    const auto& at = home();
    add(floods_, "flood", at, *of, random().between(20, 200));
  }
}

void scenario::choose_titanic() {
  std::vector<const trade*> asks;
  std::copy_if(served_.begin(), served_.end(), std::back_inserter(asks),
               [](const trade* of) { return of->idempotent; });
  titanic::server_options o;
  o.protocol = random().chance(50) ? version::v01 : version::v02;
  o.third_party_broker = random().chance(20);
  // A third party's broker gets as many workers, for each of five services.
  o.in_flight = random().between(1, o.third_party_broker ? 3 : 12);
  o.heartbeat = heartbeat_;
  o.reconnect_delay = milliseconds{random().between(10, 1'000)};
  o.core.service = {.in_flight = random().between(1, 4),
                    .timeout = milliseconds{random().between(500, 4'000)},
                    .attempts = static_cast<unsigned>(random().between(2, 5))};
  o.core.max_requests = random().chance(20) ? 15 : 1'000;
  o.core.held_bytes = random().chance(50) ? 2'000 : 1'000'000;
  o.core.lookup_timeout = milliseconds{random().between(100, 1'000)};
  o.core.presence = milliseconds{random().between(10, 1'000)};
  o.core.most_backoff = milliseconds{random().between(100, 1'000)};
  stored_.emplace(in_.calls(), o.core.service.attempts, asks.size() * o.core.service.in_flight);
  const auto at = endpoint_of(home().name());
  titanic_.emplace(in_, at, *stored_, o);
  programs_.push_back(&*titanic_);
  if (options_.spoil_titanic) {
    options_.spoil_titanic(*titanic_);
  }
  for (auto left = random().between(1, 4); left != 0; --left) {
    durable_process::options how;
    how.client.protocol = random().chance(50) ? version::v01 : version::v02;
    how.client.timeout = milliseconds{random().between(200, 2'500)};
    how.client.attempts = static_cast<unsigned>(random().between(1, 3));
    how.pace = milliseconds{random().between(20, 400)};
    how.requests = random().between(5, 30);
    add(durables_, "durable-client", at, *stored_, asks, how);
  }
}

// The disk becomes full, fails, or works again.
void scenario::disturb_disk() {
  switch (random().pick(3)) {
    case 0: titanic_->fill_disk(); break;
    case 1: titanic_->fail_disk(); break;
    case 2: titanic_->heal_disk(); break;
  }
}

// A worker ends as soon as it has answered its requests. Another one replaces it.
void scenario::send_one_home() {
  if (workers_.empty()) {
    return;
  }
  auto& one = *workers_[random().pick(workers_.size())];
  if (!one.begun()) {
    return;
  }
  in_.note("trouble: farewell of " + one.name(), {});
  one.leave();
  in_.after(in_.up_to(milliseconds{3'000}), [&one] {
    one.kill(false);
    one.start();
  });
}

void scenario::describe(std::size_t stock) {
  description_ = std::to_string(broker_count_) + " brokers, " + std::to_string(workers_.size()) +
                 " workers, " + std::to_string(stock_workers_.size()) + " stock workers, " +
                 std::to_string(callers_.size()) + " callers, " + std::to_string(stock) +
                 " stock clients";
  for (const auto& of : trades_) {
    description_ += ", " + of->name;
  }
  const std::array<std::pair<bool, const char*>, 11> named{{
      {farewells_, ", farewells"},
      {titanic_.has_value(), ", Titanic"},
      {bad_disk_, ", bad disk"},
      {kinds_.cuts, ", cuts"},
      {kinds_.half_open, ", half-open"},
      {kinds_.partitions, ", partitions"},
      {kinds_.pauses, ", pauses"},
      {kinds_.broker_pauses, ", broker pauses"},
      {kinds_.crashes, ", crashes"},
      {kinds_.broker_crashes, ", broker crashes"},
      {kinds_.broker_losses, ", a broker lost"},
  }};
  for (const auto& [is, what] : named) {
    description_ += is ? what : "";
  }
}

void scenario::pass(event_queue::duration time) { in_.run_for(time); }

void scenario::live() {
  for (auto* const one : programs_) {
    one->start();
  }
  auto& calls = in_.calls();
  calls.expect_calm(!kinds_.any() && !farewells_);
  const milliseconds lasting{random().between(2'000, 15'000)};
  fault_schedule_.emplace(in_, kinds_, programs_, broker_count_);
  if (farewells_) {
    fault_schedule_->also([this] { send_one_home(); });
  }
  if (bad_disk_) {
    fault_schedule_->also([this] { disturb_disk(); });
  }
  fault_schedule_->start(lasting, milliseconds{random().between(100, 2'000)});
  pass(lasting);
  fault_schedule_->stop();
  calls.expect_calm(false);
  if (titanic_) {
    titanic_->heal_disk();
  }
  for (const auto& one : durables_) {
    one->be_quiet();
  }
  for (const auto& one : workers_) {
    one->be_good();
  }
  for (const auto& one : stock_workers_) {
    one->be_good();
  }
  for (const auto& one : callers_) {
    one->be_quiet();
  }
  for (const auto& one : stock_clients_) {
    one->be_quiet();
  }
  pass(settling);
  calls.expect_calm(true);
}

// All is well: each client has an answer from each service.
void scenario::ask_once_more() {
  auto& calls = in_.calls();
  const auto hangs = std::any_of(trades_.begin(), trades_.end(),
                                 [](const auto& of) { return of->busy_timeout.has_value(); });
  for (const auto& one : brokers_) {
    if (!kinds_.deceptive() && !hangs && one->workers_expired() != 0) {
      calls.report(violation::expelled, "workers that had done nothing wrong, by " + one->name());
    }
  }
  for (const auto* const of : served_) {
    std::vector<std::uint32_t> asked;
    for (const auto& one : callers_) {
      asked.push_back(one->ask_patiently(*of));
    }
    for (const auto& one : stock_clients_) {
      asked.push_back(one->ask(*of));
    }
    static_cast<void>(in_.run_until(
        [&] {
          return std::all_of(asked.begin(), asked.end(),
                             [&](std::uint32_t call) { return calls.is_answered(call); });
        },
        answered_within));
    for (const auto call : asked) {
      calls.expect_answer(call);
    }
  }
  // Patient callers may still wait for lost messages.
  for (int i = 0; i < 15 && calls.open_calls() != 0; ++i) {
    pass(seconds{10});
  }
}

void scenario::take_leave() {
  auto& calls = in_.calls();
  calls.expect_calm(false);
  for (const auto& one : floods_) {
    const auto c = one->broker().status().counters;
    const auto silent = c.expired + c.exhausted + c.cut_short + c.oversized + c.declined +
                        c.failed + c.stopped + c.refused - c.errors;
    if (one->unanswered() > silent) {
      calls.report(violation::lost, std::to_string(one->unanswered()) + " calls of " + one->name());
    }
    one->leave();
  }
  calls.check_all_ended();
  if (const auto s = titanic_ ? titanic_->status() : std::nullopt; s && s->accepting) {
    stored_->check_rest(*s);
  } else if (titanic_) {
    calls.report(violation::stuck, "Titanic is not there");
  }
  for (const auto& one : durables_) {
    one->kill(false);
  }
  pass(seconds{1});
  check_brokers();
  for (const auto& one : callers_) {
    one->leave();
  }
  for (const auto& one : stock_clients_) {
    one->leave();
  }
  if (titanic_) {
    titanic_->leave();
  }
  for (const auto& one : workers_) {
    one->leave();
  }
  for (const auto& one : stock_workers_) {
    one->kill(false);
  }
  pass(leaving);
  check_brokers();
  for (const auto& one : brokers_) {
    if (!one->begun()) {
      continue;
    }
    if (const auto s = one->status(); s.peers + s.clients + s.workers != 0) {
      calls.report(violation::leaked, std::to_string(s.peers) + " peers, " +
                                          std::to_string(s.clients) + " clients and " +
                                          std::to_string(s.workers) + " workers are left at " +
                                          one->name());
    }
  }
}

void scenario::check_brokers() {
  for (const auto& one : brokers_) {
    if (one->begun()) {
      in_.calls().check_rest(one->name(), one->status());
    }
  }
}

scenario_result scenario::run() {
  choose_net();
  heartbeat_ = milliseconds{random().between(250, 1'000)};
  broker_count_ = random().chance(40) ? random().between(2, 3) : 1;
  broker_count_ = options_.brokers.value_or(broker_count_);
  kinds_ = options_.kinds.value_or(some_troubles());
  choose_trades();
  choose_brokers();
  choose_workers();
  choose_clients();
  const auto with_titanic = random().chance(40);
  if (options_.with_titanic.value_or(with_titanic)) {
    choose_titanic();
    bad_disk_ = !options_.kinds && random().chance(30);
  }
  farewells_ = !options_.kinds && random().chance(20);
  describe(stock_clients_.size() + floods_.size());
  auto& world = in_.net().here();
  auto& calls = in_.calls();
  const auto began = world.events.now();
  live();
  ask_once_more();
  take_leave();
  return {{.description = description_,
           .trace_hash = world.notes.hash(),
           .events = world.events.happened(),
           .virtual_time = world.events.now() - began,
           .figures = {{"calls", calls.calls()},
                       {"replies", calls.replies()},
                       {"runs again", calls.repetitions()},
                       {"kept by Titanic", stored_ ? stored_->stored_so_far() : 0},
                       {"troubles", fault_schedule_->made()}}},
          calls.findings()};
}

}  // namespace

scenario_result run_scenario(std::uint64_t seed, const scenario_options& options) {
  return scenario{seed, options}.run();
}

}  // namespace mdp::simulation
