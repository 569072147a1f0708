#include "test/zmtp/simulation/production_scenario.h"

#include "test/zmtp/simulation/fault_schedule.h"
#include "test/zmtp/simulation/history.h"
#include "test/zmtp/simulation/participant.h"
#include "test/zmtp/simulation/programs.h"
#include "zmtp/simulation/world.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>

namespace zmtp::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::array patterns = {
    pair_of_types{socket_type::push, socket_type::pull},
    pair_of_types{socket_type::pull, socket_type::push},
    pair_of_types{socket_type::dealer, socket_type::dealer},
    pair_of_types{socket_type::router, socket_type::dealer},
    pair_of_types{socket_type::router, socket_type::req},
    pair_of_types{socket_type::rep, socket_type::req},
    pair_of_types{socket_type::rep, socket_type::dealer},
    pair_of_types{socket_type::pair, socket_type::pair},
    pair_of_types{socket_type::pub, socket_type::sub},
    pair_of_types{socket_type::sub, socket_type::pub},
    pair_of_types{socket_type::xpub, socket_type::sub},
};

class scenario {
public:
  scenario(std::uint64_t seed, const production_options& options);

  production_result run();

private:
  void choose();
  void come_to_rest();
  void check_cut();

  production_options options_;
  world world_;
  pair_of_types types_{};
  troubles troubles_;
  participants all_;
  std::optional<history> history_;
  first_connection first_;
  std::string description_;
};

net_options some_net() {
  net_options how;
  how.cuts = true;
  how.jitter = milliseconds{2};
  how.least_window = 512;
  return how;
}

scenario::scenario(std::uint64_t seed, const production_options& options)
    : options_{options}, world_{seed, some_net()} {
  world_.net().here().notes.print_to(options.print);
  if (options_.cut) {
    world_.net().observe(&first_);
    world_.net().on_stream([this](virtual_connection& s) { first_.plan(s, *options_.cut); });
  }
}

void scenario::choose() {
  auto& random = world_.random();
  types_ = patterns[options_.pattern.value_or(random.pick(patterns.size()))];
  if (!options_.no_troubles && !options_.cut && random.chance(80)) {
    troubles_ = {.cuts = random.chance(60),
                 .kills = random.chance(40),
                 .pauses = random.chance(40),
                 .parts = random.chance(30)};
  }
  history_.emplace(publishes(types_.hub) || publishes(types_.spokes));
  const auto spokes = types_.hub == socket_type::pair || options_.cut ? 1 : random.between(1, 6);
  const bool hub_binds = options_.cut ? options_.hub_binds : random.chance(50);
  for (std::uint32_t number = 1; number <= spokes + 1; ++number) {
    auto& p = *all_.emplace_back(std::make_unique<participant>());
    p.number = number;
    p.in = &world_.add("host" + std::to_string(number));
    p.type = number == 1 ? types_.hub : types_.spokes;
    p.binds = (number == 1) == hub_binds;
    p.options.send_mark.messages = random.between(1, 20);
    p.options.receive_mark.messages = random.between(1, 20);
    p.options.relaxed = p.options.correlate = p.type == socket_type::req;
    p.options.no_drop = publishes(p.type);
    p.options.mandatory = p.type == socket_type::router;
    p.options.reconnect.initial = milliseconds{random.between(10, 100)};
    p.options.heartbeat.interval = seconds{1};
    p.options.heartbeat.timeout = seconds{1};
    p.pace = milliseconds{random.between(1, 50)};
    p.to_send = options_.cut ? 12 : random.between(5, 100);
  }
  for (std::uint32_t i = 1; i < all_.size(); ++i) {
    auto& connects = *all_[hub_binds ? i : 0];
    connects.connects_to.push_back("tcp://" + all_[hub_binds ? 0 : i]->in->host() + ":5555");
  }
  description_ = std::string{to_string(types_.hub)} + " with " + std::to_string(spokes) + " " +
                 std::string{to_string(types_.spokes)} + (hub_binds ? ", the hub binds" : "") +
                 to_string(troubles_);
}

// Waits until each participant has sent all its parcels, and those that must arrive have arrived.
void scenario::come_to_rest() {
  const auto done = [this] {
    return history_->missing() == 0 && std::all_of(all_.begin(), all_.end(), [](const auto& p) {
             return !begins(p->type) || p->to_send + p->due == 0;
           });
  };
  (void)world_.run_until(done, std::chrono::minutes{5});
  for (const auto& p : all_) {
    if (begins(p->type) && p->to_send + p->due != 0) {
      history_->report(violation::stuck, std::string{to_string(p->type)} + " " +
                                             std::to_string(p->number) + " has " +
                                             std::to_string(p->to_send + p->due) + " to send");
    }
  }
}

// A socket that connects keeps the messages of a lost connection that the kernel has not taken.
void scenario::check_cut() {
  const auto connecting =
      std::find_if(all_.begin(), all_.end(), [](const auto& p) { return !p->connects_to.empty(); });
  const auto type = (*connecting)->type;
  if (type != socket_type::push && type != socket_type::dealer && type != socket_type::pair) {
    return;
  }
  const auto lost = history_->bytes_lost((*connecting)->number);
  if (lost > first_.lost()) {
    history_->report(violation::lost, std::to_string(lost) + " bytes of messages, of " +
                                          std::to_string(first_.lost()) + " that may be");
  }
}

production_result scenario::run() {
  choose();
  const auto receivers = types_.hub == socket_type::pub || types_.hub == socket_type::xpub
                             ? all_.size() - 1
                             : std::size_t{1};
  const bool cut = options_.cut && options_.cut->bytes != 0;
  if (!troubles_.lossy() && !troubles_.parts && !cut) {
    history_->expect_all(receivers);
  }
  const auto began = world_.now();
  programs users{world_, all_, types_, *history_, options_.edit};
  for (const auto& p : all_) {
    users.start(*p);
  }
  fault_schedule faults{world_, all_, troubles_, [&](participant& killed) {
                          history_->restarted(killed.number);
                          users.start(killed);
                        }};
  faults.start();
  world_.run_for(seconds{world_.random().between(1, 10)});
  faults.stop();
  world_.run_for(seconds{10});  // pauses end, and sockets connect again
  come_to_rest();
  std::size_t bytes = 0;
  if (options_.cut) {
    first_.spare();
    bytes = first_.taken(options_.cut->from);
    check_cut();
  }
  history_->expect_all(receivers);
  for (const auto& p : all_) {
    p->to_send = 3;
  }
  come_to_rest();
  history_->close();
  world_.net().here().note("received", {history_->count()});
  return {{.description = description_,
           .trace_hash = world_.net().here().notes.hash(),
           .events = world_.net().here().events.happened(),
           .virtual_time = world_.now() - began,
           .figures = {{"parcels", history_->count()},
                       {"troubles", faults.made()},
                       {"cut", options_.cut && first_.is_cut() ? 1U : 0U},
                       {"bytes", bytes}}},
          history_->findings()};
}

}  // namespace

std::size_t production_patterns() noexcept { return patterns.size(); }

production_result run_production(std::uint64_t seed, const production_options& options) {
  return scenario{seed, options}.run();
}

}  // namespace zmtp::simulation
