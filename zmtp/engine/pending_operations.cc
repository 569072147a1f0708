#include "zmtp/engine/pending_operations.h"

#include <algorithm>

namespace zmtp {

namespace {

// Removes each element before `act`, because `act` may change the list.
template <class Act>
void empty_out(waiter_list& list, Act&& act) {
  while (!list.empty()) {
    auto& w = list.front();
    list.pop_front();
    act(w);
  }
}

}  // namespace

bool pending_operations::senders_wait(std::optional<peer_id> to) const noexcept {
  return std::any_of(senders_.begin(), senders_.end(),
                     [&](const waiter& w) { return !to || !w.to || w.to == to; });
}

bool pending_operations::is_next(side where, const waiter& w) const noexcept {
  switch (where) {
    case side::to_receive: return receivers_.empty();
    case side::to_send: return !senders_wait(w.to);
    case side::to_learn: return true;
    case side::to_end: return false;
  }
  return false;
}

waiter_list& pending_operations::list_of(side where) noexcept {
  switch (where) {
    case side::to_receive: return receivers_;
    case side::to_send: return senders_;
    case side::to_learn: return learners_;
    case side::to_end: break;
  }
  return enders_;
}

void pending_operations::enter(side where, waiter& w) noexcept { list_of(where).push_back(w); }

void pending_operations::rest() noexcept {
  if (concluded_.empty() && receivers_.empty() && senders_.empty() && learners_.empty() &&
      enders_.empty()) {
    work_.release();
  }
}

void pending_operations::conclude(waiter& w, error_code ec) noexcept {
  w.settle();
  if (w.is_linked()) {
    w.unlink();
  }
  w.failure = ec;
  concluded_.push_back(w);
}

void pending_operations::attempt_all() {
  for (auto it = receivers_.begin(); it != receivers_.end();) {
    auto& w = *it++;
    error_code ec;
    if (!w.attempt(ec)) {
      break;
    }
    conclude(w, ec);
  }
  attempt_senders();
  for (auto it = learners_.begin(); it != learners_.end();) {
    auto& w = *it++;
    error_code ec;
    if (w.attempt(ec)) {
      conclude(w, ec);
    }
  }
}

// A queue may get space while this runs. Even then, a send must not overtake an earlier one to the
// same peer. A send without a peer must not overtake any earlier one, and no later one overtakes
// it.
void pending_operations::attempt_senders() {
  without_room_.clear();
  for (auto it = senders_.begin(); it != senders_.end();) {
    auto& w = *it++;
    if (!w.to && !without_room_.empty()) {
      return;
    }
    if (w.to && without_room_.contains(*w.to)) {
      continue;
    }
    error_code ec;
    if (w.attempt(ec)) {
      conclude(w, ec);
    } else if (w.to) {
      without_room_.insert(*w.to);
    } else {
      return;
    }
  }
}

bool pending_operations::tell_all() {
  const bool any = !concluded_.empty();
  empty_out(concluded_,
            [&](waiter& w) { w.complete(w.failure, waiter::when::now, work_.executor()); });
  return any;
}

std::optional<pending_operations::time_point> pending_operations::first_deadline() const noexcept {
  std::optional<time_point> first;
  for (const auto* list : {&receivers_, &senders_, &learners_}) {
    for (const auto& w : *list) {
      if (w.due && (!first || *w.due < *first)) {
        first = w.due;
      }
    }
  }
  return first;
}

void pending_operations::expire(time_point now) noexcept {
  for (auto* list : {&receivers_, &senders_, &learners_}) {
    for (auto it = list->begin(); it != list->end();) {
      auto& w = *it++;
      if (w.due && *w.due <= now) {
        conclude(w, errc::timed_out);
      }
    }
  }
}

void pending_operations::end_senders(error_code ec) noexcept {
  while (!senders_.empty()) {
    conclude(senders_.front(), ec);
  }
}

void pending_operations::close(error_code ec) {
  const auto& executor = work_.executor();
  empty_out(concluded_, [&](waiter& w) { w.complete(w.failure, waiter::when::later, executor); });
  for (auto* list : {&receivers_, &senders_, &learners_}) {
    empty_out(*list, [&](waiter& w) { w.complete(ec, waiter::when::later, executor); });
  }
  rest();
}

void pending_operations::end(error_code ec) {
  const auto& executor = work_.executor();
  empty_out(concluded_, [&](waiter& w) { w.complete(w.failure, waiter::when::later, executor); });
  empty_out(enders_, [&](waiter& w) { w.complete(ec, waiter::when::later, executor); });
  rest();
}

void pending_operations::abandon() noexcept {
  work_.release();
  for (auto* list : {&concluded_, &receivers_, &senders_, &learners_, &enders_}) {
    empty_out(*list, [](waiter& w) { w.abandon(); });
  }
}

}  // namespace zmtp
