#include "test/mdp/simulation/scenario.h"

#include "test/mdp/simulation/fault_schedule.h"
#include "test/mdp/simulation/programs.h"
#include "test/mdp/simulation/rest_checks.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

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
  [[nodiscard]] history& calls() noexcept { return in_.calls(); }
  void choose_net();
  void live();
  void ask_once_more();
  void take_leave();

  const scenario_options& options_;
  setting in_;
  troubles kinds_;
  programs programs_;
  std::optional<fault_schedule> faults_;
};

void scenario::choose_net() {
  auto& how = in_.net().options();
  how.most_delay = milliseconds{random().between(1, 20)};
  how.jitter = random().chance(50) ? milliseconds{random().between(1, 10)} : milliseconds{0};
  how.most_window = random().between(16, 128) * 1024;
  how.least_window = random().chance(20) ? 1024 : how.most_window;
  how.cuts = random().chance(70);
}

void scenario::live() {
  for (auto* const one : programs_.all) {
    one->start();
  }
  const milliseconds lasting{random().between(2'000, 15'000)};
  faults_.emplace(in_, kinds_, programs_);
  faults_->start(lasting, milliseconds{random().between(100, 2'000)});
  in_.run_for(lasting);
  faults_->stop();
  for (const auto& one : programs_.durables) {
    one->be_quiet();
  }
  for (const auto& one : programs_.workers) {
    one->be_good();
  }
  for (const auto& one : programs_.stock_workers) {
    one->be_good();
  }
  for (const auto& one : programs_.callers) {
    one->be_quiet();
  }
  for (const auto& one : programs_.stock_clients) {
    one->be_quiet();
  }
  in_.run_for(settling);
}

// All is well: each client has an answer from each service.
void scenario::ask_once_more() {
  const auto hangs = std::any_of(programs_.trades.begin(), programs_.trades.end(),
                                 [](const auto& of) { return of->busy_timeout.has_value(); });
  if (!kinds_.deceptive() && !hangs) {
    check_no_worker_expired(programs_, calls());
  }
  for (const auto* const of : programs_.served) {
    std::vector<std::uint32_t> asked;
    for (const auto& one : programs_.callers) {
      asked.push_back(one->ask_patiently(*of));
    }
    for (const auto& one : programs_.stock_clients) {
      asked.push_back(one->ask(*of));
    }
    static_cast<void>(in_.run_until(
        [&] {
          return std::all_of(asked.begin(), asked.end(),
                             [&](std::uint32_t call) { return calls().is_answered(call); });
        },
        answered_within));
    for (const auto call : asked) {
      calls().expect_answer(call);
    }
  }
  // Patient callers may still wait for lost messages.
  for (int i = 0; i < 15 && calls().open_calls() != 0; ++i) {
    in_.run_for(seconds{10});
  }
}

void scenario::take_leave() {
  check_floods(programs_, calls());
  for (const auto& one : programs_.floods) {
    one->leave();
  }
  calls().check_all_ended();
  check_titanic(programs_, calls());
  for (const auto& one : programs_.durables) {
    one->kill(false);
  }
  in_.run_for(seconds{1});
  check_brokers(programs_, calls());
  for (const auto& one : programs_.callers) {
    one->leave();
  }
  for (const auto& one : programs_.stock_clients) {
    one->leave();
  }
  if (programs_.titanic) {
    programs_.titanic->leave();
  }
  for (const auto& one : programs_.workers) {
    one->leave();
  }
  for (const auto& one : programs_.stock_workers) {
    one->kill(false);
  }
  in_.run_for(leaving);
  check_brokers(programs_, calls());
  check_nobody_is_left(programs_, calls());
}

scenario_result scenario::run() {
  choose_net();
  program_settings how;
  how.heartbeat = milliseconds{random().between(250, 1'000)};
  how.brokers = random().chance(40) ? random().between(2, 3) : 1;
  how.brokers = options_.brokers.value_or(how.brokers);
  how.with_titanic = random().chance(40);
  how.with_titanic = options_.with_titanic.value_or(how.with_titanic);
  kinds_ = options_.kinds.value_or(some_troubles(random(), how.brokers > 1, how.with_titanic));
  how.loses_broker = kinds_.broker_losses;
  programs_ = choose_programs(in_, options_, how);
  auto& world = in_.net().here();
  const auto began = world.events.now();
  live();
  ask_once_more();
  take_leave();
  return {
      {.description = programs_.description() + description(kinds_),
       .trace_hash = world.notes.hash(),
       .events = world.events.happened(),
       .virtual_time = world.events.now() - began,
       .figures = {{"calls", calls().calls()},
                   {"replies", calls().replies()},
                   {"runs again", calls().repetitions()},
                   {"kept by Titanic", programs_.stored ? programs_.stored->stored_so_far() : 0},
                   {"troubles", faults_->made()}}},
      calls().findings()};
}

}  // namespace

scenario_result run_scenario(std::uint64_t seed, const scenario_options& options) {
  return scenario{seed, options}.run();
}

}  // namespace mdp::simulation
