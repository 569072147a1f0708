#include "zmtp/simulation/world.h"

#include <utility>

namespace zmtp::simulation {

namespace {

// The longest time that a handler takes.
constexpr std::chrono::microseconds longest_handler{20};

}  // namespace

world::world(std::uint64_t seed, const net_options& options) : net_{seed, options} {}

process& world::add(std::string host) {
  return *processes_.emplace_back(std::make_unique<process>(net_, std::move(host)));
}

bool world::step() {
  auto& events = net_.here().events;
  if (!events.empty() && events.next() <= events.now()) {
    events.run_next();
    return true;
  }
  const auto count = processes_.size();
  const auto first = count == 0 ? 0 : random().pick(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (processes_[(first + i) % count]->run_one()) {
      events.advance(random().up_to(longest_handler));
      return true;
    }
  }
  if (events.empty()) {
    return false;
  }
  events.run_next();
  return true;
}

void world::run_for(duration time) {
  bool over = false;
  after(time, [&over] { over = true; });
  while (!over) {
    (void)step();
  }
}

bool world::run_until(const std::function<bool()>& done, duration limit) {
  const auto over = std::make_shared<bool>(false);
  after(limit, [over] { *over = true; });
  while (!done()) {
    if (*over) {
      return false;
    }
    (void)step();
  }
  return true;
}

}  // namespace zmtp::simulation
