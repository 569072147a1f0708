#include "test/zmtp/simulation/publication_check.h"

#include <algorithm>
#include <utility>

namespace zmtp::simulation {

bool publication_check::wants(const connection& c, std::string_view topic) {
  return std::any_of(c.given.begin(), c.given.end(),
                     [&](const auto& given) { return topic.starts_with(given); });
}

void publication_check::give(connection& to, std::string_view topic) {
  if (!to.given.emplace(topic).second || !how_.last_values) {
    return;
  }
  beginning added{.prefix = std::string{topic}, .since = last_};
  for (const auto& [of, value] : values_) {
    if (of.starts_with(topic)) {
      added.values.emplace(of, value);
      added.missing.insert(of);
    }
  }
  to.beginnings.push_back(std::move(added));
}

void publication_check::take_back(connection& from, std::string_view topic) {
  const auto known = from.given.find(topic);
  if (known == from.given.end()) {
    return;
  }
  for (auto& b : from.beginnings) {
    if (!b.until && b.prefix == topic) {
      b.until = last_;
    }
  }
  from.given.erase(known);
}

void publication_check::on_subscription(lane to, bool subscribe, std::string_view topic) {
  auto& c = owed_[to];
  if (subscribe) {
    c.asked.emplace(topic);
  } else if (const auto known = c.asked.find(topic); known != c.asked.end()) {
    c.asked.erase(known);
  }
  if (!how_.manual) {
    on_given(to, subscribe, topic);
  }
}

void publication_check::on_given(lane to, bool subscribe, std::string_view topic) {
  auto& c = owed_[to];
  if (subscribe) {
    give(c, topic);
  } else {
    take_back(c, topic);
  }
}

void publication_check::on_opened(lane to, bool durable) {
  auto& c = owed_[to];
  c.durable = c.durable || durable;
  if (how_.to_all) {
    c.given.emplace();
  }
}

void publication_check::on_closed(lane to) {
  owed_[to].given.clear();
  owed_[to].sequences.clear();
}

void publication_check::on_detached(lane to) {
  auto& c = owed_[to];
  c.asked.clear();
  if (how_.to_all && c.durable) {
    return;
  }
  while (!c.given.empty()) {
    take_back(c, std::string{*c.given.begin()});
  }
}

bool publication_check::on_told(lane to, peer_id peer, bool begins, std::string_view topic) {
  auto& known = how_.manual ? owed_[to].notified[peer] : known_;
  if (begins) {
    return known.emplace(topic).second;
  }
  const auto ended = known.find(topic);
  if (ended == known.end()) {
    return false;
  }
  known.erase(ended);
  return true;
}

bool publication_check::knows_all() const {
  if (how_.manual) {
    return std::all_of(owed_.begin(), owed_.end(), [](const auto& of) {
      topics all;
      for (const auto& [peer, known] : of.second.notified) {
        all.insert(known.begin(), known.end());
      }
      return all == of.second.asked;
    });
  }
  topics all;
  for (const auto& [to, c] : owed_) {
    all.insert(c.asked.begin(), c.asked.end());
  }
  return known_ == all;
}

bool publication_check::all_caught_up() const {
  return std::all_of(owed_.begin(), owed_.end(), [](const auto& of) {
    const auto& all = of.second.beginnings;
    return std::all_of(all.begin(), all.end(),
                       [](const beginning& b) { return b.until || b.missing.empty(); });
  });
}

void publication_check::on_published(std::uint32_t sequence, std::string_view topic) {
  last_ = sequence;
  for (auto& [to, c] : owed_) {
    if (wants(c, topic)) {
      c.sequences.push_back(sequence);
      ++total_;
    }
  }
  if (how_.last_values) {
    published_.emplace(topic);
    keep(sequence, topic);
  }
}

// Evicts the topic that has not changed for the longest time.
void publication_check::keep(std::uint32_t sequence, std::string_view topic) {
  values_.insert_or_assign(std::string{topic}, sequence);
  if (values_.size() <= *how_.last_values) {
    return;
  }
  const auto oldest = std::min_element(values_.begin(), values_.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
  for (auto& [to, c] : owed_) {
    for (auto& b : c.beginnings) {
      b.missing.erase(oldest->first);
    }
  }
  values_.erase(oldest);
}

publication_check::writing publication_check::on_written(lane to, std::uint32_t sequence,
                                                         std::string_view topic) {
  auto& c = owed_[to];
  for (auto& b : c.beginnings) {
    if (const auto value = b.values.find(topic);
        value != b.values.end() && sequence >= value->second) {
      b.missing.erase(value->first);
    }
  }
  auto& last = c.last_written[std::string{topic}];
  const auto before = std::exchange(last, std::max(last, sequence));
  const auto found = sequence < before ? writing::stale : writing::owed;
  const auto at = std::find(c.sequences.begin(), c.sequences.end(), sequence);
  if (at != c.sequences.end()) {
    missed_ += static_cast<std::size_t>(at - c.sequences.begin());
    c.sequences.erase(c.sequences.begin(), at + 1);
    return found;
  }
  if (!is_value_again(c, sequence, topic)) {
    return writing::not_owed;
  }
  ++total_;
  return found == writing::owed ? writing::again : found;
}

// Whether it may be the last value of its topic that came of a beginning; of each once. They are looked
// at in their order, so that those are used up first that have ended.
bool publication_check::is_value_again(connection& c, std::uint32_t sequence,
                                       std::string_view topic) {
  const auto of = std::find_if(c.beginnings.begin(), c.beginnings.end(), [&](const beginning& b) {
    const auto value = b.values.find(topic);
    const auto least = value != b.values.end() ? value->second : b.since + 1;
    return topic.starts_with(b.prefix) && sequence >= least && (!b.until || sequence <= *b.until) &&
           !b.written.contains(topic);
  });
  if (of == c.beginnings.end()) {
    return false;
  }
  of->written.emplace(topic);
  return true;
}

std::size_t publication_check::doubtful() const {
  std::size_t all = 0;
  for (const auto& [to, c] : owed_) {
    for (const auto& b : c.beginnings) {
      all += static_cast<std::size_t>(
          std::count_if(published_.begin(), published_.end(), [&](const auto& topic) {
            return topic.starts_with(b.prefix) && !b.written.contains(topic);
          }));
    }
  }
  return all;
}

}  // namespace zmtp::simulation
