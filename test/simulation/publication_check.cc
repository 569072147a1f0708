#include "test/simulation/publication_check.h"

#include <algorithm>

namespace zmtp::simulation {

bool publication_check::wants(const connection& c, std::string_view topic) {
  return std::any_of(c.topics.begin(), c.topics.end(),
                     [&](const auto& wanted) { return topic.starts_with(wanted); });
}

void publication_check::on_subscription(peer_id pipe, bool subscribe, std::string_view topic) {
  auto& topics = owed_[pipe].topics;
  if (subscribe) {
    topics.emplace(topic);
  } else if (const auto known = topics.find(topic); known != topics.end()) {
    topics.erase(known);
  }
}

bool publication_check::on_told(bool begins, std::string_view topic) {
  if (begins) {
    return known_.emplace(topic).second;
  }
  const auto known = known_.find(topic);
  if (known == known_.end()) {
    return false;
  }
  known_.erase(known);
  return true;
}

bool publication_check::knows_all() const {
  std::set<std::string, std::less<>> all;
  for (const auto& [pipe, c] : owed_) {
    all.insert(c.topics.begin(), c.topics.end());
  }
  return known_ == all;
}

void publication_check::on_published(std::uint32_t sequence, std::string_view topic) {
  for (auto& [pipe, c] : owed_) {
    if (wants(c, topic)) {
      c.sequences.push_back(sequence);
      ++total_;
    }
  }
}

bool publication_check::on_written(peer_id pipe, std::uint32_t sequence) {
  auto& sequences = owed_[pipe].sequences;
  const auto at = std::find(sequences.begin(), sequences.end(), sequence);
  if (at == sequences.end()) {
    return false;
  }
  missed_ += static_cast<std::size_t>(at - sequences.begin());
  sequences.erase(sequences.begin(), at + 1);
  return true;
}

}  // namespace zmtp::simulation
