#include "test/simulation/troublemaker.h"

#include <utility>

namespace zmtp::simulation {

using std::chrono::milliseconds;

troublemaker::troublemaker(sim_net& net, const troubles& kinds, std::vector<endpoint> endpoints)
    : net_{&net}, kinds_{kinds}, endpoints_{std::move(endpoints)} {}

event_queue::duration troublemaker::up_to(event_queue::duration most) {
  const auto ticks = static_cast<std::size_t>(most.count());
  return event_queue::duration{static_cast<std::int64_t>(net_->here().random.pick(ticks) + 1)};
}

void troublemaker::start(event_queue::duration lasting, event_queue::duration pace) {
  until_ = net_->now() + lasting;
  pace_ = pace;
  if (kinds_.cuts) {
    // Some are doomed to die at an octet that is chosen beforehand.
    net_->on_stream([this](virtual_stream& s) {
      auto& random = net_->here().random;
      if (stopped_ || net_->now() >= until_ || !random.chance(30)) {
        return;
      }
      const auto from = random.chance(50) ? end_of_stream::connecting : end_of_stream::accepting;
      const auto octets = random.between(1, random.chance(50) ? 400 : 40'000);
      if (random.chance(50)) {
        s.cut_when_taken(from, octets);
      } else {
        s.cut_when_arrived(from, octets);
      }
      ++made_;
    });
  }
  make_later();
}

void troublemaker::stop() {
  stopped_ = true;
  for (const auto& s : net_->living()) {
    s->spare();
  }
  for (const auto& e : endpoints_) {
    e.binds->host().resume();
    e.connects->host().resume();
  }
}

void troublemaker::make_later() {
  if (kinds_.none()) {
    return;
  }
  net_->here().events.after(up_to(2 * pace_), [this] {
    if (!stopped_ && net_->now() < until_) {
      make_one();
      make_later();
    }
  });
}

void troublemaker::make_one() {
  std::vector<void (troublemaker::*)()> ways;
  const auto add = [&](bool wanted, void (troublemaker::*way)()) {
    if (wanted) {
      ways.push_back(way);
    }
  };
  add(kinds_.cuts || kinds_.half_open, &troublemaker::cut_one);
  add(kinds_.pauses, &troublemaker::pause_one);
  add(kinds_.disconnects, &troublemaker::disconnect_one);
  add(kinds_.moves, &troublemaker::move_one);
  add(kinds_.outages, &troublemaker::take_away_one);
  ++made_;
  (this->*ways[net_->here().random.pick(ways.size())])();
}

virtual_stream::learns_after troublemaker::some_time_to_learn() {
  if (kinds_.half_open && net_->here().random.chance(kinds_.cuts ? 40 : 100)) {
    return std::nullopt;
  }
  return up_to(milliseconds{100});
}

void troublemaker::cut_one() {
  const auto living = net_->living();
  if (living.empty()) {
    return;
  }
  const auto& s = living[net_->here().random.pick(living.size())];
  const auto connecting = some_time_to_learn();
  s->cut(connecting, some_time_to_learn());
}

void troublemaker::pause_one() {
  const auto& e = endpoints_[net_->here().random.pick(endpoints_.size())];
  auto& host = net_->here().random.chance(50) ? e.binds->host() : e.connects->host();
  host.pause();
  net_->here().events.after(up_to(milliseconds{3000}), [&host] { host.resume(); });
}

void troublemaker::disconnect_one() {
  const auto& e = endpoints_[net_->here().random.pick(endpoints_.size())];
  auto* const s = net_->here().random.chance(50) ? e.binds : e.connects;
  std::vector<peer_id> attached;
  s->state().for_each_pipe([&](const pipe& p) {
    if (p.attached) {
      attached.push_back(p.id);
    }
  });
  if (!attached.empty()) {
    s->disconnect(attached[net_->here().random.pick(attached.size())]);
  }
}

void troublemaker::move_one() {
  const auto& e = endpoints_[net_->here().random.pick(endpoints_.size())];
  e.connects->disconnect(e.name);
  e.connects->connect(e.name);
}

void troublemaker::take_away_one() {
  const auto& e = endpoints_[net_->here().random.pick(endpoints_.size())];
  e.binds->unbind(e.name);
  net_->here().events.after(up_to(milliseconds{1000}), [&e] { e.binds->bind(e.name); });
}

}  // namespace zmtp::simulation
