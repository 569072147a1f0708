#include "mdp/titanic/request_table.h"

#include <algorithm>

namespace mdp::titanic {

void request_table::recover(const std::vector<stored_request>& slots) {
  slots_.resize(slots.size());
  by_id_.reserve(slots.size());
  for (const auto& kept : slots) {
    if (kept.accepted == 0) {
      empty_.push_back(kept.number);
      continue;
    }
    auto& one = at(kept.number);
    one.id = kept.id;
    one.accepted = kept.accepted;
    one.attempts = kept.attempts;
    by_id_.emplace(kept.id, kept.number);
    last_accepted_ = std::max(last_accepted_, kept.accepted);
    switch (kept.state) {
      case outcome::pending: break;
      case outcome::answered: one.at = request_phase::answered; break;
      case outcome::given_up: one.at = request_phase::given_up; break;
    }
  }
  // add() takes the last one, so that the lowest number is used first.
  std::reverse(empty_.begin(), empty_.end());
}

request_slot* request_table::find(std::uint64_t number, std::uint64_t accepted, request_phase in) {
  auto& one = at(number);
  return one.accepted == accepted && one.at == in ? &one : nullptr;
}

request_slot* request_table::find(const request_id& id, std::uint64_t& number) {
  const auto known = by_id_.find(id);
  if (known == by_id_.end()) {
    return nullptr;
  }
  number = known->second;
  return &at(number);
}

std::uint64_t request_table::add(const request_id& id, service_record& asked) {
  auto number = static_cast<std::uint64_t>(slots_.size()) + 1;
  if (empty_.empty()) {
    slots_.emplace_back();
  } else {
    number = empty_.back();
    empty_.pop_back();
  }
  by_id_.emplace(id, number);
  at(number) = {id, request_phase::accepting, 0, ++last_accepted_, &asked, {}};
  return number;
}

void request_table::remove(std::uint64_t number) {
  auto& one = at(number);
  by_id_.erase(one.id);
  one = {};
  empty_.push_back(number);
}

}  // namespace mdp::titanic
