#include "chp/settlement.h"

namespace chp {

void settlement::add(const update_id& id) {
  if (id.has_session() && id.session() != last_ && sessions_.size() < most_sessions) {
    last_ = id.session();
    sessions_.insert(last_);
  }
}

bool settlement::settle(update_register& in, std::size_t most) {
  for (; pending() && most != 0; --most) {
    in.add_known(*sessions_.begin(), *applied_);
    sessions_.erase(sessions_.begin());
  }
  return pending();
}

}  // namespace chp
