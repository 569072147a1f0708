#include "zmtp/routing/rep_state.h"

#include <utility>

namespace zmtp {

bool rep_state::receive(message& to) {
  if (asked_by_) {
    return false;
  }
  routed_message received;
  while (socket_state::receive(received)) {
    if (received.what != routed_message::kind::message) {
      continue;
    }
    if (!take_envelope(received.content)) {
      drop_received();
      continue;
    }
    asked_by_ = received.peer;
    to = std::move(received.content);
    return true;
  }
  return false;
}

bool rep_state::take_envelope(message& m) {
  envelope_.clear();
  while (m.part_count() > 1 && envelope_.part_count() < largest_envelope) {
    const bool delimiter = m.front().empty();
    envelope_.push_back(m.front());
    m.pop_front();
    if (delimiter) {
      return true;
    }
  }
  return false;
}

send_status rep_state::send(message&& m, if_full then) {
  if (!asked_by_) {
    return send_status::out_of_turn;
  }
  auto* const p = find(*asked_by_);
  const bool gone = p == nullptr || p->closing;
  if (!gone && p->out.full() && then == if_full::say_so) {
    return send_status::full;
  }
  if (gone) {
    ++counters_.dropped_unknown;
    m.clear();
  } else if (p->out.full()) {
    drop_full(*p);
    m.clear();
  } else {
    m.prepend(envelope_);
    queue(*p, std::move(m));
  }
  asked_by_.reset();
  return send_status::queued;
}

}  // namespace zmtp
