#include "chp/settlement.h"

#include "chp/acknowledgement.h"

#include <algorithm>

namespace chp {

void settlement::add(const update_id& id) {
  if (id.has_session() && id.session() != last_) {
    last_ = id.session();
    sessions_.insert(last_);
  }
}

bool settlement::settle(update_register& in, std::size_t most) {
  while (pending() && most != 0) {
    const auto session = *sessions_.begin();
    const auto theirs = applied_->find(session);
    const auto ours = in.find(session);
    // In their order, so that no gaps come about that are closed later.
    next_ = std::max(next_, ours.gaps.empty() ? ours.counter + 1 : ours.gaps.front().first);
    const auto gap = std::find_if(theirs.gaps.begin(), theirs.gaps.end(),
                                  [&](const counter_range& one) { return one.last >= next_; });
    if (next_ > theirs.counter) {
      sessions_.erase(sessions_.begin());
      next_ = 1;
    } else if (gap != theirs.gaps.end() && gap->first <= next_) {
      next_ = gap->last + 1;
    } else if (next_ <= theirs.unsure) {
      // Which of them were refused is not known any more.
      next_ = theirs.unsure + 1;
    } else {
      const auto id = update_id::of_session(session, next_);
      const auto refused =
          std::find_if(theirs.refused.begin(), theirs.refused.end(),
                       [&](const refusal& one) { return one.updates.last >= next_; });
      if (refused != theirs.refused.end() && refused->updates.first <= next_) {
        (void)in.refuse(id, refused->why);
      } else {
        (void)in.insert(id);
      }
      ++next_;
    }
    --most;
  }
  return pending();
}

}  // namespace chp
