#include "test/simulation/disturbance.h"

#include <chrono>

namespace zmtp::simulation {

using std::chrono::milliseconds;

void disturbance::also_kill_connections(const deaths& how) {
  deaths_ = how;
  if (how.at_any_byte) {
    net_->on_stream([this](virtual_connection& s) { doom(s); });
  }
  also([this] { cut_one(); });
}

void disturbance::start(event_queue::duration lasting, event_queue::duration pace) {
  until_ = net_->now() + lasting;
  pace_ = pace;
  if (!ways_.empty()) {
    make_later();
  }
}

void disturbance::stop() {
  stopped_ = true;
  for (const auto& s : net_->living()) {
    s->spare();
  }
}

void disturbance::make_later() {
  net_->here().events.after(random().up_to(2 * pace_), [this] {
    if (!over()) {
      ++made_;
      ways_[random().pick(ways_.size())]();
      make_later();
    }
  });
}

void disturbance::doom(virtual_connection& s) {
  if (over() || !random().chance(deaths_.doomed)) {
    return;
  }
  const auto from = random().chance(50) ? end_of_stream::connecting : end_of_stream::accepting;
  const auto bytes = random().between(1, random().chance(50) ? 400 : deaths_.most_bytes);
  if (random().chance(50)) {
    s.cut_when_taken(from, bytes);
  } else {
    s.cut_when_arrived(from, bytes);
  }
  ++made_;
}

virtual_connection::learns_after disturbance::some_time_to_learn() {
  if (deaths_.half_open && random().chance(deaths_.at_any_byte ? 40 : 100)) {
    return std::nullopt;
  }
  return random().up_to(milliseconds{100});
}

void disturbance::cut_one() {
  const auto living = net_->living();
  if (living.empty()) {
    return;
  }
  const auto& s = living[random().pick(living.size())];
  net_->here().note("trouble: a cut", {s->id()});
  const auto connecting = some_time_to_learn();
  s->cut(connecting, some_time_to_learn());
}

}  // namespace zmtp::simulation
