#include "test/mdp/simulation/titanic_books.h"

#include <algorithm>
#include <utility>

namespace mdp::simulation {

std::string titanic_books::name(const request_id& id, const kept& of) {
  return "request " + id.to_string() + " with call " + std::to_string(of.call);
}

void titanic_books::on_asked(const request_id& id, std::uint32_t call) {
  at(id).call = call;
  ++calls_[call].copies;
}

void titanic_books::on_closing(const request_id& id) {
  if (const auto known = kept_.find(id); known != kept_.end()) {
    known->second.closing = true;
  }
}

void titanic_books::on_closed(const request_id& id) {
  if (const auto known = kept_.find(id); known != kept_.end()) {
    known->second.closed = true;
  }
}

void titanic_books::on_reply(const request_id& id, const zmtp::message& reply) {
  auto& one = at(id);
  if (one.closed) {
    books_->report(violation::came_back, name(id, one) + " has a reply");
  }
  const auto pieces = pieces_of(reply);
  if (!pieces || pieces->empty() || pieces->front().call != one.call) {
    books_->report(violation::wrong_answer, name(id, one));
  } else if (one.reply && *one.reply != reply) {
    books_->report(violation::changed, name(id, one));
  }
  one.reply = reply;
}

void titanic_books::on_given_up(const request_id& id) {
  auto& one = at(id);
  if (std::exchange(one.given_up, true)) {
    return;
  }
  books_->on_failure(one.call, outcome::unknown);
  if (calls_[one.call].failed < attempts_) {
    books_->report(violation::lost, name(id, one) + " was given up too early");
  }
}

void titanic_books::on_unknown(const request_id& id) {
  const auto known = kept_.find(id);
  if (known != kept_.end() && known->second.promised && !known->second.closing) {
    books_->report(violation::forgotten, name(id, known->second));
  }
}

// Each copy is with one worker at most.
void titanic_books::on_dispatched(std::uint32_t call) {
  auto& one = calls_[call];
  ++one.made;
  if (++one.under_way > one.copies) {
    books_->report(violation::dispatched_again, "call " + std::to_string(call) + " is given " +
                                                    std::to_string(one.under_way) +
                                                    " times at once");
  }
}

void titanic_books::on_dispatch_end(std::uint32_t call, bool answered) {
  auto& one = calls_[call];
  one.failed += answered ? 0U : 1U;
  // An answered request keeps its slot busy, because it must not be dispatched again.
  one.under_way -= answered ? 0U : 1U;
}

void titanic_books::on_crash() {
  ++crashes_;
  for (auto& [call, one] : calls_) {
    one.under_way = 0;
  }
}

void titanic_books::on_recovered(const std::vector<titanic::stored_request>& slots) {
  std::map<request_id, titanic::outcome> there;
  for (const auto& slot : slots) {
    if (slot.accepted != 0) {
      there.emplace(slot.id, slot.state);
    }
  }
  for (const auto& [id, one] : kept_) {
    const auto found = there.find(id);
    if (found == there.end() && one.promised && !one.closing) {
      books_->report(violation::forgotten, name(id, one) + " was not there after a start");
    } else if (found != there.end() && one.closed) {
      books_->report(violation::came_back, name(id, one) + " was there after a start");
    } else if (found != there.end() && one.reply && found->second != titanic::outcome::answered) {
      books_->report(violation::forgotten, "the reply to " + name(id, one));
    }
  }
}

void titanic_books::check_rest(std::size_t pending, std::size_t in_flight) {
  if (pending + in_flight != 0) {
    books_->report(violation::stuck, "Titanic has " + std::to_string(pending) + " pending, " +
                                         std::to_string(in_flight) + " in flight");
  }
  std::size_t again = 0;
  for (const auto& [call, one] : calls_) {
    again += one.made - std::min(one.made, one.copies + one.failed);
  }
  if (again > crashes_ * places_) {
    books_->report(violation::dispatched_again,
                   std::to_string(again) + " times after " + std::to_string(crashes_) + " crashes");
  }
}

}  // namespace mdp::simulation
