#include "mdp/request_queue.h"

namespace mdp {

line& request_queue::line_of(client_record& from) {
  for (auto& known : from.lines) {
    if (known.queue == this) {
      // A client often sends its next request to the same service. Moving its line to the front
      // makes the search short.
      from.lines.splice(from.lines.begin(), from.lines, from.lines.iterator_to(known));
      return known;
    }
  }
  auto& added = lines_.create();
  added.queue = this;
  from.lines.push_front(added);
  turns_.push_back(added);
  return added;
}

void request_queue::push(request& r) {
  auto& at = line_of(*r.asked_by);
  at.waiting.push_back(r);
  r.waits_in = &at;
  by_age_.push_back(r);
  ++size_;
}

void request_queue::give_back(request& r) noexcept {
  (r.attempts != 0 ? suspects_ : returned_).push_front(r);
  by_age_.push_back(r);
  ++size_;
}

request& request_queue::take() noexcept {
  auto& turn = turns_.front();
  auto& r = turn.waiting.front();
  turns_.splice(turns_.end(), turns_, turns_.begin());
  remove(r);
  return r;
}

void request_queue::remove(request& r) noexcept {
  r.place.unlink();
  r.age.unlink();
  --size_;
  leave_line(r);
}

void request_queue::leave_line(request& r) noexcept {
  auto* left = std::exchange(r.waits_in, nullptr);
  if (left != nullptr && left->waiting.empty()) {
    lines_.destroy(*left);
  }
}

}  // namespace mdp
