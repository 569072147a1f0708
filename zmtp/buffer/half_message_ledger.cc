#include "zmtp/buffer/half_message_ledger.h"

namespace zmtp {

half_message_ledger::entry* half_message_ledger::hold(entry& who, std::size_t octets) noexcept {
  if (who.condemned_) {
    return &who;
  }
  if (octets > who.octets_ && !fits(octets - who.octets_)) {
    auto& goes = worth_least(who, octets);
    release(goes);
    goes.condemned_ = true;
    return &goes;
  }
  release(who);
  who.octets_ = octets;
  who.changed_ = ++changes_;
  used_ += octets;
  entries_.insert(who);
  return nullptr;
}

half_message_ledger::entry& half_message_ledger::worth_least(entry& who,
                                                             std::size_t octets) noexcept {
  for (auto each = entries_.rbegin(); each != entries_.rend(); ++each) {
    if (&*each != &who) {
      return each->octets_ >= octets ? *each : who;
    }
  }
  return who;
}

void half_message_ledger::release(entry& who) noexcept {
  if (who.is_linked()) {
    entries_.erase(entries_.iterator_to(who));
    used_ -= who.octets_;
  }
  who.octets_ = 0;
  who.condemned_ = false;
}

}  // namespace zmtp
