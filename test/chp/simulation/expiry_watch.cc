#include "test/chp/simulation/expiry_watch.h"

#include <algorithm>
#include <chrono>

namespace chp::simulation {

namespace {

using namespace std::chrono_literals;

// Within a turn of a server, the clock moves.
constexpr auto turn = 1ms;

}  // namespace

// A server that is active already continues to count.
void expiry_watch::on_active(time_point now) {
  if (!is_active_) {
    is_active_ = true;
    since_ = now;
    seen_.clear();
  }
}

void expiry_watch::look(const lookup& has, bool on_both, time_point now) {
  if (!is_active_) {
    return;
  }
  for (const auto& each : history_->leases()) {
    if (has(each.key)) {
      seen_[each.which] = true;
      history_->on_present(each, host_);
      continue;
    }
    const auto before = seen_.find(each.which);
    if (before != seen_.end() && before->second) {
      before->second = false;
      check(each, now);
      if (on_both) {
        history_->on_expired(each, host_);
      }
    }
  }
}

void expiry_watch::check(const map_history::lease& of, time_point now) {
  const auto from = clock_.shown_at(std::max(of.began, since_));
  const auto passed = clock_.shown_at(now) - from;
  if (passed + turn < of.ttl) {
    using std::chrono::duration_cast, std::chrono::milliseconds;
    history_->report(violation::expired_early,
                     of.key + " on " + host_ + ", after " +
                         std::to_string(duration_cast<milliseconds>(passed).count()) + " of " +
                         std::to_string(duration_cast<milliseconds>(of.ttl).count()) + " ms");
  }
}

}  // namespace chp::simulation
