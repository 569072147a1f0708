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
    one.principal = add_principal(kept.principal);
    by_id_.emplace(owned_id{kept.id, one.principal}, kept.number);
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

const std::string* request_table::find_principal(std::string_view name) const {
  const auto known = principals_.find(name);
  return known == principals_.end() ? nullptr : &*known;
}

const std::string* request_table::add_principal(std::string_view name) {
  const auto* const known = find_principal(name);
  return known != nullptr ? known : &*principals_.emplace(name).first;
}

bool request_table::contains(const request_id& id, std::string_view principal) const {
  return by_id_.contains(owned_id{id, find_principal(principal)});
}

request_slot* request_table::find(const request_id& id, std::string_view principal,
                                  std::uint64_t& number) {
  const auto known = by_id_.find(owned_id{id, find_principal(principal)});
  if (known == by_id_.end()) {
    return nullptr;
  }
  number = known->second;
  return &at(number);
}

std::uint64_t request_table::add(const request_id& id, std::string_view principal,
                                 service_record& asked) {
  auto number = static_cast<std::uint64_t>(slots_.size()) + 1;
  if (empty_.empty()) {
    slots_.emplace_back();
  } else {
    number = empty_.back();
    empty_.pop_back();
  }
  const auto* const owner = add_principal(principal);
  by_id_.emplace(owned_id{id, owner}, number);
  at(number) = {id, request_phase::accepting, 0, ++last_accepted_, owner, &asked, {}};
  return number;
}

void request_table::remove(std::uint64_t number) {
  auto& one = at(number);
  by_id_.erase(owned_id{one.id, one.principal});
  one = {};
  empty_.push_back(number);
}

}  // namespace mdp::titanic
