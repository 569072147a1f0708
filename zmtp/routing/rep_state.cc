#include "zmtp/routing/rep_state.h"

#include <boost/container/small_vector.hpp>

#include <string_view>
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
      ++counters_.dropped_unexpected;
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

send_status rep_state::send(message&& m) {
  if (!asked_by_) {
    return send_status::out_of_turn;
  }
  auto* const p = find(*asked_by_);
  asked_by_.reset();
  if (p == nullptr || p->closing) {
    ++counters_.dropped_unknown;
    m.clear();
  } else if (p->out.full()) {
    ++counters_.dropped_full;
    m.clear();
  } else {
    boost::container::small_vector<std::string_view, 8> frames;
    for (const auto frame : envelope_) {
      frames.push_back(frame);
    }
    while (!frames.empty()) {
      m.push_front(frames.back());
      frames.pop_back();
    }
    queue(*p, std::move(m));
  }
  return send_status::queued;
}

}  // namespace zmtp
