#include "zmtp/routing/subscriber_state.h"

namespace zmtp {

bool subscriber_state::subscribe(std::string_view topic) {
  if (const auto known = counts_.find(topic); known != counts_.end()) {
    ++known->second;
    return false;
  }
  counts_.emplace(std::string{topic}, 1);
  tell(true, topic);
  return true;
}

bool subscriber_state::unsubscribe(std::string_view topic) {
  const auto known = counts_.find(topic);
  if (known == counts_.end() || --known->second != 0) {
    return false;
  }
  tell(false, topic);
  counts_.erase(known);
  return true;
}

// Who attaches later is told topics().
void subscriber_state::tell(bool subscribe, std::string_view topic) {
  bool any = false;
  for_each_pipe([&](pipe& p) {
    if (p.attached) {
      touch(p);
      any = true;
    }
  });
  if (any) {
    untold_.push_back({subscribe, std::string{topic}});
  }
}

std::vector<std::string_view> subscriber_state::topics() const {
  std::vector<std::string_view> all;
  all.reserve(counts_.size());
  for (const auto& [topic, count] : counts_) {
    all.push_back(topic);
  }
  return all;
}

}  // namespace zmtp
