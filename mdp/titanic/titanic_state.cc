#include "mdp/titanic/titanic_state.h"

#include <algorithm>
#include <utility>

namespace mdp::titanic {

namespace {

using boost::system::error_code;
using namespace std::chrono_literals;

// The number of expired requests in one step, so that other operations are not delayed.
constexpr std::size_t most_expiring = 1'000;

service_limits workable(service_limits limits) noexcept {
  limits.in_flight = std::max<std::size_t>(limits.in_flight, 1);
  limits.timeout = std::max(limits.timeout, 1ms);
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
  if (options.keep) {
    options.keep = std::max<std::chrono::seconds>(*options.keep, 1s);
  }
  return options;
}

}  // namespace

titanic_state::titanic_state(titanic_options options, std::uint64_t seed)
    : options_{workable(std::move(options))}, requests_{seed}, retention_{options_.keep} {}

void titanic_state::on_recovered(std::vector<stored_request>&& slots, time_point now,
                                 actions& out) {
  requests_.recover(slots);
  for (const auto& kept : slots) {
    if (auto& one = requests_.at(kept.number); has_outcome(one)) {
      one.expires = retention_.recover(kept.number, kept.age, now);
    }
  }
  execution_.recover(slots, now, out);
}

void titanic_state::on_request(std::uint64_t caller, zmtp::message&& asked,
                               const request_id& random, actions& out, std::string_view principal) {
  if (!parse_request(asked)) {
    ++counters_.refused;
    answer(caller, refused, out);
    return;
  }
  if (requests_.contains(random, principal)) {
    ++counters_.not_stored;
    answer(caller, broken, out);
    return;
  }
  accept(caller, random, principal, std::move(asked), out);
}

void titanic_state::on_submit(std::uint64_t caller, zmtp::message&& asked, actions& out,
                              std::string_view principal) {
  const auto given = parse_submission(asked);
  if (!given) {
    ++counters_.refused;
    answer(caller, refused, out);
    return;
  }
  const auto id = given->id;
  std::uint64_t number = 0;
  const auto* const known = requests_.find(id, principal, number);
  switch (known == nullptr ? request_phase::empty : known->at) {
    case request_phase::empty:
      asked.pop_front();
      accept(caller, id, principal, std::move(asked), out);
      break;
    case request_phase::accepting: also_asked_[number].push_back(caller); break;
    case request_phase::waiting:
    case request_phase::reading:
    case request_phase::given:
    case request_phase::storing:
    case request_phase::answered:
    case request_phase::given_up:
      ++counters_.repeated;
      answer_accepted(caller, id, out);
      break;
    case request_phase::closing:
      // The slot is free after the store's result. If the store has failed, it stays until a
      // restart.
      ++counters_.not_stored;
      answer(caller, broken, out);
      break;
  }
}

void titanic_state::accept(std::uint64_t caller, const request_id& id, std::string_view principal,
                           zmtp::message&& request, actions& out) {
  if (!accepting() || requests_.size() >= options_.max_requests) {
    ++counters_.not_stored;
    answer(caller, broken, out);
    return;
  }
  std::string name{request.front()};
  request.pop_front();
  request.compact();
  const auto number = requests_.add(id, principal, execution_.add(name));
  execution_.hold(number, request);
  store_.operate({.what = operation::accept,
                  .number = number,
                  .accepted = requests_.at(number).accepted,
                  .id = id,
                  .service = std::move(name),
                  .principal = std::string{principal},
                  .body = std::move(request)},
                 caller, out);
}

void titanic_state::on_reply(std::uint64_t caller, const zmtp::message& asked, actions& out,
                             std::string_view principal) {
  const auto id = parse_id(asked);
  std::uint64_t number = 0;
  const auto* const one = id ? requests_.find(*id, principal, number) : nullptr;
  switch (one == nullptr ? request_phase::empty : one->at) {
    case request_phase::empty:
    case request_phase::closing: answer(caller, refused, out); break;
    case request_phase::accepting:
    case request_phase::waiting:
    case request_phase::reading:
    case request_phase::given:
    case request_phase::storing:
      // A failed store executes no request before the next start.
      answer(caller, store_.failed() ? broken : not_yet, out);
      break;
    case request_phase::given_up: answer(caller, broken, out); break;
    case request_phase::answered:
      store_.operate({.what = operation::read_reply, .number = number, .accepted = one->accepted},
                     caller, out);
      break;
  }
}

void titanic_state::on_close(std::uint64_t caller, const zmtp::message& asked, time_point now,
                             actions& out, std::string_view principal) {
  const auto id = parse_id(asked);
  std::uint64_t number = 0;
  auto* const one = id ? requests_.find(*id, principal, number) : nullptr;
  if (one == nullptr) {
    // The id has no request, as the client wanted.
    answer(caller, ok, out);
    return;
  }
  if (store_.failed() || one->at == request_phase::accepting) {
    answer(caller, broken, out);
    return;
  }
  const auto accepted = one->accepted;
  retention_.leave(number, one->expires);
  execution_.forget(number, now, out);
  store_.operate({.what = operation::close, .number = number, .accepted = accepted}, caller, out);
}

void titanic_state::expire(time_point now, actions& out) {
  while (!draining_ && !store_.failed() && expiring_ < most_expiring) {
    const auto number = retention_.take(now);
    if (!number) {
      return;
    }
    ++expiring_;
    const auto accepted = requests_.at(*number).accepted;
    execution_.forget(*number, now, out);
    store_.operate({.what = operation::close, .number = *number, .accepted = accepted}, nobody,
                   out);
  }
}

std::optional<titanic_state::time_point> titanic_state::next_deadline() const noexcept {
  auto next = execution_.next_deadline();
  const auto sooner = [&](std::optional<time_point> at) {
    next = next && at ? std::min(next, at) : next ? next : at;
  };
  if (!draining_ && !store_.failed() && expiring_ < most_expiring) {
    sooner(retention_.next_deadline());
  }
  if (not_read_ && !not_read_->being_read) {
    sooner(not_read_->again_at);
  }
  return next;
}

void titanic_state::on_deadline(time_point now, actions& out) {
  execution_.on_deadline(now, out);
  expire(now, out);
  if (not_read_ && !not_read_->being_read && not_read_->again_at <= now) {
    not_read_->being_read = true;
    store_.operate({.what = operation::read_request, .number = not_read_->number}, nobody, out);
  }
}

void titanic_state::drain() noexcept {
  draining_ = true;
  execution_.drain();
}

bool titanic_state::drained() const noexcept {
  return store_.idle() && execution_.services().in_flight() == 0;
}

void titanic_state::answer(std::uint64_t caller, std::string_view code, actions& out) {
  if (caller == nobody) {
    return;
  }
  out.answers.push_back({caller, zmtp::message{code}});
}

void titanic_state::answer_accepted(std::uint64_t caller, const request_id& id, actions& out) {
  zmtp::message reply{ok};
  reply.push_back(id.to_string());
  out.answers.push_back({caller, std::move(reply)});
}

titanic_status titanic_state::status(time_point now) const {
  const auto& services = execution_.services();
  return {.accepting = accepting(),
          .requests = requests_.size(),
          .pending = services.pending(),
          .in_flight = services.in_flight(),
          .services = services.size(),
          .oldest = execution_.oldest(now),
          .counters = counters_};
}

}  // namespace mdp::titanic
