#include "mdp/titanic/execution.h"

#include "mdp/error.h"

#include <algorithm>
#include <utility>

namespace mdp::titanic {

namespace {

using boost::system::error_code;

constexpr std::string_view lookup_service = "mmi.service";

}  // namespace

service_record& execution::add(std::string_view service) {
  auto& its = services_.of(service);
  services_.enter(its);
  return its;
}

void execution::recover(const std::vector<stored_request>& slots, time_point now,
                        titanic_actions& out) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pending;  // accepted, number
  for (const auto& kept : slots) {
    if (kept.accepted != 0 && kept.state == outcome::pending) {
      requests_.at(kept.number).asked = &add(kept.service);
      pending.emplace_back(kept.accepted, kept.number);
    }
  }
  std::sort(pending.begin(), pending.end());
  for (const auto& [accepted, number] : pending) {
    enter_order(number, now - slots[number - 1].age);
    wait_in(*requests_.at(number).asked, number, false);
  }
  services_.for_each([&](service_record& service) { look_at(service, now, out); });
}

void execution::begin(std::uint64_t number, time_point now, titanic_actions& out) {
  auto& service = *requests_.at(number).asked;
  enter_order(number, now);
  wait_in(service, number, false);
  look_at(service, now, out);
}

void execution::enter_order(std::uint64_t number, time_point since) {
  order_.add({number, requests_.at(number).accepted, since}, services_.pending(),
             [this](const auto& one) { return is_pending(one); });
}

bool execution::is_pending(const pending_order::place& one) const {
  const auto& slot = requests_.at(one.number);
  return slot.accepted == one.accepted && slot.asked != nullptr;
}

std::vector<pending_request> execution::pending(std::size_t count, time_point now) const {
  std::vector<pending_request> all;
  order_.for_each([this](const auto& one) { return is_pending(one); },
                  [&](const pending_order::place& one) {
                    if (all.size() < count) {
                      const auto& slot = requests_.at(one.number);
                      const auto age = std::max(now - one.since, time_point::duration{0});
                      all.push_back({.id = slot.id,
                                     .principal = *slot.principal,
                                     .service = slot.asked->name,
                                     .age = std::chrono::floor<std::chrono::seconds>(age),
                                     .attempts = slot.attempts,
                                     .in_flight = slot.at != request_phase::waiting});
                    }
                    return all.size() < count;
                  });
  return all;
}

std::chrono::seconds execution::oldest(time_point now) const {
  std::chrono::seconds age{0};
  order_.for_each([this](const auto& one) { return is_pending(one); },
                  [&](const pending_order::place& one) {
                    age = std::chrono::floor<std::chrono::seconds>(
                        std::max(now - one.since, time_point::duration{0}));
                    return false;
                  });
  return age;
}

void execution::forget(std::uint64_t number, time_point now, titanic_actions& out) {
  auto& one = requests_.at(number);
  if (outcomes_.forget(number)) {
    // The outcome rested, so no result of the store will arrive and free its place.
    leave_place(*one.asked, now, out);
  }
  one.at = request_phase::closing;
  held_.release(number);
  if (one.asked != nullptr) {
    leave_service(one, now, out);
  }
}

void execution::wait_in(service_record& service, std::uint64_t number, bool first) {
  auto& one = requests_.at(number);
  one.at = request_phase::waiting;
  const std::pair place{number, one.accepted};
  if (first) {
    service.waiting.push_front(place);
  } else {
    service.waiting.push_back(place);
  }
}

// Skips closed requests, which stay in the queue until their turn.
bool execution::next_waiting(service_record& service) {
  auto& waiting = service.waiting;
  while (!waiting.empty() && requests_.find(waiting.front().first, waiting.front().second,
                                            request_phase::waiting) == nullptr) {
    waiting.pop_front();
  }
  return !waiting.empty();
}

bool execution::may_give(service_record& service) {
  return !draining_ && !store_.failed() && !service.full() && next_waiting(service) &&
         (store_.readable() || held_.of(service.waiting.front().first) != nullptr);
}

void execution::look_at(service_record& service, time_point now, titanic_actions& out) {
  const auto waits = may_give(service);
  switch (services_.look_at(service, now, waits)) {
    case service_table::step::nothing: break;
    case service_table::step::look_up: look_up_next(now, out); break;
    case service_table::step::give:
      do {
        const auto number = service.waiting.front().first;
        service.waiting.pop_front();
        services_.take_place(service);
        give_or_read(number, now, out);
      } while (may_give(service));
      break;
  }
}

void execution::on_readable(time_point now, titanic_actions& out) {
  services_.for_each([&](service_record& service) { look_at(service, now, out); });
}

void execution::give_or_read(std::uint64_t number, time_point now, titanic_actions& out) {
  if (const auto* const held = held_.of(number)) {
    give(number, *held, now, out);
    return;
  }
  auto& one = requests_.at(number);
  one.at = request_phase::reading;
  store_.operate({.what = operation::read_request, .number = number, .accepted = one.accepted}, 0,
                 out, one.asked);
}

void execution::give(std::uint64_t number, const zmtp::message& body, time_point now,
                     titanic_actions& out) {
  auto& one = requests_.at(number);
  one.at = request_phase::given;
  auto& service = *one.asked;
  attempts_.emplace(++last_attempt_, attempt{&service, number, one.accepted, now});
  ++counters_.dispatched;
  out.dispatches.push_back(
      {last_attempt_, service.name, body, service.limits.timeout, one.id, *one.principal});
}

void execution::look_up_next(time_point now, titanic_actions& out) {
  while (auto* const service = services_.next_lookup()) {
    attempts_.emplace(++last_attempt_, attempt{service, 0, 0, now});
    out.dispatches.push_back({last_attempt_, std::string{lookup_service},
                              zmtp::message{service->name}, options_.lookup_timeout});
  }
}

void execution::on_request_read(const store_tickets::ticket& about, store_result&& result,
                                time_point now, titanic_actions& out) {
  auto* const one = requests_.find(about.number, about.accepted, request_phase::reading);
  if (one == nullptr) {
    leave_place(*about.service, now, out);
  } else if (result.ec == zmtp::storage_errc::read_failed) {
    // The request waits until the store is readable.
    wait_in(*about.service, about.number, true);
    leave_place(*about.service, now, out);
  } else if (result.ec) {
    // The request cannot be executed. The error is its outcome.
    keep_outcome(about.number, {}, out);
  } else {
    give(about.number, result.body, now, out);
  }
}

void execution::on_dispatch_part(std::uint64_t id, const zmtp::message& part) {
  if (const auto known = attempts_.find(id); known != attempts_.end()) {
    known->second.parts.add(part);
  }
}

void execution::on_dispatch_end(std::uint64_t id, error_code ec, zmtp::message&& reply,
                                time_point now, titanic_actions& out) {
  const auto known = attempts_.find(id);
  if (known == attempts_.end()) {
    return;
  }
  auto ended = std::move(known->second);
  attempts_.erase(known);
  if (!ec) {
    ec = ended.parts.finish(reply);
  }
  auto& service = *ended.service;
  if (ended.number == 0) {
    // Another broker may not know mmi.service and answer otherwise. It holds requests for a service
    // without workers, so the service counts as present.
    services_.on_looked_up(service, !ec && !reply.empty() && reply.back() != "404", now);
    look_at(service, now, out);
    look_up_next(now, out);
    return;
  }
  auto* const one = requests_.find(ended.number, ended.accepted, request_phase::given);
  // The broker's rules forbid the call, so the attempt says nothing about the service, and another
  // attempt would be refused as well.
  const auto forbidden = ec == mdp::errc::forbidden;
  // A lost connection says nothing about the request. Errors of its workers count as attempts.
  const auto blamed = ec == mdp::errc::worker_lost || ec == mdp::errc::request_failed ||
                      ec == mdp::errc::request_refused || ec == mdp::errc::reply_too_large;
  const auto interrupted =
      ec && !blamed &&
      (ec == mdp::errc::not_connected || now < ended.begun + service.limits.timeout);
  if (!ec) {
    services_.on_reply(service, now);
  } else if (forbidden) {
    ++counters_.unanswered;
  } else {
    ++(interrupted ? counters_.interrupted : counters_.unanswered);
    services_.on_failure(service, now);
  }
  const auto again = ec && !forbidden &&
                     (interrupted || one == nullptr || ++one->attempts < service.limits.attempts);
  if (one != nullptr && !again) {
    keep_outcome(ended.number, ec ? zmtp::message{} : std::move(reply), out);
    look_at(service, now, out);
    return;
  }
  if (one != nullptr && !interrupted) {
    store_.operate({.what = operation::count_attempt,
                    .number = ended.number,
                    .id = one->id,
                    .attempts = one->attempts},
                   0, out);
  }
  if (one != nullptr) {
    // Other requests go first, because this one failed.
    wait_in(service, ended.number, interrupted);
  }
  leave_place(service, now, out);
}

void execution::keep_outcome(std::uint64_t number, zmtp::message&& reply, titanic_actions& out) {
  requests_.at(number).at = request_phase::storing;
  outcomes_.keep(number, std::move(reply));
  store_outcome(number, out);
}

void execution::store_outcome(std::uint64_t number, titanic_actions& out) {
  const auto& one = requests_.at(number);
  const auto& reply = outcomes_.reply(number);
  store_.operate({.what = reply.empty() ? operation::give_up : operation::answer,
                  .number = number,
                  .accepted = one.accepted,
                  .id = one.id,
                  .attempts = one.attempts,
                  .body = reply},
                 0, out, one.asked);
}

void execution::on_outcome_stored(const store_tickets::ticket& about, error_code ec, time_point now,
                                  titanic_actions& out) {
  auto* const one = requests_.find(about.number, about.accepted, request_phase::storing);
  if (one != nullptr &&
      (ec == zmtp::storage_errc::store_full || ec == zmtp::storage_errc::read_failed)) {
    // Keeps the outcome in memory until it can be stored, so that the request is not executed
    // again.
    outcomes_.rest(about.number, now + options_.most_backoff);
    return;
  }
  if (one != nullptr && !ec) {
    const auto answered = about.what == operation::answer;
    ++(answered ? counters_.answered : counters_.given_up);
    one->at = answered ? request_phase::answered : request_phase::given_up;
    outcomes_.forget(about.number);
    held_.release(about.number);
    leave_service(*one, now, out);
  }
  leave_place(*about.service, now, out);
}

void execution::leave_service(request_slot& of, time_point now, titanic_actions& out) {
  auto& service = *std::exchange(of.asked, nullptr);
  services_.leave(service);
  look_at(service, now, out);
}

void execution::leave_place(service_record& service, time_point now, titanic_actions& out) {
  services_.leave_place(service);
  look_at(service, now, out);
}

std::optional<execution::time_point> execution::next_deadline() const noexcept {
  const auto of_services = services_.next_deadline();
  const auto of_outcomes = outcomes_.next_deadline();
  return of_services && of_outcomes ? std::min(of_services, of_outcomes)
                                    : (of_services ? of_services : of_outcomes);
}

void execution::on_deadline(time_point now, titanic_actions& out) {
  while (auto* const service = services_.due(now)) {
    look_at(*service, now, out);
  }
  while (const auto number = outcomes_.wake(now)) {
    store_outcome(*number, out);
  }
}

}  // namespace mdp::titanic
