#include "test/simulation/scenario.h"

#include "test/simulation/company.h"
#include "test/simulation/fault_schedule.h"
#include "test/simulation/pattern.h"

#include <chrono>
#include <optional>
#include <utility>

namespace zmtp::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class scenario {
public:
  scenario(std::uint64_t seed, const scenario_options& options);

  scenario_result run();

private:
  [[nodiscard]] random_source& random() noexcept { return company_.net().here().random; }
  [[nodiscard]] net_options some_net();
  [[nodiscard]] socket_options some_options();
  [[nodiscard]] xpub_options some_xpub();
  [[nodiscard]] habits some_habits();
  [[nodiscard]] troubles some_troubles();
  void choose();
  void connect();
  void converse();

  scenario_options options_;
  company company_;
  pattern pattern_{};
  troubles troubles_;
  bool byte_marks_ = false;
  std::optional<fault_schedule> fault_schedule_;
  std::string description_;
};

scenario::scenario(std::uint64_t seed, const scenario_options& options)
    : options_{options}, company_{seed, options.print} {}

net_options scenario::some_net() {
  net_options how;
  how.most_delay = milliseconds{random().between(1, 50)};
  how.jitter = random().chance(50) ? milliseconds{random().between(1, 20)} : milliseconds{0};
  how.most_window = random().between(16, 128) * 1024;
  how.least_window = random().chance(30) ? 512 : how.most_window;
  how.cuts = random().chance(70);
  how.failing_connects = random().chance(30) ? 30 : 0;
  return how;
}

socket_options scenario::some_options() {
  socket_options o;
  o.send_mark.messages = random().between(1, 20);
  o.receive_mark.messages = random().between(1, 20);
  if (byte_marks_) {
    o.send_mark.bytes = random().between(100, 5000);
    o.receive_mark.bytes = random().between(100, 5000);
  }
  o.relaxed = o.correlate = random().chance(50);
  o.no_drop = random().chance(50);
  o.handover = random().chance(50);
  o.reconnect.initial = milliseconds{random().between(10, 100)};
  return o;
}

xpub_options scenario::some_xpub() {
  xpub_options o;
  o.manual = random().chance(40);
  if (random().chance(50)) {
    o.last_values.emplace();
    o.last_values->topics = random().chance(50) ? 3 : 1000;
  }
  return o;
}

habits scenario::some_habits() {
  habits h;
  h.messages = random().between(5, 60);
  h.burst = random().between(1, 15);
  h.eager = random().chance(60);
  h.appetite = random().chance(50) ? 1000 : random().between(1, 5);
  h.pace = milliseconds{random().between(5, 200)};
  h.sizes.large = byte_marks_ ? 0 : 3;
  return h;
}

troubles scenario::some_troubles() {
  if (options_.no_troubles || random().chance(20)) {
    return {};
  }
  return {.cuts = random().chance(60),
          .half_open = random().chance(30),
          .pauses = random().chance(30),
          .disconnects = random().chance(20),
          .moves = random().chance(15),
          .outages = random().chance(20)};
}

void scenario::choose() {
  company_.net().options() = some_net();
  const auto which = random().pick(patterns.size());
  pattern_ = patterns[options_.pattern.value_or(which)];
  byte_marks_ = random().chance(40);
  troubles_ = some_troubles();
  const auto spokes = random().between(1, most_spokes(pattern_));
  const auto changes = random().chance(50) ? 3U : 0U;
  for (std::uint32_t number = 1; number <= spokes + 1; ++number) {
    const auto is_hub = number == 1;
    casting part{.type = is_hub ? pattern_.hub : pattern_.spokes,
                 .peers = is_hub ? pattern_.spokes : pattern_.hub,
                 .options = some_options(),
                 .how = some_habits(),
                 .topic_changes = changes};
    if (part.type == socket_type::xpub) {
      part.options.xpub = some_xpub();
    }
    if (random().chance(70)) {
      part.options.routing_id = "party " + std::to_string(number);
    }
    if (options_.adjust) {
      options_.adjust(part);
    }
    auto& added = company_.add(std::move(part));
    if (options_.prepare) {
      options_.prepare(added);
    }
  }
  description_ = std::string{to_string(pattern_.hub)} + " with " + std::to_string(spokes) + " " +
                 std::string{to_string(pattern_.spokes)} + (troubles_.cuts ? ", cuts" : "") +
                 (troubles_.half_open ? ", half-open" : "") + (troubles_.pauses ? ", pauses" : "") +
                 (troubles_.disconnects ? ", disconnects" : "") +
                 (troubles_.moves ? ", moves" : "") + (troubles_.outages ? ", outages" : "") +
                 (byte_marks_ ? ", marks in bytes" : "");
}

// The hub binds, or the spokes do, or some of each.
void scenario::connect() {
  const auto& parties = company_.parties();
  const auto hub_binds = random().pick(3);
  for (std::size_t i = 1; i < parties.size(); ++i) {
    const auto binds = hub_binds == 2 ? random().chance(50) : hub_binds == 1;
    auto& binder = *parties[binds ? 0 : i];
    auto& connector = *parties[binds ? i : 0];
    const auto late =
        random().chance(30) ? milliseconds{random().between(1, 300)} : milliseconds{0};
    company_.introduce(connector, binder, late);
  }
}

void scenario::converse() {
  fault_schedule_.emplace(company_.net(), troubles_, company_.endpoints());
  if (!troubles_.lossy()) {
    company_.books().expect_all();
  }
  for (const auto& p : company_.parties()) {
    p->start();
  }
  const seconds lasting{random().between(1, 10)};
  fault_schedule_->start(lasting, milliseconds{random().between(20, 500)});
  company_.come_to_rest("while they talk");
  fault_schedule_->stop();
  company_.net().options().failing_connects = 0;
  company_.come_to_rest("when all is well again");
  company_.check_rest("when all is well again", troubles_.lossy());
}

scenario_result scenario::run() {
  choose();
  auto& world = company_.net().here();
  const auto& books = company_.books();
  const auto began = world.events.now();
  connect();
  converse();
  if (books.findings().empty()) {
    company_.say_more();
  }
  company_.take_leave();
  return {{.description = description_,
           .trace_hash = world.notes.hash(),
           .events = world.events.happened(),
           .virtual_time = world.events.now() - began,
           .figures = {{"parcels", books.parcels_received()},
                       {"bytes", books.bytes_written()},
                       {"troubles", fault_schedule_->made()}}},
          books.findings()};
}

}  // namespace

scenario_result run_scenario(std::uint64_t seed, const scenario_options& options) {
  return scenario{seed, options}.run();
}

}  // namespace zmtp::simulation
