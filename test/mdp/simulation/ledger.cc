#include "test/mdp/simulation/ledger.h"

#include "test/simulation/sim_socket.h"

#include <algorithm>
#include <utility>

namespace mdp::simulation {

namespace {

// Added to the deadline of a call, so that rounding does not count as lateness.
constexpr std::chrono::milliseconds grace{1};

}  // namespace

std::string ledger::name(std::uint32_t number) const {
  return "call " + std::to_string(number) + " of " + at(number).asked->name;
}

void ledger::report(violation what, std::string text) {
  using std::chrono::duration_cast, std::chrono::milliseconds;
  const auto time = duration_cast<milliseconds>(now().time_since_epoch()).count();
  findings_.push_back({what, "at " + std::to_string(time) + " ms: " + std::move(text)});
}

std::uint32_t ledger::begin_call(const trade& asked, std::optional<time_point> until) {
  calls_.push_back({.asked = &asked, .until = until});
  world_->note("call", {calls_.size()});
  return static_cast<std::uint32_t>(calls_.size());
}

void ledger::on_sent(std::uint32_t call) {
  ++at(call).sends;
  ++sends_;
  world_->note("sent: call", {call});
}

bool ledger::take_pieces(std::uint32_t number, const zmtp::message& body) {
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

void ledger::on_part(std::uint32_t call, const zmtp::message& body) {
  if (at(call).ended) {
    report(violation::answered_twice, name(call) + " got more of a reply after its end");
  } else {
    (void)take_pieces(call, body);
  }
}

bool ledger::end(std::uint32_t number) {
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

void ledger::on_reply(std::uint32_t call, const zmtp::message& body) {
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

void ledger::on_failure(std::uint32_t call, outcome known) {
  if (!end(call)) {
    return;
  }
  auto& one = at(call);
  one.refused = known == outcome::refused || known == outcome::not_sent;
  if (one.refused && one.runs != 0) {
    report(violation::refused_yet_run, name(call));
  }
}

void ledger::forget(std::uint32_t call) { at(call).ended = true; }

void ledger::on_moved() {
  ++moves_;
  world_->note("a client moves", {});
}

void ledger::expect_answer(std::uint32_t call) {
  if (!at(call).answered) {
    report(violation::starved, name(call) + " had no answer");
  }
}

bool ledger::is_with(const call_record& of, const giving& one) const {
  const auto time = now();
  if (one.handed_back || over_.contains(one.stream)) {
    return false;
  }
  // The first request in flight counts: a request that takes too long costs the worker all requests, and so
  // does silence since then.
  auto first = one.when;
  if (const auto hand = in_flight_.find(one.stream); hand != in_flight_.end()) {
    for (const auto& [call, when] : hand->second) {
      first = std::min(first, when);
    }
  }
  if (of.asked->busy_timeout && time - first >= *of.asked->busy_timeout) {
    return false;
  }
  auto last = first;
  if (const auto received = received_.find(one.stream); received != received_.end()) {
    last = std::max(last, received->second);
  }
  return !of.asked->busy_expiry || time - last < *of.asked->busy_expiry;
}

// As many workers may have a request as there were attempts at it; of those that must not run again, one.
void ledger::on_given(std::uint32_t number, std::uint64_t stream) {
  auto& one = at(number);
  one.givings.push_back({stream, now()});
  in_flight_[stream].emplace(number, now());
  world_->note("given: call, stream", {number, stream});
  const auto with = std::count_if(one.givings.begin(), one.givings.end(),
                                  [&](const giving& g) { return is_with(one, g); });
  if (static_cast<std::size_t>(with) > one.sends) {
    report(violation::given_twice, name(number) + " is with " + std::to_string(with) +
                                       " workers, and was sent " + std::to_string(one.sends) +
                                       " times");
  }
}

// The ledger takes the later of two requests with the same call.
void ledger::on_returned(std::uint32_t call, std::uint64_t stream) {
  auto& hand = in_flight_[stream];
  if (const auto behind = hand.upper_bound(call); hand.contains(call)) {
    hand.erase(std::prev(behind));
  }
}

void ledger::on_handed_back(std::uint32_t call, std::uint64_t stream) {
  on_returned(call, stream);
  auto& givings = at(call).givings;
  const auto given = std::find_if(givings.begin(), givings.end(), [&](const giving& one) {
    return one.stream == stream && !one.handed_back;
  });
  if (given != givings.end()) {
    given->handed_back = true;
  }
}

void ledger::on_heard(std::uint64_t stream) { received_[stream] = now(); }

std::uint32_t ledger::begin_run(std::uint32_t number, std::uint32_t socket) {
  auto& one = at(number);
  runs_.push_back({number});
  world_->note("run: call, run", {number, runs_.size()});
  const auto stream = stream_of(socket);
  const auto given = std::find_if(one.givings.begin(), one.givings.end(), [&](const giving& g) {
    return g.stream == stream && !g.used && !g.handed_back;
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

std::size_t ledger::open_calls() const {
  return static_cast<std::size_t>(std::count_if(calls_.begin(), calls_.end(),
                                                [](const call_record& one) { return !one.ended; }));
}

void ledger::check_all_ended() {
  for (std::uint32_t number = 1; number <= calls_.size(); ++number) {
    if (!at(number).ended) {
      report(violation::stuck, name(number) + " has not ended");
    }
  }
}

std::size_t ledger::repetitions() const {
  std::size_t sum = 0;
  for (const auto& one : calls_) {
    sum += one.runs > 1 ? one.runs - 1 : 0;
  }
  return sum;
}

std::uint64_t ledger::stream_of(std::uint32_t socket) const {
  const auto known = streams_.find(socket);
  return known == streams_.end() ? 0 : known->second.back();
}

std::size_t ledger::streams_of(std::uint32_t socket) const {
  const auto known = streams_.find(socket);
  return known == streams_.end() ? 0 : known->second.size();
}

std::uint64_t ledger::stream_of(std::uint32_t socket, zmtp::peer_id pipe) const {
  const auto known = pipes_.find({socket, pipe});
  return known == pipes_.end() ? 0 : known->second;
}

void ledger::on_attached(const sim_socket& socket, zmtp::peer_id pipe, std::uint64_t stream,
                         end_of_stream /*e*/) {
  streams_[socket.number()].push_back(stream);
  pipes_[{socket.number(), pipe}] = stream;
}

}  // namespace mdp::simulation
