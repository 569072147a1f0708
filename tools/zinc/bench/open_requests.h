#pragma once
// The requests of zinc bench that have no reply yet. Pure.

#include <cstdint>
#include <deque>

namespace zinc::bench {

class open_requests {
public:
  // The request with the next number, from 0, is sent.
  void add() { answered_.push_back(false); }
  // Returns false if the request has a reply already, or was not sent.
  [[nodiscard]] bool answer(std::uint64_t number) {
    const auto at = number - first_;
    if (number < first_ || at >= answered_.size() || answered_[at]) {
      return false;
    }
    answered_[at] = true;
    for (; !answered_.empty() && answered_.front(); ++first_) {
      answered_.pop_front();
    }
    return true;
  }

private:
  std::uint64_t first_ = 0;  // all before are answered
  std::deque<bool> answered_;
};

}  // namespace zinc::bench
