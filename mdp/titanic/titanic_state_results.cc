// The results of the store.

#include "mdp/titanic/titanic_state.h"

#include <algorithm>
#include <utility>

namespace mdp::titanic {

using boost::system::error_code;
using namespace std::chrono_literals;

void titanic_state::on_accepted(const store_tickets::ticket& about, error_code ec, time_point now,
                                actions& out) {
  auto* const one = requests_.find(about.number, about.accepted, request_phase::accepting);
  if (one == nullptr) {
    return;
  }
  std::vector<std::uint64_t> others;
  if (const auto also = also_asked_.find(about.number); also != also_asked_.end()) {
    others = std::move(also->second);
    also_asked_.erase(also);
  }
  if (ec) {
    counters_.not_stored += 1 + others.size();
    answer(about.caller, broken, out);
    for (const auto other : others) {
      answer(other, broken, out);
    }
    execution_.forget(about.number, now, out);
    requests_.remove(about.number);
    return;
  }
  ++counters_.accepted;
  counters_.repeated += others.size();
  answer_accepted(about.caller, one->id, out);
  for (const auto other : others) {
    answer_accepted(other, one->id, out);
  }
  execution_.begin(about.number, now, out);
}

void titanic_state::on_closed(const store_tickets::ticket& about, error_code ec, time_point now,
                              actions& out) {
  answer(about.caller, ec ? broken : ok, out);
  const auto expired = about.caller == nobody;
  expiring_ -= expired ? 1U : 0U;
  auto* const one = requests_.find(about.number, about.accepted, request_phase::closing);
  if (one == nullptr) {
    return;
  }
  if (!ec) {
    ++(expired ? counters_.expired : counters_.closed);
    retention_.leave(about.number, one->expires);
    requests_.remove(about.number);
  } else if (expired) {
    one->expires = retention_.enter_again(about.number, now, 10s);
  }
}

void titanic_state::on_read_failed(std::uint64_t number, time_point now) {
  ++counters_.read_failures;
  if (!not_read_) {
    not_read_ = {number, now + options_.least_backoff, options_.least_backoff};
  } else if (not_read_->being_read) {
    not_read_->backoff = std::min(2 * not_read_->backoff, options_.most_backoff);
    not_read_->again_at = now + not_read_->backoff;
    not_read_->being_read = false;
  }
}

void titanic_state::on_stored(store_result&& result, time_point now, actions& out) {
  const auto known = store_.take(result);
  if (!known) {
    return;
  }
  const auto& about = *known;
  if (result.ec == zmtp::storage_errc::read_failed) {
    on_read_failed(about.number, now);
  } else if (not_read_ && store_.readable()) {
    not_read_.reset();
    execution_.on_readable(now, out);
  }
  if (about.what == operation::read_request && about.service == nullptr) {
    return;  // This read only showed whether the store is readable. The request may have been closed meanwhile.
  }
  if (result.ec == zmtp::storage_errc::row_damaged) {
    ++counters_.unreadable;
  }
  switch (about.what) {
    case operation::accept: on_accepted(about, result.ec, now, out); break;
    case operation::count_attempt: break;  // matters only after a restart
    case operation::answer:
    case operation::give_up:
      execution_.on_outcome_stored(about, result.ec, now, out);
      if (auto& one = requests_.at(about.number);
          one.accepted == about.accepted && has_outcome(one)) {
        one.expires = retention_.enter(about.number, now);
      }
      break;
    case operation::close: on_closed(about, result.ec, now, out); break;
    case operation::read_request:
      execution_.on_request_read(about, std::move(result), now, out);
      break;
    case operation::read_reply:
      if (result.ec == zmtp::storage_errc::read_failed) {
        // After 300 the client asks again. After 500 it would close the request.
        answer(about.caller, not_yet, out);
      } else if (result.ec) {
        answer(about.caller, broken, out);
      } else {
        result.body.push_front(ok);
        out.answers.push_back({about.caller, std::move(result.body)});
      }
      break;
  }
}

}  // namespace mdp::titanic
