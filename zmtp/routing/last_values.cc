#include "zmtp/routing/last_values.h"

#include <memory>

namespace zmtp {

last_values::~last_values() {
  by_age_.clear();
  by_topic_.clear_and_dispose(std::default_delete<value>{});
}

std::unique_ptr<last_values::value> last_values::prepare(const message& m) {
  auto next = spare_ ? std::move(spare_) : std::make_unique<value>();
  next->content = m;
  next->content.compact();
  return next;
}

void last_values::keep(std::unique_ptr<value> next) noexcept {
  if (const auto known = by_topic_.find(next->content.front(), order{}); known != by_topic_.end()) {
    spare_ = take(*known);
    spare_->content.clear();
  }
  const auto bytes = charge(next->content);
  if (bytes > limit_.bytes) {
    return;
  }
  bytes_ += bytes;
  by_topic_.insert(*next);
  by_age_.push_back(*next.release());
  while (bytes_ > limit_.bytes || topics() > limit_.topics) {
    take(by_age_.front());
  }
}

std::unique_ptr<last_values::value> last_values::take(value& v) noexcept {
  bytes_ -= charge(v.content);
  by_age_.erase(by_age_.iterator_to(v));
  by_topic_.erase(by_topic_.iterator_to(v));
  return std::unique_ptr<value>{&v};
}

}  // namespace zmtp
