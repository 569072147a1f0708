#include "zmtp/routing/subscriber_state.h"

#include <algorithm>
#include <utility>

namespace zmtp {

bool subscriber_state::subscribe(std::string_view topic) {
  if (const auto known = wishes_.find(topic); known != wishes_.end()) {
    ++known->second.count;
    return false;
  }
  wishes_.emplace(std::string{topic}, wish{.count = 1, .number = ++last_number_});
  tell(true, topic);
  return true;
}

bool subscriber_state::unsubscribe(std::string_view topic) {
  const auto known = wishes_.find(topic);
  if (known == wishes_.end() || --known->second.count != 0) {
    return false;
  }
  tell(false, topic);
  wishes_.erase(known);
  return true;
}

// A peer that attaches later receives topics().
void subscriber_state::tell(bool subscribe, std::string_view topic) {
  bool any = false;
  for_each_pipe([&](pipe& p) {
    if (p.attached) {
      touch(p);
      any = true;
    }
  });
  if (any) {
    untold_.add(subscribe, topic);
  }
}

std::vector<std::string_view> subscriber_state::topics() const {
  std::vector<std::pair<std::uint64_t, std::string_view>> in_order;
  in_order.reserve(wishes_.size());
  for (const auto& [topic, what] : wishes_) {
    in_order.emplace_back(what.number, topic);
  }
  std::sort(in_order.begin(), in_order.end());
  std::vector<std::string_view> all;
  all.reserve(in_order.size());
  for (const auto& [number, topic] : in_order) {
    all.push_back(topic);
  }
  return all;
}

}  // namespace zmtp
