#include "zmtp/routing/sub_state.h"

#include <utility>

namespace zmtp {

namespace {

// The index is of one peer's wishes here: our own.
constexpr subscription_index::slot self = 0;

}  // namespace

bool sub_state::subscribe(std::string_view topic) {
  if (const auto known = counts_.find(topic); known != counts_.end()) {
    ++known->second;
    return false;
  }
  counts_.emplace(std::string{topic}, 1);
  wanted_.subscribe(self, topic);
  return true;
}

bool sub_state::unsubscribe(std::string_view topic) {
  const auto known = counts_.find(topic);
  if (known == counts_.end() || --known->second != 0) {
    return false;
  }
  counts_.erase(known);
  wanted_.cancel(self, topic);
  return true;
}

std::vector<std::string_view> sub_state::topics() const {
  std::vector<std::string_view> all;
  all.reserve(counts_.size());
  for (const auto& [topic, count] : counts_) {
    all.push_back(topic);
  }
  return all;
}

bool sub_state::receive(message& to) {
  while (socket_state::receive(to)) {
    if (wanted_.matches(to.front())) {
      return true;
    }
    drop_received();
  }
  return false;
}

}  // namespace zmtp
