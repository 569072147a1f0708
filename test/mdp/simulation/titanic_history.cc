#include "test/mdp/simulation/titanic_history.h"

#include "test/mdp/simulation/parcel.h"

#include <utility>

namespace mdp::simulation {

using titanic::operation;

std::string titanic_history::name(const request_id& id, const record& of) {
  return "request " + id.to_string() + " with call " + std::to_string(of.call);
}

void titanic_history::on_operation(const titanic::store_operation& one) {
  switch (one.what) {
    case operation::accept:
      slots_[one.number] = one.id;
      requests_[one.id].call = call_of(one.body).value_or(0);
      break;
    case operation::answer: requests_[one.id].ended = true; break;
    case operation::give_up: {
      auto& of = requests_[one.id];
      of.ended = true;
      if (of.dispatched < attempts_) {
        calls_->report(violation::lost, name(one.id, of) + " was given up too early");
      }
      break;
    }
    case operation::close: requests_[slots_[one.number]].closing = true; break;
    case operation::count_attempt:
    case operation::read_request:
    case operation::read_reply: break;
  }
}

void titanic_history::on_result(const titanic::store_operation& of, bool done) {
  if (!done) {
    return;
  }
  switch (of.what) {
    case operation::accept: requests_[of.id].stored = true; break;
    case operation::answer: requests_[of.id].answer_stored = true; break;
    case operation::give_up: requests_[of.id].given_up = true; break;
    case operation::close: requests_[slots_[of.number]].closed = true; break;
    case operation::count_attempt:
    case operation::read_request:
    case operation::read_reply: break;
  }
}

void titanic_history::on_dispatched(const request_id& id) {
  auto& one = requests_[id];
  ++one.dispatched;
  ++dispatched_;
  calls_->on_sent(one.call);
  if (one.ended || one.closed) {
    calls_->report(violation::dispatched_again, name(id, one) + " after its end");
  }
}

void titanic_history::on_reply(const request_id& id, const zmtp::message& reply) {
  auto& one = requests_[id];
  if (one.asked_when_closed) {
    calls_->report(violation::came_back, name(id, one) + " has a reply");
  }
  const auto pieces = pieces_of(reply);
  if (!pieces || pieces->empty() || pieces->front().call != one.call) {
    calls_->report(violation::wrong_answer, name(id, one));
  } else if (one.reply && *one.reply != reply) {
    calls_->report(violation::changed, name(id, one));
  }
  one.reply = reply;
}

void titanic_history::on_failed(const request_id& id) {
  auto& one = requests_[id];
  if (!one.given_up && !disk_trouble_) {
    calls_->report(violation::lost, name(id, one) + " has failed, and was not given up");
  } else if (one.given_up && !std::exchange(one.failure_told, true)) {
    calls_->on_failure(one.call, outcome::unknown);
  }
}

void titanic_history::on_unknown(const request_id& id) {
  const auto known = requests_.find(id);
  if (known != requests_.end() && known->second.stored && !known->second.closing) {
    calls_->report(violation::forgotten, name(id, known->second));
  }
}

void titanic_history::on_crash(const titanic::titanic_status& last) {
  ++crashes_;
  failed_ += failed(last);
  for (auto& [id, one] : requests_) {
    one.ended = one.answer_stored || one.given_up;
  }
}

void titanic_history::on_recovered(const std::vector<titanic::stored_request>& slots) {
  std::map<request_id, titanic::outcome> there;
  for (const auto& slot : slots) {
    if (slot.accepted != 0) {
      there.emplace(slot.id, slot.state);
      slots_[slot.number] = slot.id;
    }
  }
  for (auto& [id, one] : requests_) {
    const auto found = there.find(id);
    if (found == there.end() && one.stored && !one.closing) {
      calls_->report(violation::forgotten, name(id, one) + " was not there after a start");
    } else if (found != there.end() && one.closed) {
      calls_->report(violation::came_back, name(id, one) + " was there after a start");
    } else if (found != there.end() && one.answer_stored &&
               found->second != titanic::outcome::answered) {
      calls_->report(violation::forgotten, "the reply to " + name(id, one));
    }
    // The disk may have a change without a reported result.
    if (found != there.end()) {
      one.stored = true;
      one.answer_stored = one.answer_stored || found->second == titanic::outcome::answered;
      one.given_up = one.given_up || found->second == titanic::outcome::given_up;
      one.ended = one.answer_stored || one.given_up;
    }
  }
}

void titanic_history::check_rest(const titanic::titanic_status& s) {
  if (s.pending + s.in_flight != 0) {
    calls_->report(violation::stuck, "Titanic has " + std::to_string(s.pending) + " pending, " +
                                         std::to_string(s.in_flight) + " in flight");
  }
  // Each request once, and again after each failure. Each crash may repeat what is in flight.
  const auto most = requests_.size() + failed_ + failed(s) + crashes_ * places_;
  if (dispatched_ > most) {
    calls_->report(violation::dispatched_again, std::to_string(dispatched_) + " attempts at " +
                                                    std::to_string(requests_.size()) +
                                                    " requests, " + std::to_string(most) +
                                                    " at most");
  }
}

}  // namespace mdp::simulation
