#pragma once
// The requests in workers' hands, by the token of the attempt. Tokens rise and are never used twice.

#include "mdp/broker_records.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mdp {

// Each request is in the place that its token names, in a table of a power of two places; a token
// whose place is taken is passed over. No more than half of the places are taken, so that in the long
// run two tokens are looked at for each request.
class given_requests {
public:
  // Gives the request its token, which is never zero. It must not be in.
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
  // The request must be in.
  void leave(const request& r) noexcept {
    place(r.token) = nullptr;
    --size_;
  }
  // Null if there is none with this token.
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
