#include "zmtp/socket/inproc_registry.h"

#include <boost/asio/error.hpp>

#include <utility>
#include <vector>

namespace zmtp {

inproc_registry& inproc_registry::of_process() {
  static auto& registry = *new inproc_registry;
  return registry;
}

error_code inproc_registry::bind(const std::string& name, inproc_door door) {
  std::vector<std::function<void()>> waited;
  {
    const std::lock_guard lock{mutex_};
    if (!doors_.emplace(name, std::move(door)).second) {
      return boost::asio::error::address_in_use;
    }
    const auto [first, last] = waiting_.equal_range(name);
    for (auto each = first; each != last; ++each) {
      waited.push_back(std::move(each->second.when_bound));
    }
    waiting_.erase(first, last);
  }
  for (const auto& call : waited) {
    call();
  }
  return {};
}

void inproc_registry::unbind(const std::string& name) noexcept {
  const std::lock_guard lock{mutex_};
  doors_.erase(name);
}

std::optional<inproc_door> inproc_registry::find(const std::string& name, const void* caller,
                                                 std::function<void()> when_bound) {
  const std::lock_guard lock{mutex_};
  if (const auto found = doors_.find(name); found != doors_.end()) {
    return found->second;
  }
  waiting_.emplace(name, waiting_caller{caller, std::move(when_bound)});
  return std::nullopt;
}

void inproc_registry::leave(const std::string& name, const void* caller) noexcept {
  const std::lock_guard lock{mutex_};
  const auto [first, last] = waiting_.equal_range(name);
  for (auto each = first; each != last; ++each) {
    if (each->second.who == caller) {
      waiting_.erase(each);
      return;
    }
  }
}

}  // namespace zmtp
