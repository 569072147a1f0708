#include "test/zmtp/simulation/production_scenario.h"

#include "test/zmtp/simulation/cast.h"
#include "test/zmtp/simulation/fault_schedule.h"
#include "test/zmtp/simulation/history.h"
#include "test/zmtp/simulation/participant.h"
#include "test/zmtp/simulation/programs.h"
#include "zmtp/simulation/world.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class scenario {
public:
  scenario(std::uint64_t seed, const production_options& options);

  production_result run();

private:
  // Returns false if this takes too long.
  bool come_to_rest();
  [[nodiscard]] bool is_quiet();
  void report_unrest();
  void converse();
  void check_cut();
  [[nodiscard]] bool say_more();
  [[nodiscard]] bool publish_all();
  [[nodiscard]] bool subscribe_to_more();
  void leave();
  void check_counters();

  production_options options_;
  world world_;
  history history_;
  cast cast_;
  programs users_;
  fault_schedule faults_;
  first_connection first_;
  bool lossy_ = false;
  std::set<std::uint32_t> excused_;  // wait for answers that may be lost
  std::size_t taken_ = 0;
};

scenario::scenario(std::uint64_t seed, const production_options& options)
    : options_{options},
      world_{seed},
      history_{world_.net()},
      cast_{world_, options_, history_},
      users_{world_, cast_.all(), history_, options_.fault},
      faults_{world_, cast_.all(), cast_.kinds(), users_, history_} {
  world_.net().here().notes.print_to(options.print);
  if (options_.fault.written) {
    history_.wires().spoil(options_.fault.written);
  }
  if (options_.cut) {
    world_.net().on_stream([this](virtual_connection& s) { first_.plan(s, *options_.cut); });
  }
  lossy_ = cast_.lossy() || (options_.cut && options_.cut->bytes != 0);
}

// Each participant has sent everything, and nothing is on its way.
bool scenario::is_quiet() {
  return history_.missing() == 0 &&
         std::all_of(cast_.all().begin(), cast_.all().end(), [this](const auto& p) {
           const bool sent = !begins(p->type, p->peers) || p->to_send + p->due == 0 ||
                             (p->waits && (lossy_ || excused_.contains(p->number)));
           return sent && p->socket != nullptr && history_.is_settled(p->number, p->connections);
         });
}

bool scenario::come_to_rest() {
  constexpr milliseconds step{100};
  constexpr int enough = 5;  // a user sleeps for less
  const auto until = world_.now() + std::chrono::minutes{5};
  auto count = history_.count();
  for (int quiet = 0; quiet != enough;) {
    world_.run_for(step);
    const bool same = std::exchange(count, history_.count()) == history_.count();
    quiet = same && is_quiet() ? quiet + 1 : 0;
    if (world_.now() > until || !history_.findings().empty()) {
      report_unrest();
      return false;
    }
  }
  for (const auto& p : cast_.all()) {
    history_.check_rest(p->number, p->connections);
  }
  return history_.findings().empty();
}

void scenario::report_unrest() {
  for (const auto& p : cast_.all()) {
    if (begins(p->type, p->peers) && p->to_send + p->due != 0) {
      history_.report(violation::stuck, p->name() + " (" + std::string{to_string(p->type)} +
                                            ") has " + std::to_string(p->to_send + p->due) +
                                            " to send");
    }
    if (p->socket != nullptr) {
      history_.check_rest(p->number, p->connections);
    }
  }
}

void scenario::converse() {
  if (!lossy_) {
    history_.expect_all();
  }
  for (const auto& p : cast_.all()) {
    users_.start(*p);
  }
  if (options_.cut) {
    return;
  }
  const seconds lasting{world_.random().between(1, 10)};
  faults_.start(lasting, milliseconds{world_.random().between(20, 500)});
  world_.run_for(lasting);
  faults_.stop();
  world_.net().options().failing_connects = 0;
  world_.run_for(seconds{2});  // listeners are back
}

// A socket that connects keeps the messages of a lost connection that the kernel has not taken.
void scenario::check_cut() {
  const auto& all = cast_.all();
  const auto connecting =
      std::find_if(all.begin(), all.end(), [](const auto& p) { return !p->connects_to.empty(); });
  const auto type = (*connecting)->type;
  if (type != socket_type::push && type != socket_type::dealer && type != socket_type::pair) {
    return;
  }
  const auto number = (*connecting)->number;
  const auto lost = history_.bytes_lost(number);
  const auto& out = *history_.wires().written_by(number, first_.id());
  const auto under_way = out.put - out.read;
  if (lost > under_way) {
    history_.report(violation::lost, std::to_string(lost) + " bytes of messages, of " +
                                         std::to_string(under_way) + " that may be");
  }
}

// From here on nothing may be lost.
bool scenario::say_more() {
  history_.expect_all();
  users_.settle_down();
  for (const auto& p : cast_.all()) {
    if (p->waits) {
      excused_.insert(p->number);
    }
  }
  lossy_ = false;
  for (const auto& p : cast_.all()) {
    if (begins(p->type, p->peers) && !publishes(p->type) && !excused_.contains(p->number)) {
      p->to_send += p->type == socket_type::xsub ? 1 : 3;
    }
  }
  return come_to_rest() && publish_all() && subscribe_to_more();
}

// Every subscriber must receive everything that it subscribed to, and nothing else.
bool scenario::publish_all() {
  const auto& all = cast_.all();
  if (!publishes(cast_.types().hub) && !publishes(cast_.types().spokes)) {
    return true;
  }
  for (const auto topic : published_topics) {
    for (const auto& p : all) {
      if (publishes(p->type)) {
        p->next_topics.emplace_back(topic);
        p->to_send = 1;
      }
    }
    if (!come_to_rest()) {
      return false;
    }
    for (const auto& p : all) {
      for (const auto& s : all) {
        if (publishes(p->type) && subscribes(s->type) && !users_.is_due(*s, *p, topic) &&
            history_.times_received(s->number, p->number, history_.last_of(p->number)) != 0) {
          history_.report(violation::not_wanted, s->name() + " and what " + p->name() +
                                                     " publishes under \"" + std::string{topic} +
                                                     "\"");
        }
      }
    }
  }
  return true;
}

// A peer that subscribes to a topic gets the last values of all topics with this prefix, even if it
// had received them before. No other peer gets them, and this peer gets nothing else.
bool scenario::subscribe_to_more() {
  // By subscriber, publisher and value.
  std::map<std::array<std::uint32_t, 3>, std::size_t> expected;
  for (const auto& s : cast_.all()) {
    if (!subscribes(s->type)) {
      continue;
    }
    const auto& topics = history_.topics_of(s->number);
    const auto* const topic = std::find_if(wanted_topics.begin(), wanted_topics.end(),
                                           [&](auto t) { return !topics.contains(t); });
    if (topic == wanted_topics.end()) {
      continue;
    }
    for (const auto& p : cast_.all()) {
      if (!publishes(p->type)) {
        continue;
      }
      const auto given = granted(*p, *topic);
      for (const auto& [of, value] : history_.publications_of(p->number).values()) {
        expected[{s->number, p->number, value}] =
            history_.times_received(s->number, p->number, value) +
            (given && of.starts_with(*given) ? 1 : 0);
      }
    }
    users_.subscribe(*s, *topic);
  }
  if (!come_to_rest()) {
    return false;
  }
  for (const auto& [value, times] : expected) {
    const auto received = history_.times_received(value[0], value[1], value[2]);
    if (received != times) {
      history_.report(received < times ? violation::lost : violation::duplicate,
                      "participant " + std::to_string(value[0]) + " and last value " +
                          std::to_string(value[2]) + " of participant " + std::to_string(value[1]));
    }
  }
  return true;
}

void scenario::check_counters() {
  for (const auto& p : cast_.all()) {
    auto counters = p->socket->counters();
    if (options_.fault.counted) {
      options_.fault.counted(*p, counters);
    }
    history_.check_counters(p->number, counters);
  }
}

void scenario::leave() {
  check_counters();
  for (const auto& p : cast_.all()) {
    users_.leave(*p);
  }
  // The slowest finds out when its peer's keep-alive timer has run out.
  world_.run_for(seconds{2} + virtual_connection::keep_alive);
  for (const auto& p : cast_.all()) {
    history_.check_gone(p->number);
  }
  check_counters();
}

production_result scenario::run() {
  const auto began = world_.now();
  converse();
  bool well = come_to_rest();
  if (options_.cut) {
    taken_ = first_.taken(options_.cut->from);
    first_.spare();
    if (well) {
      check_cut();
    }
  }
  well = well && say_more();
  history_.close();
  if (well) {
    leave();
  }
  auto& here = world_.net().here();
  here.note("received", {history_.count()});
  return {{.description = cast_.description(),
           .trace_hash = here.notes.hash(),
           .events = here.events.happened(),
           .virtual_time = world_.now() - began,
           .figures = {{"parcels", history_.count()},
                       {"bytes", history_.wires().bytes()},
                       {"troubles", faults_.made()},
                       {"cut", options_.cut && first_.is_cut() ? 1U : 0U},
                       {"taken", taken_}}},
          history_.findings()};
}

}  // namespace

production_result run_production(std::uint64_t seed, const production_options& options) {
  return scenario{seed, options}.run();
}

}  // namespace zmtp::simulation
