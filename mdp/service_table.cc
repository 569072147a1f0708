#include "mdp/service_table.h"

#include <utility>

namespace mdp {

service* service_table::find(std::string_view name) noexcept {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? nullptr : at->second;
}

service& service_table::create(std::string_view name, const service_options& options, bool lasting,
                               time_point now) {
  auto& added = services_.create(name, options, lasting, lines_);
  added.unserved_since = now;
  // The view refers to the record's own copy of the name, whose address is stable.
  by_name_.emplace(added.name, &added);
  in_order_.insert(added);
  without_worker_ += lasting ? 0 : 1;
  return added;
}

void service_table::remove(service& s) noexcept {
  by_name_.erase(s.name);
  in_order_.erase(in_order_.iterator_to(s));
  --without_worker_;
  services_.destroy(s);
}

void service_table::set_lasting(service& s, bool lasting) noexcept {
  if (std::exchange(s.lasting, lasting) != lasting && s.workers == 0) {
    without_worker_ = lasting ? without_worker_ - 1 : without_worker_ + 1;
  }
}

void service_table::add_worker(service& s) noexcept {
  if (s.workers++ == 0 && !s.lasting) {
    --without_worker_;
  }
}

void service_table::remove_worker(service& s, time_point now) noexcept {
  if (--s.workers == 0) {
    without_worker_ += s.lasting ? 0 : 1;
    s.unserved_since = now;
  }
}

}  // namespace mdp
