#pragma once
// The servers that a client may turn to. Pure.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {

// One is current, the first to begin with. Shared by the conversations of one client: the first of them
// to leave a server takes all along to the next, and those that leave it later follow.
class server_list {
public:
  // Not empty.
  explicit server_list(std::vector<std::string> endpoints) noexcept
      : endpoints_{std::move(endpoints)} {}

  [[nodiscard]] std::size_t size() const noexcept { return endpoints_.size(); }
  [[nodiscard]] std::size_t current() const noexcept { return current_; }
  [[nodiscard]] const std::string& endpoint(std::size_t server) const noexcept {
    return endpoints_[server];
  }
  void leave(std::size_t server) noexcept {
    if (server == current_) {
      current_ = (current_ + 1) % endpoints_.size();
    }
  }

private:
  std::vector<std::string> endpoints_;
  std::size_t current_ = 0;
};

}  // namespace zmtp
