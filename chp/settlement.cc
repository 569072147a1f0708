#include "chp/settlement.h"

namespace chp {

void settlement::add(const update_id& id) {
  if (id.has_session() && id.session() != last_ && sessions_.size() < most_sessions) {
    last_ = id.session();
    sessions_.insert(last_);
  }
}

std::uint64_t settlement::settle_next(update_register& in) {
  const auto next = *sessions_.begin();
  in.add_known(next, *applied_);
  sessions_.erase(sessions_.begin());
  return next;
}

}  // namespace chp
