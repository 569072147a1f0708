#pragma once
// Outcomes in memory until they are stored. Pure.

#include "zmtp/message.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace mdp::titanic {

// Each outcome is being stored, or rests until the next try. Without this copy, the request would
// have to be executed again. Outcomes are identified by the numbers of the requests' slots.
class unsaved_outcomes {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // Adds an outcome: a reply, or an empty message if the request is given up.
  void keep(std::uint64_t number, zmtp::message&& reply) {
    outcomes_.insert_or_assign(number, kept{std::move(reply)});
  }
  [[nodiscard]] const zmtp::message& reply(std::uint64_t number) const {
    return outcomes_.find(number)->second.reply;
  }
  // The store rejected the outcome. `until` is the time of the next try.
  void rest(std::uint64_t number, time_point until) {
    outcomes_.find(number)->second.rests = true;
    to_be_stored_again_.emplace(until, number);
  }
  // Removes an outcome that is stored or no longer needed. Returns whether it rested.
  bool forget(std::uint64_t number) {
    const auto known = outcomes_.find(number);
    const auto rested = known != outcomes_.end() && known->second.rests;
    if (known != outcomes_.end()) {
      outcomes_.erase(known);
    }
    return rested;
  }

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept {
    return to_be_stored_again_.empty() ? std::optional<time_point>{}
                                       : to_be_stored_again_.begin()->first;
  }
  // Returns an outcome whose rest is over, if there is one, and ends its rest.
  [[nodiscard]] std::optional<std::uint64_t> wake(time_point now) {
    while (!to_be_stored_again_.empty() && to_be_stored_again_.begin()->first <= now) {
      const auto number = to_be_stored_again_.begin()->second;
      to_be_stored_again_.erase(to_be_stored_again_.begin());
      if (const auto known = outcomes_.find(number);
          known != outcomes_.end() && known->second.rests) {
        known->second.rests = false;
        return number;
      }
    }
    return std::nullopt;
  }

private:
  struct kept {
    zmtp::message reply;
    bool rests = false;
  };

  boost::unordered_flat_map<std::uint64_t, kept> outcomes_;
  std::set<std::pair<time_point, std::uint64_t>> to_be_stored_again_;
};

}  // namespace mdp::titanic
