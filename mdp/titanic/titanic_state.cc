#include "mdp/titanic/titanic_state.h"

#include "mdp/error.h"
#include "mdp/options.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace mdp::titanic {

namespace {

using boost::system::error_code;
using namespace std::chrono_literals;

constexpr std::string_view lookup_service = "mmi.service";
// Each takes a connection to the broker while it lasts.
constexpr std::size_t max_lookups = 16;
// Of a reply that comes in parts: so many octets as a broker gathers for a client of MDP/0.1. Of any: so
// many parts that the code still has room in front of them.
constexpr gathering_quota largest_reply{.parts = max_frames - 1};

service_limits workable(service_limits limits) noexcept {
  limits.concurrency = std::max<std::size_t>(limits.concurrency, 1);
  limits.deadline = std::max(limits.deadline, 1ms);
  limits.attempts = std::max(limits.attempts, 1U);
  return limits;
}

titanic_options workable(titanic_options options) {
  options.service = workable(options.service);
  for (auto& [name, limits] : options.services) {
    limits = workable(limits);
  }
  options.lookup_timeout = std::max(options.lookup_timeout, 1ms);
  options.presence = std::max(options.presence, 1ms);
  options.least_backoff = std::max(options.least_backoff, 1ms);
  options.most_backoff = std::max(options.most_backoff, options.least_backoff);
  return options;
}

}  // namespace

titanic_state::titanic_state(titanic_options options, std::uint64_t seed)
    : options_{workable(std::move(options))}, by_id_{0, id_hash{zmtp::keyed_hash{seed}}} {}

void titanic_state::on_recovered(std::vector<kept_request>&& slots, time_point now, actions& out) {
  slots_.resize(slots.size());
  by_id_.reserve(slots.size());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pending;  // accepted, number
  for (const auto& kept : slots) {
    auto& one = at(kept.number);
    if (kept.accepted == 0) {
      empty_.push_back(kept.number);
      continue;
    }
    one.id = kept.id;
    one.accepted = kept.accepted;
    one.attempts = kept.attempts;
    by_id_.emplace(kept.id, kept.number);
    last_accepted_ = std::max(last_accepted_, kept.accepted);
    switch (kept.state) {
      case outcome::pending:
        one.asked = &service_of(kept.service);
        ++one.asked->pending;
        pending.emplace_back(kept.accepted, kept.number);
        break;
      case outcome::answered: one.at = phase::answered; break;
      case outcome::given_up: one.at = phase::given_up; break;
    }
  }
  // The lowest is used first.
  std::reverse(empty_.begin(), empty_.end());
  std::sort(pending.begin(), pending.end());
  pending_ = pending.size();
  for (const auto& [accepted, number] : pending) {
    wait_in(*at(number).asked, number, false);
  }
  for (auto next = services_.begin(); next != services_.end();) {
    look_at((next++)->second, now, out);
  }
}

void titanic_state::on_request(std::uint64_t caller, zmtp::message&& asked,
                               const request_id& random, actions& out) {
  if (!parse_request(asked)) {
    ++counters_.refused;
    answer(caller, refused, out);
    return;
  }
  if (by_id_.contains(random)) {
    ++counters_.not_stored;
    answer(caller, broken, out);
    return;
  }
  accept(caller, random, std::move(asked), out);
}

void titanic_state::on_submit(std::uint64_t caller, zmtp::message&& asked, actions& out) {
  const auto given = parse_submission(asked);
  if (!given) {
    ++counters_.refused;
    answer(caller, refused, out);
    return;
  }
  const auto id = given->id;
  std::uint64_t number = 0;
  const auto* const known = find(id, number);
  switch (known == nullptr ? phase::empty : known->at) {
    case phase::empty:
      asked.pop_front();
      accept(caller, id, std::move(asked), out);
      break;
    case phase::accepting: also_asked_[number].push_back(caller); break;
    case phase::waiting:
    case phase::reading:
    case phase::given:
    case phase::storing:
    case phase::answered:
    case phase::given_up:
      ++counters_.repeated;
      answer_accepted(caller, id, out);
      break;
    case phase::closing:
      // It is free in a moment; or never, where that could not be stored.
      ++counters_.not_stored;
      answer(caller, broken, out);
      break;
  }
}

void titanic_state::accept(std::uint64_t caller, const request_id& id, zmtp::message&& request,
                           actions& out) {
  if (failed_ || by_id_.size() >= options_.requests) {
    ++counters_.not_stored;
    answer(caller, broken, out);
    return;
  }
  auto number = static_cast<std::uint64_t>(slots_.size()) + 1;
  if (empty_.empty()) {
    slots_.emplace_back();
  } else {
    number = empty_.back();
    empty_.pop_back();
  }
  std::string name{request.front()};
  auto& service = service_of(name);
  request.pop_front();
  request.compact();
  by_id_.emplace(id, number);
  at(number) = {id, phase::accepting, 0, ++last_accepted_, &service};
  ++service.pending;
  ++pending_;
  hold(number, request);
  operate({.what = operation::accept,
           .number = number,
           .accepted = last_accepted_,
           .id = id,
           .service = std::move(name),
           .body = std::move(request)},
          caller, out);
}

void titanic_state::on_accepted(const ticket& about, error_code ec, time_point now, actions& out) {
  auto* const one = find(about.number, about.accepted, phase::accepting);
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
    release(about.number);
    by_id_.erase(one->id);
    leave_service(*one, now, out);
    *one = {};
    empty_.push_back(about.number);
    return;
  }
  ++counters_.accepted;
  counters_.repeated += others.size();
  answer_accepted(about.caller, one->id, out);
  for (const auto other : others) {
    answer_accepted(other, one->id, out);
  }
  wait_in(*one->asked, about.number, false);
  look_at(*one->asked, now, out);
}

void titanic_state::on_reply(std::uint64_t caller, const zmtp::message& asked, actions& out) {
  const auto id = parse_id(asked);
  std::uint64_t number = 0;
  const auto* const one = id ? find(*id, number) : nullptr;
  switch (one == nullptr ? phase::empty : one->at) {
    case phase::empty:
    case phase::closing: answer(caller, refused, out); break;
    case phase::accepting:
    case phase::waiting:
    case phase::reading:
    case phase::given:
    case phase::storing:
      // What cannot be stored is not carried out before the next start.
      answer(caller, failed_ ? broken : not_yet, out);
      break;
    case phase::given_up: answer(caller, broken, out); break;
    case phase::answered:
      operate({.what = operation::read_reply, .number = number, .accepted = one->accepted}, caller,
              out);
      break;
  }
}

void titanic_state::on_close(std::uint64_t caller, const zmtp::message& asked, time_point now,
                             actions& out) {
  const auto id = parse_id(asked);
  std::uint64_t number = 0;
  auto* const one = id ? find(*id, number) : nullptr;
  if (one == nullptr) {
    // There is nothing to be closed, which is what was wanted.
    answer(caller, ok, out);
    return;
  }
  if (failed_ || one->at == phase::accepting) {
    answer(caller, broken, out);
    return;
  }
  const auto kept = outcomes_.find(number);
  if (kept != outcomes_.end()) {
    // No result is to come that would leave its place.
    if (!kept->second.submitted) {
      leave_place(*one->asked, now, out);
    }
    outcomes_.erase(kept);
  }
  one->at = phase::closing;
  release(number);
  const auto accepted = one->accepted;
  if (one->asked != nullptr) {
    leave_service(*one, now, out);
  }
  operate({.what = operation::close, .number = number, .accepted = accepted}, caller, out);
}

void titanic_state::on_closed(const ticket& about, error_code ec, actions& out) {
  answer(about.caller, ec ? broken : ok, out);
  if (auto* const one = find(about.number, about.accepted, phase::closing); one != nullptr && !ec) {
    ++counters_.closed;
    by_id_.erase(one->id);
    *one = {};
    empty_.push_back(about.number);
  }
}

void titanic_state::operate(store_operation&& what, std::uint64_t caller, actions& out,
                            service_record* service) {
  what.ticket = ++last_ticket_;
  tickets_.emplace(what.ticket, ticket{what.what, what.number, what.accepted, caller, service});
  out.operations.push_back(std::move(what));
}

void titanic_state::answer(std::uint64_t caller, std::string_view code, actions& out) {
  out.answers.push_back({caller, zmtp::message{code}});
}

void titanic_state::answer_accepted(std::uint64_t caller, const request_id& id, actions& out) {
  zmtp::message reply{ok};
  reply.push_back(id.to_string());
  out.answers.push_back({caller, std::move(reply)});
}

void titanic_state::on_stored(store_result&& result, time_point now, actions& out) {
  const auto known = tickets_.find(result.ticket);
  if (known == tickets_.end()) {
    return;
  }
  const auto about = known->second;
  tickets_.erase(known);
  if (result.ec == errc::store_failed) {
    failed_ = true;
  } else if (result.ec == errc::row_damaged) {
    ++counters_.unreadable;
  }
  switch (about.what) {
    case operation::accept: on_accepted(about, result.ec, now, out); break;
    case operation::count_attempt: break;  // which counts after a restart only
    case operation::answer:
    case operation::give_up: on_outcome_stored(about, result.ec, now, out); break;
    case operation::close: on_closed(about, result.ec, out); break;
    case operation::read_request: on_request_read(about, std::move(result), now, out); break;
    case operation::read_reply:
      if (result.ec) {
        answer(about.caller, broken, out);
      } else {
        result.body.push_front(ok);
        out.answers.push_back({about.caller, std::move(result.body)});
      }
      break;
  }
}

void titanic_state::on_request_read(const ticket& about, store_result&& result, time_point now,
                                    actions& out) {
  auto* const one = find(about.number, about.accepted, phase::reading);
  if (one == nullptr) {
    leave_place(*about.service, now, out);
  } else if (result.ec) {
    // It cannot be carried out: that is its outcome.
    keep_outcome(about.number, {}, out);
  } else {
    give(about.number, result.body, now, out);
  }
}

void titanic_state::on_dispatch_part(std::uint64_t id, const zmtp::message& part) {
  if (const auto known = attempts_.find(id); known != attempts_.end()) {
    gather(known->second, part);
  }
}

void titanic_state::gather(attempt& of, const zmtp::message& part) {
  const auto parts = of.parts.part_count() + part.part_count();
  const auto octets = of.parts.framed_size() + part.framed_size();
  if (of.too_large || parts > largest_reply.parts || octets > largest_reply.octets) {
    of.too_large = true;
    of.parts.clear();
  } else {
    of.parts.append(part);
  }
}

void titanic_state::on_dispatch_end(std::uint64_t id, error_code ec, zmtp::message&& reply,
                                    time_point now, actions& out) {
  const auto known = attempts_.find(id);
  if (known == attempts_.end()) {
    return;
  }
  auto ended = std::move(known->second);
  attempts_.erase(known);
  const auto gathers = ended.too_large || !ended.parts.empty();
  if (!ec && (gathers || reply.part_count() > largest_reply.parts)) {
    gather(ended, reply);
    reply = std::move(ended.parts);
    if (ended.too_large) {
      ec = mdp::errc::reply_too_large;
    }
  }
  auto& service = *ended.service;
  if (ended.number == 0) {
    on_looked_up(service, ec, reply, now, out);
    return;
  }
  auto* const one = find(ended.number, ended.accepted, phase::given);
  // A connection that was lost says nothing of the service; workers that were lost with the request do.
  const auto blamed = ec == mdp::errc::worker_lost || ec == mdp::errc::reply_too_large;
  const auto interrupted =
      ec && !blamed &&
      (ec == mdp::errc::not_connected || now < ended.begun + service.limits.deadline);
  if (!ec) {
    service.backoff = 0ms;
    service.retry_at = {};
    service.present_until = now + options_.presence;
  } else {
    ++(interrupted ? counters_.interrupted : counters_.unanswered);
    back_off(service, now);
  }
  const auto again =
      ec && (interrupted || one == nullptr || ++one->attempts < service.limits.attempts);
  if (one != nullptr && !again) {
    keep_outcome(ended.number, ec ? zmtp::message{} : std::move(reply), out);
    look_at(service, now, out);
    return;
  }
  if (one != nullptr && !interrupted) {
    operate({.what = operation::count_attempt,
             .number = ended.number,
             .id = one->id,
             .attempts = one->attempts},
            0, out);
  }
  if (one != nullptr) {
    // The others are not to wait for what failed.
    wait_in(service, ended.number, interrupted);
  }
  leave_place(service, now, out);
}

void titanic_state::keep_outcome(std::uint64_t number, zmtp::message&& reply, actions& out) {
  at(number).at = phase::storing;
  outcomes_.insert_or_assign(number, kept_outcome{std::move(reply)});
  store_outcome(number, out);
}

void titanic_state::store_outcome(std::uint64_t number, actions& out) {
  auto& one = at(number);
  auto& kept = outcomes_.find(number)->second;
  kept.submitted = true;
  operate({.what = kept.reply.empty() ? operation::give_up : operation::answer,
           .number = number,
           .accepted = one.accepted,
           .id = one.id,
           .attempts = one.attempts,
           .body = kept.reply},
          0, out, one.asked);
}

void titanic_state::on_outcome_stored(const ticket& about, error_code ec, time_point now,
                                      actions& out) {
  auto* const one = find(about.number, about.accepted, phase::storing);
  if (one != nullptr && ec == errc::store_full) {
    // Kept in memory until there is room: what was carried out need not be again.
    outcomes_.find(about.number)->second.submitted = false;
    to_be_stored_again_.emplace(now + options_.most_backoff, about.number);
    return;
  }
  if (one != nullptr && !ec) {
    const auto answered = about.what == operation::answer;
    ++(answered ? counters_.answered : counters_.given_up);
    one->at = answered ? phase::answered : phase::given_up;
    outcomes_.erase(about.number);
    release(about.number);
    leave_service(*one, now, out);
  }
  leave_place(*about.service, now, out);
}

titanic_state::slot* titanic_state::find(std::uint64_t number, std::uint64_t accepted, phase in) {
  auto& one = at(number);
  return one.accepted == accepted && one.at == in ? &one : nullptr;
}

titanic_state::slot* titanic_state::find(const request_id& id, std::uint64_t& number) {
  const auto known = by_id_.find(id);
  if (known == by_id_.end()) {
    return nullptr;
  }
  number = known->second;
  return &at(number);
}

titanic_state::service_record& titanic_state::service_of(std::string_view name) {
  const auto known = services_.find(name);
  if (known != services_.end()) {
    return known->second;
  }
  const auto own = options_.services.find(name);
  auto& added = services_[std::string{name}];
  added.name = name;
  added.limits = own == options_.services.end() ? options_.service : own->second;
  return added;
}

void titanic_state::hold(std::uint64_t number, const zmtp::message& body) {
  if (held_octets_ + body.framed_size() <= options_.held_octets) {
    held_octets_ += body.framed_size();
    held_.emplace(number, body);
  }
}

void titanic_state::release(std::uint64_t number) {
  if (const auto known = held_.find(number); known != held_.end()) {
    held_octets_ -= known->second.framed_size();
    held_.erase(known);
  }
}

void titanic_state::leave_service(slot& of, time_point now, actions& out) {
  auto& service = *std::exchange(of.asked, nullptr);
  --service.pending;
  --pending_;
  look_at(service, now, out);
}

void titanic_state::leave_place(service_record& service, time_point now, actions& out) {
  --service.in_flight;
  --in_flight_;
  look_at(service, now, out);
}

void titanic_state::wait_in(service_record& service, std::uint64_t number, bool first) {
  auto& one = at(number);
  one.at = phase::waiting;
  const std::pair place{number, one.accepted};
  if (first) {
    service.waiting.push_front(place);
  } else {
    service.waiting.push_back(place);
  }
}

// What was closed stays in the queue until its turn comes.
bool titanic_state::next_waiting(service_record& service) {
  auto& waiting = service.waiting;
  while (!waiting.empty() &&
         find(waiting.front().first, waiting.front().second, phase::waiting) == nullptr) {
    waiting.pop_front();
  }
  return !waiting.empty();
}

void titanic_state::look_at(service_record& service, time_point now, actions& out) {
  set_due(service, std::nullopt);
  if (service.looking_up) {
    return;
  }
  if (service.pending == 0 && service.in_flight == 0) {
    // What is known of it is kept while it counts.
    if (now < service.present_until) {
      set_due(service, service.present_until);
    } else if (now < service.retry_at) {
      set_due(service, service.retry_at);
    } else {
      services_.erase(services_.find(service.name));
    }
    return;
  }
  if (failed_ || service.in_flight >= service.limits.concurrency || !next_waiting(service)) {
    return;
  }
  if (now < service.retry_at) {
    set_due(service, service.retry_at);
    return;
  }
  if (now >= service.present_until) {
    service.looking_up = true;
    to_be_looked_up_.push_back(&service);
    if (lookups_ < max_lookups) {
      look_up(*to_be_looked_up_.front(), now, out);
      to_be_looked_up_.pop_front();
    }
    return;
  }
  while (service.in_flight < service.limits.concurrency && next_waiting(service)) {
    const auto [number, accepted] = service.waiting.front();
    service.waiting.pop_front();
    ++service.in_flight;
    ++in_flight_;
    if (const auto held = held_.find(number); held != held_.end()) {
      give(number, held->second, now, out);
    } else {
      at(number).at = phase::reading;
      operate({.what = operation::read_request, .number = number, .accepted = accepted}, 0, out,
              &service);
    }
  }
}

void titanic_state::give(std::uint64_t number, const zmtp::message& body, time_point now,
                         actions& out) {
  auto& one = at(number);
  one.at = phase::given;
  auto& service = *one.asked;
  attempts_.emplace(++last_attempt_, attempt{&service, number, one.accepted, now});
  ++counters_.dispatched;
  out.dispatches.push_back({last_attempt_, service.name, body, service.limits.deadline});
}

void titanic_state::look_up(service_record& service, time_point now, actions& out) {
  ++lookups_;
  attempts_.emplace(++last_attempt_, attempt{&service, 0, 0, now});
  out.dispatches.push_back({last_attempt_, std::string{lookup_service}, zmtp::message{service.name},
                            options_.lookup_timeout});
}

void titanic_state::on_looked_up(service_record& of, error_code ec, const zmtp::message& reply,
                                 time_point now, actions& out) {
  --lookups_;
  of.looking_up = false;
  // A broker that does not know mmi.service keeps requests for who comes.
  if (!ec && !reply.empty() && reply.back() != "404") {
    of.present_until = now + options_.presence;
    of.backoff = 0ms;
  } else {
    back_off(of, now);
  }
  look_at(of, now, out);
  while (lookups_ < max_lookups && !to_be_looked_up_.empty()) {
    auto& next = *to_be_looked_up_.front();
    to_be_looked_up_.pop_front();
    look_up(next, now, out);
  }
}

void titanic_state::back_off(service_record& service, time_point now) noexcept {
  service.backoff = std::clamp(2 * service.backoff, options_.least_backoff, options_.most_backoff);
  service.retry_at = now + service.backoff;
  service.present_until = {};
}

void titanic_state::set_due(service_record& service, std::optional<time_point> due) {
  if (service.due == due) {
    return;
  }
  if (service.due) {
    due_.erase({*service.due, &service});
  }
  service.due = due;
  if (due) {
    due_.emplace(*due, &service);
  }
}

std::optional<titanic_state::time_point> titanic_state::next_deadline() const noexcept {
  if (due_.empty() && to_be_stored_again_.empty()) {
    return std::nullopt;
  }
  if (due_.empty() || to_be_stored_again_.empty()) {
    return due_.empty() ? to_be_stored_again_.begin()->first : due_.begin()->first;
  }
  return std::min(due_.begin()->first, to_be_stored_again_.begin()->first);
}

void titanic_state::on_deadline(time_point now, actions& out) {
  while (!due_.empty() && due_.begin()->first <= now) {
    look_at(*due_.begin()->second, now, out);
  }
  while (!to_be_stored_again_.empty() && to_be_stored_again_.begin()->first <= now) {
    const auto number = to_be_stored_again_.begin()->second;
    to_be_stored_again_.erase(to_be_stored_again_.begin());
    if (const auto kept = outcomes_.find(number);
        kept != outcomes_.end() && !kept->second.submitted) {
      store_outcome(number, out);
    }
  }
}

titanic_status titanic_state::status() const noexcept {
  return {.accepting = !failed_,
          .requests = by_id_.size(),
          .pending = pending_,
          .in_flight = in_flight_,
          .services = services_.size(),
          .counters = counters_};
}

std::vector<titanic_service_status> titanic_state::services(std::string_view after,
                                                            std::size_t count) const {
  std::vector<titanic_service_status> some;
  for (auto one = services_.upper_bound(after); one != services_.end() && some.size() < count;
       ++one) {
    some.push_back({one->first, one->second.pending, one->second.in_flight});
  }
  return some;
}

}  // namespace mdp::titanic
