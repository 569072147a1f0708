#pragma once
// The brokers that a client may turn to. Pure.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace mdp {

// One is current, the first to begin with. Shared by the conversations of one client: the first of them
// to leave a broker takes all along to the next, and those that leave it later follow.
class broker_list {
public:
  // Not empty.
  explicit broker_list(std::vector<std::string> endpoints) noexcept
      : endpoints_{std::move(endpoints)} {}

  [[nodiscard]] std::size_t size() const noexcept { return endpoints_.size(); }
  [[nodiscard]] std::size_t current() const noexcept { return current_; }
  [[nodiscard]] const std::string& endpoint(std::size_t broker) const noexcept {
    return endpoints_[broker];
  }
  void leave(std::size_t broker) noexcept {
    if (broker == current_) {
      current_ = (current_ + 1) % endpoints_.size();
    }
  }

private:
  std::vector<std::string> endpoints_;
  std::size_t current_ = 0;
};

}  // namespace mdp
