#include "zmtp/routing/last_values.h"

#include <memory>

namespace zmtp {

last_values::~last_values() {
  by_age_.clear();
  by_topic_.clear_and_dispose(std::default_delete<value>{});
}

void last_values::keep(const message& m) {
  const auto known = by_topic_.find(m.front(), order{});
  if (charge(m) > limit_.bytes) {
    if (known != by_topic_.end()) {
      drop(*known);
    }
    return;
  }
  if (known != by_topic_.end()) {
    bytes_ -= charge(known->content);
    known->content = m;
    known->content.compact();
    by_age_.splice(by_age_.end(), by_age_, by_age_.iterator_to(*known));
  } else {
    auto added = std::make_unique<value>(m);
    added->content.compact();
    by_topic_.insert(*added);
    by_age_.push_back(*added.release());
  }
  bytes_ += charge(m);
  while (bytes_ > limit_.bytes || topics() > limit_.topics) {
    drop(by_age_.front());
  }
}

void last_values::drop(value& v) noexcept {
  bytes_ -= charge(v.content);
  by_age_.erase(by_age_.iterator_to(v));
  by_topic_.erase_and_dispose(by_topic_.iterator_to(v), std::default_delete<value>{});
}

}  // namespace zmtp
