#include "zmtp/simulation/event_queue.h"

#include <algorithm>
#include <utility>

namespace zmtp::simulation {

event_queue::ticket event_queue::at(time_point when, action act) {
  const ticket which{std::max(when, now_), ++last_};
  planned_.emplace(which, std::move(act));
  return which;
}

void event_queue::run_next() {
  auto next = planned_.extract(planned_.begin());
  now_ = std::max(now_, next.key().first);
  ++happened_;
  next.mapped()();
}

void event_queue::run_until(time_point until) {
  while (!planned_.empty() && planned_.begin()->first.first <= until) {
    run_next();
  }
  now_ = std::max(now_, until);
}

}  // namespace zmtp::simulation
