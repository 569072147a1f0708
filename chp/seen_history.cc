#include "chp/seen_history.h"

namespace chp {

bool seen_history::is_in(const lineage_notice* notice, sequence at) const noexcept {
  if (notice != nullptr && !rows_.empty()) {
    return notice->reigns.contains(place_);
  }
  const auto end = notice != nullptr ? notice->end : at;
  return !has_epoch(end) || end >= place_.number;
}

void seen_history::follow(const lineage_notice* notice, sequence at, bool lost) {
  const bool had_rows = !rows_.empty();
  rows_ = notice != nullptr ? notice->reigns : lineage{};
  // Places of servers with and without a log cannot be compared.
  if (lost || rows_.empty() || !had_rows) {
    place_ = rows_.empty() ? position{.number = at} : rows_.place_of(at);
    place_.number = at;
  }
  see(at);
}

}  // namespace chp
