#pragma once
// Requests that are assigned to workers, by the token of the attempt. Tokens increase and are never
// used twice.

#include "mdp/broker_records.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mdp {

// A table with 2^n places. Each request has the place that its token selects. enter() skips tokens
// whose place is taken. At most half of the places are taken, so that enter() tries two tokens on
// average.
//
// bench/micro/broker_containers.cc: to find, end and begin one of 10,000 requests takes 11 ns, and
// 69 ns with boost::unordered_flat_map (AMD EPYC).
class given_requests {
public:
  // Gives the request its token, which is never zero. The table must not contain the request.
  void enter(request& r) {
    if (2 * (size_ + 1) > places_.size()) {
      grow();
    }
    do {
      ++last_token_;
    } while (place(last_token_) != nullptr);
    place(last_token_) = &r;
    r.token = last_token_;
    ++size_;
  }
  // The table must contain the request.
  void leave(const request& r) noexcept {
    place(r.token) = nullptr;
    --size_;
  }
  // Returns null if no request has this token.
  [[nodiscard]] request* find(std::uint64_t token) noexcept {
    auto* const found = places_.empty() ? nullptr : place(token);
    return found != nullptr && found->token == token ? found : nullptr;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
  static constexpr std::size_t least_places = 64;

  [[nodiscard]] request*& place(std::uint64_t token) noexcept {
    return places_[token & (places_.size() - 1)];
  }
  void grow() {
    std::vector<request*> before(places_.empty() ? least_places : 2 * places_.size());
    before.swap(places_);
    for (auto* const r : before) {
      if (r != nullptr) {
        place(r->token) = r;
      }
    }
  }

  std::vector<request*> places_;
  std::size_t size_ = 0;
  std::uint64_t last_token_ = 0;
};

}  // namespace mdp
