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

bool waiting_room::senders_wait(std::optional<peer_id> to) const noexcept {
  return std::any_of(senders_.begin(), senders_.end(),
                     [&](const waiter& w) { return !to || !w.to || w.to == to; });
}

bool waiting_room::is_next(side where, const waiter& w) const noexcept {
  switch (where) {
    case side::to_receive: return receivers_.empty();
    case side::to_send: return !senders_wait(w.to);
    case side::to_learn: return true;
    case side::to_end: return false;
  }
  return false;
}

waiter_list& waiting_room::list_of(side where) noexcept {
  switch (where) {
    case side::to_receive: return receivers_;
    case side::to_send: return senders_;
    case side::to_learn: return learners_;
    case side::to_end: break;
  }
  return enders_;
}

void waiting_room::enter(side where, waiter& w) noexcept { list_of(where).push_back(w); }

void waiting_room::conclude(waiter& w, error_code ec) noexcept {
  w.settle();
  if (w.is_linked()) {
    w.unlink();
  }
  w.failure = ec;
  concluded_.push_back(w);
}

void waiting_room::attempt_all() {
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
void waiting_room::attempt_senders() {
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

bool waiting_room::tell_all() {
  const bool any = !concluded_.empty();
  empty_out(concluded_, [](waiter& w) { w.complete(w.failure, waiter::when::now); });
  return any;
}

std::optional<waiting_room::time_point> waiting_room::first_deadline() const noexcept {
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

void waiting_room::expire(time_point now) noexcept {
  for (auto* list : {&receivers_, &senders_, &learners_}) {
    for (auto it = list->begin(); it != list->end();) {
      auto& w = *it++;
      if (w.due && *w.due <= now) {
        conclude(w, errc::timed_out);
      }
    }
  }
}

void waiting_room::end_senders(error_code ec) noexcept {
  while (!senders_.empty()) {
    conclude(senders_.front(), ec);
  }
}

void waiting_room::close(error_code ec) {
  empty_out(concluded_, [](waiter& w) { w.complete(w.failure, waiter::when::later); });
  for (auto* list : {&receivers_, &senders_, &learners_}) {
    empty_out(*list, [&](waiter& w) { w.complete(ec, waiter::when::later); });
  }
}

void waiting_room::end(error_code ec) {
  empty_out(concluded_, [](waiter& w) { w.complete(w.failure, waiter::when::later); });
  empty_out(enders_, [&](waiter& w) { w.complete(ec, waiter::when::later); });
}

void waiting_room::abandon() noexcept {
  for (auto* list : {&concluded_, &receivers_, &senders_, &learners_, &enders_}) {
    empty_out(*list, [](waiter& w) { w.abandon(); });
  }
}

}  // namespace zmtp
