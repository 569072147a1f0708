#include "chp/lineage.h"

#include "chp/network_order.h"

#include <algorithm>

namespace chp {

void lineage::begin_reign(std::uint64_t epoch, std::uint64_t tag, sequence first) {
  if (rows_.size() == max_reigns) {
    rows_.erase(rows_.begin());
  }
  rows_.push_back({epoch, tag, first});
}

bool lineage::contains(const position& place) const noexcept {
  if (place.number == 0) {
    return true;
  }
  const auto found = std::find_if(rows_.rbegin(), rows_.rend(), [&](const reign& r) {
    return r.epoch == place.epoch && r.tag == place.tag;
  });
  return found != rows_.rend() && found->last >= place.number;
}

position lineage::place_of(sequence number) const noexcept {
  const auto found = std::lower_bound(rows_.begin(), rows_.end(), epoch_of(number),
                                      [](const reign& r, std::uint64_t e) { return r.epoch < e; });
  if (found == rows_.end() || found->epoch != epoch_of(number)) {
    return {};
  }
  return {found->epoch, found->tag, number};
}

void lineage::append_to(std::string& bytes) const {
  bytes.reserve(bytes.size() + rows_.size() * row_size);
  for (const auto& each : rows_) {
    append_u64(bytes, each.epoch);
    append_u64(bytes, each.tag);
    append_u64(bytes, each.last);
  }
}

boost::system::result<lineage, errc> lineage::parse(std::string_view bytes) {
  if (bytes.size() % row_size != 0 || bytes.size() / row_size > max_reigns) {
    return errc::malformed_lineage;
  }
  lineage result;
  result.rows_.reserve(bytes.size() / row_size);
  for (std::size_t at = 0; at != bytes.size(); at += row_size) {
    const reign next{load_u64(bytes, at), load_u64(bytes, at + 8), load_u64(bytes, at + 16)};
    const bool rises = result.empty() || next.epoch > result.last().epoch;
    if (next.epoch > max_epoch || epoch_of(next.last) != next.epoch || !rises) {
      return errc::malformed_lineage;
    }
    result.rows_.push_back(next);
  }
  return result;
}

sequence common_point(const lineage& a, const lineage& b) noexcept {
  // A reign begins once, after one history. So what lies before a shared reign is shared too.
  auto in_a = a.rows().rbegin();
  auto in_b = b.rows().rbegin();
  while (in_a != a.rows().rend() && in_b != b.rows().rend()) {
    if (in_a->epoch == in_b->epoch && in_a->tag == in_b->tag) {
      return std::min(in_a->last, in_b->last);
    }
    if (in_a->epoch > in_b->epoch) {
      ++in_a;
    } else if (in_a->epoch < in_b->epoch) {
      ++in_b;
    } else {
      ++in_a;
      ++in_b;
    }
  }
  return 0;
}

}  // namespace chp
