#pragma once
// The servers of a client, one of which is current. Pure.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {

// Initially, the first server is current. All conversations of one client share the list. The first
// conversation that leaves the current server switches to the next one for all. Later calls for the
// same old server have no effect.
class server_list {
public:
  // `endpoints` must not be empty.
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
