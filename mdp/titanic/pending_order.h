#pragma once
// The requests without an outcome, in the order of their acceptance. Pure.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace mdp::titanic {

// A request leaves the list some time after it has its outcome. The list never has more than twice
// the requests without an outcome, and `spare` more.
class pending_order {
public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr std::size_t spare = 64;

  struct place {
    std::uint64_t number = 0;
    std::uint64_t accepted = 0;
    time_point since{};
  };

  // Adds a request. `pending` is the number of requests without an outcome, and `is_pending(place)`
  // returns whether one of them is meant.
  template <class IsPending>
  void add(const place& last, std::size_t pending, IsPending&& is_pending) {
    while (!places_.empty() && !is_pending(places_.front())) {
      places_.pop_front();
    }
    if (places_.size() >= 2 * pending + spare) {
      std::erase_if(places_, [&](const place& one) { return !is_pending(one); });
    }
    places_.push_back(last);
  }
  // Visits the requests from the oldest on, while `visit(place)` returns true.
  template <class IsPending, class Visit>
  void for_each(IsPending&& is_pending, Visit&& visit) const {
    for (const auto& one : places_) {
      if (is_pending(one) && !visit(one)) {
        return;
      }
    }
  }
  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }

private:
  std::deque<place> places_;
};

}  // namespace mdp::titanic
