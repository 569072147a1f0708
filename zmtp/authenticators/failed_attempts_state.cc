#include "zmtp/authenticators/failed_attempts_state.h"

#include <algorithm>

namespace zmtp {

bool failed_attempts_state::blocked(const std::string& address, time_point now) const {
  const auto found = forgotten_at_.find(address);
  return found != forgotten_at_.end() &&
         found->second > now + limits_.recovery * (limits_.failures - 1);
}

void failed_attempts_state::note(const std::string& address, time_point now) {
  if (!forgotten_at_.contains(address)) {
    make_room(now);
  }
  auto& at = forgotten_at_[address];
  at = std::max(at, now) + limits_.recovery;
}

void failed_attempts_state::make_room(time_point now) {
  if (forgotten_at_.size() < limits_.addresses) {
    return;
  }
  std::erase_if(forgotten_at_, [now](const auto& entry) { return entry.second <= now; });
  if (forgotten_at_.size() >= limits_.addresses) {
    forgotten_at_.erase(std::ranges::min_element(forgotten_at_, {},
                                                 [](const auto& entry) { return entry.second; }));
  }
}

}  // namespace zmtp
