#include "chp/known_ids.h"

#include "chp/network_order.h"

namespace chp {

void known_ids::insert(const update_id& id, sequence number) {
  if (id.empty()) {
    return;
  }
  const auto p = by_id_.probe_of(id);
  if (by_id_.find(p) != nullptr) {
    return;
  }
  if (ring_.size() < limit_) {
    ring_.push_back({id, number});
  } else {
    auto& oldest = ring_[ever_ % limit_];
    by_id_.erase(oldest.id);
    oldest = {id, number};
  }
  ++ever_;
  by_id_.insert(id, p);
}

std::uint64_t known_ids::append_rows(std::uint64_t from, sequence to, std::size_t most,
                                     std::string& rows) const {
  from = std::max(from, ever_ - ring_.size());
  for (; from < ever_ && most != 0; ++from, --most) {
    const auto& each = ring_[from % limit_];
    if (each.number > to) {
      break;
    }
    append_u64(rows, each.number);
    rows.append(each.id.bytes());
  }
  return from;
}

errc known_ids::insert_rows(std::string_view rows) {
  if (rows.size() % row_size != 0) {
    return errc::malformed_session;
  }
  for (; !rows.empty(); rows.remove_prefix(row_size)) {
    const auto number = load_u64(rows);
    const auto id = update_id::of_frame(rows.substr(sizeof(sequence), update_id::size));
    if (number > max_sequence || id.empty()) {
      return errc::malformed_session;
    }
    insert(id, number);
  }
  return {};
}

}  // namespace chp
