#include "zmtp/buffer/subscription_changes.h"

#include <iterator>
#include <memory>

namespace zmtp {

namespace {

struct before {
  template <class A, class B>
  bool operator()(const A& a, const B& b) const noexcept {
    return std::string_view{a} < std::string_view{b};
  }
};

}  // namespace

void subscription_changes::add(bool subscribe, std::string_view topic) {
  if (size() >= kept_in_full_) {
    const auto [first, behind] = by_topic_.equal_range(topic, before{});
    if (first != behind) {
      if (auto& last = *std::prev(behind); last.subscribe != subscribe) {
        drop(last);
      }
      return;
    }
  }
  auto added = std::make_unique<node>(subscribe, topic);
  by_topic_.insert(*added);
  in_order_.push_back(*added.release());
}

void subscription_changes::clear() noexcept {
  by_topic_.clear();
  in_order_.clear_and_dispose(std::default_delete<node>{});
}

void subscription_changes::drop(node& n) noexcept {
  by_topic_.erase(by_topic_.iterator_to(n));
  in_order_.erase_and_dispose(in_order_.iterator_to(n), std::default_delete<node>{});
}

}  // namespace zmtp
