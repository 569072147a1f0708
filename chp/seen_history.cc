#include "chp/seen_history.h"

namespace chp {

bool seen_history::is_in(const lineage_notice* told, sequence at) const noexcept {
  if (told != nullptr && !rows_.empty()) {
    return told->reigns.contains(place_);
  }
  const auto end = told != nullptr ? told->end : at;
  return !has_epoch(end) || end >= place_.number;
}

void seen_history::follow(const lineage_notice* told, sequence at, bool lost) {
  const bool had_rows = !rows_.empty();
  rows_ = told != nullptr ? told->reigns : lineage{};
  // Places of servers with and without a log cannot be compared.
  if (lost || rows_.empty() || !had_rows) {
    place_ = rows_.empty() ? position{.number = at} : rows_.place_of(at);
    place_.number = at;
  }
  see(at);
}

}  // namespace chp
