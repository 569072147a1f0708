#include "test/mdp/simulation/history.h"

#include <algorithm>
#include <utility>

namespace mdp::simulation {

namespace {

// Added to the deadline of a call, so that rounding does not count as lateness.
constexpr std::chrono::milliseconds grace{1};

}  // namespace

std::string history::name(std::uint32_t number) const {
  return "call " + std::to_string(number) + " of " + at(number).asked->name;
}

void history::report(violation what, std::string text) {
  using std::chrono::duration_cast, std::chrono::milliseconds;
  const auto time = duration_cast<milliseconds>(now().time_since_epoch()).count();
  findings_.push_back({what, "at " + std::to_string(time) + " ms: " + std::move(text)});
}

std::uint32_t history::begin_call(const trade& asked, std::optional<time_point> until) {
  calls_.push_back({.asked = &asked, .until = until});
  world_->note("call", {calls_.size()});
  return static_cast<std::uint32_t>(calls_.size());
}

void history::on_sent(std::uint32_t call) {
  ++at(call).sends;
  world_->note("sent: call", {call});
}

bool history::take_pieces(std::uint32_t number, const zmtp::message& body) {
  auto& one = at(number);
  const auto pieces = pieces_of(body);
  if (!pieces || pieces->empty()) {
    report(violation::wrong_answer, name(number) + " got something else than a reply");
    return false;
  }
  for (const auto& p : *pieces) {
    if (p.call != number || p.run == 0 || p.run > runs_.size() || runs_[p.run - 1].call != number) {
      report(violation::wrong_answer,
             name(number) + " got a reply to call " + std::to_string(p.call));
      return false;
    }
    if (one.pieces == 0) {
      one.run = p.run;
    }
    if (p.run != one.run || p.number != one.pieces || p.of != runs_[p.run - 1].pieces) {
      report(violation::mingled, name(number) + " got piece " + std::to_string(p.number) +
                                     " of run " + std::to_string(p.run) + " instead of " +
                                     std::to_string(one.pieces) + " of " + std::to_string(one.run));
      return false;
    }
    ++one.pieces;
  }
  return true;
}

void history::on_part(std::uint32_t call, const zmtp::message& body) {
  if (at(call).ended) {
    report(violation::answered_twice, name(call) + " got more of a reply after its end");
  } else {
    (void)take_pieces(call, body);
  }
}

bool history::end(std::uint32_t number) {
  auto& one = at(number);
  world_->note("ended: call", {number});
  if (std::exchange(one.ended, true)) {
    report(violation::answered_twice, name(number) + " ended a second time");
    return false;
  }
  if (one.until && now() > std::max(*one.until, excused_until_) + grace) {
    report(violation::late, name(number) + " ended after its deadline");
  }
  return true;
}

void history::on_reply(std::uint32_t call, const zmtp::message& body) {
  ++replies_;
  if (!end(call)) {
    return;
  }
  auto& one = at(call);
  one.answered = true;
  if (one.runs == 0) {
    report(violation::never_run, name(call) + " was answered");
  } else if (take_pieces(call, body) && one.pieces != runs_[one.run - 1].pieces) {
    report(violation::mingled, name(call) + " got " + std::to_string(one.pieces) + " pieces of " +
                                   std::to_string(runs_[one.run - 1].pieces));
  }
}

void history::on_failure(std::uint32_t call, outcome known) {
  if (!end(call)) {
    return;
  }
  auto& one = at(call);
  one.refused = known == outcome::refused || known == outcome::not_sent;
  if (one.refused && one.runs != 0) {
    report(violation::refused_yet_run, name(call));
  }
}

void history::forget(std::uint32_t call) { at(call).ended = true; }

void history::expect_answer(std::uint32_t call) {
  if (!at(call).answered) {
    report(violation::starved, name(call) + " had no answer");
  }
}

// As many workers may have a request as there were attempts at it; of those that must not run again, one.
void history::on_given(std::uint32_t number, const std::string& worker,
                       const std::string& address) {
  auto& one = at(number);
  one.givings.push_back({worker, address});
  in_flight_[worker].insert(number);
  world_->note("given: call", {number});
  const auto with = std::count_if(one.givings.begin(), one.givings.end(), [&](const giving& g) {
    return !g.handed_back && !gone_.contains(g.worker);
  });
  if (static_cast<std::size_t>(with) > one.sends) {
    report(violation::given_twice, name(number) + " is with " + std::to_string(with) +
                                       " workers, and was sent " + std::to_string(one.sends) +
                                       " times");
  }
}

void history::on_returned(std::uint32_t call, const std::string& worker) {
  auto& hand = in_flight_[worker];
  if (const auto one = hand.find(call); one != hand.end()) {
    hand.erase(one);
  }
}

void history::on_handed_back(const std::string& address, const std::string& worker) {
  for (const auto call : in_flight_[worker]) {
    auto& givings = at(call).givings;
    const auto given = std::find_if(givings.begin(), givings.end(), [&](const giving& one) {
      return one.worker == worker && one.address == address && !one.handed_back;
    });
    if (given != givings.end()) {
      given->handed_back = true;
      on_returned(call, worker);
      return;
    }
  }
}

std::uint32_t history::begin_run(std::uint32_t number, const std::string& address) {
  auto& one = at(number);
  runs_.push_back({number});
  world_->note("run: call, run", {number, runs_.size()});
  const auto given = std::find_if(one.givings.begin(), one.givings.end(), [&](const giving& g) {
    return g.address == address && !g.used && !g.handed_back;
  });
  if (given == one.givings.end()) {
    report(violation::run_twice, name(number));
  } else {
    given->used = true;
  }
  ++one.runs;
  if (!one.asked->idempotent && one.runs > 1) {
    report(violation::run_again, name(number));
  }
  if (one.refused) {
    report(violation::refused_yet_run, name(number) + ", after that");
  }
  return static_cast<std::uint32_t>(runs_.size());
}

void history::check_rest(const std::string& broker, const broker_status& s) {
  const auto& c = s.counters;
  const auto ends = c.replies + c.expired + c.exhausted + c.cut_short + c.abandoned + c.oversized +
                    c.declined + c.failed + c.stopped;
  if (c.requests != ends) {
    report(violation::miscounted, "of " + std::to_string(c.requests) + " requests of " + broker +
                                      " " + std::to_string(ends) + " have ended");
  }
  if (s.waiting != 0 || s.working != 0) {
    report(violation::lost, broker + " has " + std::to_string(s.waiting) +
                                " requests that wait and " + std::to_string(s.working) +
                                " in flight");
  }
}

std::size_t history::open_calls() const {
  return static_cast<std::size_t>(std::count_if(calls_.begin(), calls_.end(),
                                                [](const call_record& one) { return !one.ended; }));
}

void history::check_all_ended() {
  for (std::uint32_t number = 1; number <= calls_.size(); ++number) {
    if (!at(number).ended) {
      report(violation::stuck, name(number) + " has not ended");
    }
  }
}

std::size_t history::repetitions() const {
  std::size_t sum = 0;
  for (const auto& one : calls_) {
    sum += one.runs > 1 ? one.runs - 1 : 0;
  }
  return sum;
}

}  // namespace mdp::simulation
