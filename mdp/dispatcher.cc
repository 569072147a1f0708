#include "mdp/dispatcher.h"

#include <algorithm>
#include <utility>

namespace mdp {

namespace {

std::optional<time_point> earlier(std::optional<time_point> a,
                                  std::optional<time_point> b) noexcept {
  return a && b ? std::min(a, b) : std::max(a, b);
}

}  // namespace

dispatcher::dispatcher(const broker_options& options, std::uint64_t instance,
                       const zmtp::liveness& liveness, broker_counters& counters)
    : requests_{options, liveness, counters},
      workers_{liveness, instance},
      scheduler_{options, liveness, requests_, workers_} {}

client_record& dispatcher::add_client(zmtp::peer_id peer, std::string&& routing_id,
                                      bool reads_errors) {
  auto& added = clients_.create();
  added.peer = peer;
  added.routing_id = std::move(routing_id);
  added.reads_errors = reads_errors;
  return added;
}

void dispatcher::remove_client(client_record& gone, time_point now, broker_actions& out) {
  requests_.set_time(now);
  requests_.forget(gone);
  end_all(gone, false, now, out);
  clients_.destroy(gone);
}

// Ends the requests of a client, because the client has disconnected or the broker stops.
void dispatcher::end_all(client_record& of, bool stopping, time_point now, broker_actions& out) {
  while (!of.unanswered.empty()) {
    auto& r = of.unanswered.front();
    auto& asked = *r.asked;
    // A request with a key that a worker holds is not abandoned yet: a repeat may come before the reply.
    if (stopping || r.keyed == nullptr || r.held_by == nullptr) {
      requests_.count(asked, stopping ? &request_counters::stopped : &request_counters::abandoned);
    }
    if (stopping) {
      requests_.report_failure(r, request_fault::stopping, out);
    }
    if (r.held_by != nullptr) {
      requests_.abandon(r, out);
    } else {
      asked.waiting.remove(r);
      requests_.drop(r, out);
      scheduler_.settle(asked, now, out);
    }
  }
}

void dispatcher::ask(client_record& from, std::string_view principal, std::string_view name,
                     dialect how, const std::optional<keyed_attempt>& attempt, zmtp::message& m,
                     time_point now, broker_actions& out) {
  requests_.set_time(now);
  auto* to = scheduler_.find(name);
  if (attempt && requests_.repeat(from, to, name, how, *attempt, m, out)) {
    return;
  }
  if (scheduler_.draining()) {
    requests_.reject(from, request_fault::stopping, how, name, out);
    return;
  }
  if (to == nullptr) {
    if (scheduler_.full()) {
      requests_.reject(from, request_fault::not_offered, how, name, out);
      return;
    }
    to = &scheduler_.create(name, now, out);
  }
  scheduler_.schedule(requests_.enter(from, principal, *to, how, false, attempt, m, out), now, out);
}

void dispatcher::ask_titanic(client_record& from, std::string_view principal, dialect how,
                             zmtp::message& m, time_point now, broker_actions& out) {
  if (scheduler_.draining()) {
    requests_.reject(from, request_fault::stopping, how, mmi_titanic, out);
    return;
  }
  auto& to = *scheduler_.find(titanic_status);
  scheduler_.schedule(requests_.enter(from, principal, to, how, true, std::nullopt, m, out), now,
                      out);
}

worker_record& dispatcher::add_worker(zmtp::peer_id peer, std::string_view name, dialect how,
                                      std::size_t capacity, bool reads_principals, time_point now,
                                      broker_actions& out) {
  auto* const known = scheduler_.find(name);
  auto& serves = known != nullptr ? *known : scheduler_.create(name, now, out);
  auto& w = workers_.add(peer, serves, how, capacity, now);
  w.reads_principals = reads_principals;
  scheduler_.add_worker(w, now, out);
  return w;
}

void dispatcher::remove_worker(worker_record& lost, time_point now, broker_actions& out) {
  requests_.set_time(now);
  auto& served = *lost.serves;
  scheduler_.remove_worker(lost, now);
  // From the last to the first: each goes to the front of the queue.
  while (!lost.in_flight.empty()) {
    redeliver(lost.in_flight.back(), now, out);
  }
  workers_.remove(lost);
  scheduler_.settle(served, now, out);
}

void dispatcher::retire_worker(worker_record& w, time_point now, broker_actions& out) {
  requests_.set_time(now);
  scheduler_.retire_worker(w, now, out);
}

void dispatcher::answer_in_part(request& held, zmtp::message& body, time_point now,
                                broker_actions& out) {
  requests_.set_time(now);
  requests_.answer_in_part(held, body, out);
}

void dispatcher::answer(request& held, zmtp::message& body, time_point now, broker_actions& out) {
  requests_.set_time(now);
  // Sends the next request before the reply, because a worker that takes one request at a time is idle until then.
  scheduler_.serve(*end_attempt(held).serves, now, out);
  requests_.answer(held, body, out);
}

void dispatcher::refuse(request& held, time_point now, broker_actions& out) {
  requests_.set_time(now);
  auto& asked = *held.asked;
  const auto& w = end_attempt(held);
  if (held.asked_by == nullptr) {
    if (held.keyed != nullptr) {
      requests_.count(asked, &request_counters::abandoned);
      held.attempts -= held.keyed->parts.empty() && !held.keyed->too_large ? 1 : 0;
    }
    requests_.drop(held, out);
  } else if (held.partly_answered || held.gathered != nullptr) {
    // The worker had started the request before it sent the NACK.
    requests_.exhaust(held, out);
  } else if (--held.attempts; !w.leaving && ++held.refusals >= asked.workers) {
    requests_.decline(held, out);
  } else {
    held.refused_by = w.peer;
    scheduler_.requeue(held, now);
  }
  scheduler_.settle(asked, now, out);
}

void dispatcher::fail(request& held, time_point now, broker_actions& out) {
  requests_.set_time(now);
  scheduler_.serve(*end_attempt(held).serves, now, out);
  if (held.asked_by != nullptr) {
    requests_.fail(held, &request_counters::failed, request_fault::failed, out);
  } else if (held.keyed != nullptr) {
    requests_.fail(held, &request_counters::abandoned, request_fault::failed, out);
  } else {
    requests_.drop(held, out);
  }
}

// Takes a request from a worker that has ended it. The worker can then take another request.
worker_record& dispatcher::end_attempt(request& held) noexcept {
  auto& w = *held.held_by;
  workers_.take_back(held);
  make_available(w);
  return w;
}

// Queues a request of a lost worker again, or ends the request if no other worker may get it.
void dispatcher::redeliver(request& lost, time_point now, broker_actions& out) {
  workers_.take_back(lost);
  lost.gathered.reset();
  if (lost.asked_by == nullptr) {
    if (lost.keyed != nullptr) {
      requests_.count(*lost.asked, &request_counters::abandoned);
    }
    requests_.drop(lost, out);
  } else if (lost.partly_answered || lost.attempts >= lost.asked->options.attempts) {
    requests_.exhaust(lost, out);
  } else {
    requests_.restart(lost);
    scheduler_.requeue(lost, now);
  }
}

void dispatcher::change_services(const broker_options& options, time_point now,
                                 broker_actions& out) {
  requests_.set_time(now);
  scheduler_.change_services(options, now, out);
}

void dispatcher::drain(time_point now, broker_actions& out) {
  requests_.set_time(now);
  scheduler_.drain(now, out);
}

void dispatcher::give_up(time_point now, broker_actions& out) {
  requests_.set_time(now);
  clients_.for_each([&](client_record& c) { end_all(c, true, now, out); });
}

bool dispatcher::is_served(std::string_view name) noexcept {
  const auto* named = scheduler_.find(name);
  return named != nullptr && named->workers != 0;
}

std::optional<time_point> dispatcher::next_deadline() const noexcept {
  return earlier(requests_.next_deadline(),
                 earlier(workers_.next_deadline(), scheduler_.next_deadline()));
}

void dispatcher::expire_requests(time_point now, broker_actions& out) {
  requests_.set_time(now);
  requests_.expire_outcomes();
  scheduler_.expire(now, out);
}

void dispatcher::describe(broker_status& s) const {
  s.clients = clients_.size();
  s.workers = workers_.size();
  s.working = workers_.held();
  s.waiting = requests_.size() - workers_.held();
  requests_.describe(s);
  scheduler_.describe(s);
}

}  // namespace mdp
