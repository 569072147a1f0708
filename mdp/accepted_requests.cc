#include "mdp/accepted_requests.h"

#include "mdp/client_replies.h"

#include <algorithm>
#include <utility>

namespace mdp {

accepted_requests::accepted_requests(const broker_options& options, const zmtp::liveness& liveness,
                                     broker_counters& counters)
    : gathered_limit_{options.gathered_limit},
      liveness_{liveness},
      counters_{counters},
      quotas_{options.client_limit, counters},
      keyed_{options.outcome_limit, options.gathered_limit} {}

void accepted_requests::reject(const client_record& from, request_fault why, dialect how,
                               std::string_view name, broker_actions& out) {
  ++counters_.refused;
  if (from.reads_errors) {
    ++counters_.errors;
    out.send(from.peer, make_error(how, why, request_outcome::refused, name));
  }
}

bool accepted_requests::repeat(client_record& from, service* to, std::string_view name, dialect how,
                               const keyed_attempt& attempt, zmtp::message& m,
                               broker_actions& out) {
  auto* const known = keyed_.find(attempt.key, name);
  if (known == nullptr) {
    if (!attempt.may_begin && from.reads_errors) {
      out.send(from.peer, make_not_known(how, name, keyed_.memory()));
    }
    return !attempt.may_begin;
  }
  if (to != nullptr) {
    count(*to, &request_counters::repeats);
  } else {
    ++counters_.repeats;
  }
  if (known->running == nullptr) {
    send_outcome(from, *known, how, out);
  } else if (attempt.number > known->latest_attempt) {
    // The broker may read an old connection of a client after the new one. The latest attempt gets the reply.
    known->latest_attempt = attempt.number;
    take_over(*known->running, from, how, m, out);
  }
  return true;
}

// Moves a request in progress to the connection of its latest attempt, which gets the reply instead.
void accepted_requests::take_over(request& r, client_record& from, dialect how, zmtp::message& m,
                                  broker_actions& out) {
  auto& asked = *r.asked;
  const bool in_line = r.waits_in != nullptr;
  if (in_line) {
    asked.waiting.remove(r);
  }
  if (r.asked_by != nullptr) {
    quotas_.leave(r, out);
  }
  set_body(r, m, how);
  quotas_.enter(r, from, asked, out);
  if (in_line) {
    r.queued_at = now_;
    asked.waiting.push(r);
  }
  r.gathered.reset();
  if (r.keyed->too_large) {
    end_too_large(r, out);
    return;
  }
  // The new connection has received none of the earlier parts.
  for (auto part : r.keyed->parts) {
    pass_on_part(r, part, out);
  }
}

request& accepted_requests::enter(client_record& from, std::string_view principal, service& to,
                                  dialect how, bool by_mmi,
                                  const std::optional<keyed_attempt>& attempt, zmtp::message& m,
                                  broker_actions& out) {
  count(to, &request_counters::requests);
  auto& r = requests_.create();
  r.principal = principal;
  if (attempt) {
    r.keyed = &keyed_.enter(*attempt, to.name, r);
  }
  r.by_mmi = by_mmi;
  set_body(r, m, how);
  quotas_.enter(r, from, to, out);
  return r;
}

// Keeps the body of a request, as its client sent it behind the name of the service.
void accepted_requests::set_body(request& r, zmtp::message& m, dialect how) {
  m.pop_front();
  r.slice.unlink();
  r.body = std::move(m);
  r.how = how;
  if (!r.body.tail().empty()) {
    slices_.push_back(r);
  }
}

void accepted_requests::answer_in_part(request& held, zmtp::message& body, broker_actions& out) {
  if (held.keyed != nullptr) {
    keyed_.add_part(*held.keyed, body);
  }
  if (held.asked_by != nullptr) {
    pass_on_part(held, body, out);
  } else if (held.keyed == nullptr) {
    count(*held.asked, &request_counters::unwanted_replies);
  }
}

void accepted_requests::pass_on_part(request& r, zmtp::message& body, broker_actions& out) {
  if (r.how == dialect::v01) {
    (void)gather_or_end(r, body, out);
  } else {
    r.partly_answered = true;
    count(*r.asked, &request_counters::partials);
    send_part(r, body, out);
  }
}

void accepted_requests::answer(request& r, zmtp::message& body, broker_actions& out) {
  counters_.work_time.add(now_ - r.given_at);
  r.asked->times.work_time.add(now_ - r.given_at);
  auto* const keyed = std::exchange(r.keyed, nullptr);
  if (keyed != nullptr) {
    keyed_.answer(*keyed, body);
  }
  if (r.asked_by == nullptr) {
    count(*r.asked,
          keyed != nullptr ? &request_counters::abandoned : &request_counters::unwanted_replies);
  } else if (r.gathered == nullptr || gather_or_end(r, body, out)) {
    count(*r.asked, &request_counters::replies);
    send_reply(r, r.gathered != nullptr ? *r.gathered : body, out);
  }
  drop(r, out);
}

// Returns false if the reply is above the limit. The client of `r` then gets an error.
bool accepted_requests::gather_or_end(request& r, const zmtp::message& body, broker_actions& out) {
  const bool gathered = gather(r, body, gathered_limit_);
  if (!gathered) {
    end_too_large(r, out);
  }
  return gathered;
}

void accepted_requests::end_too_large(request& r, broker_actions& out) {
  count(*r.asked, &request_counters::oversized);
  report_failure(r, request_fault::too_large, out);
  abandon(r, out);
}

void accepted_requests::fail(request& r, std::uint64_t request_counters::*cause, request_fault why,
                             broker_actions& out) {
  count(*r.asked, cause);
  report_failure(r, why, out);
  drop(r, out);
}

void accepted_requests::exhaust(request& r, broker_actions& out) {
  auto& asked = *r.asked;
  count(asked, r.partly_answered ? &request_counters::cut_short : &request_counters::exhausted);
  if (asked.options.poison == poison_policy::answer) {
    report_failure(r, request_fault::worker_lost, out);
  }
  drop(r, out);
}

void accepted_requests::drop(request& r, broker_actions& out) {
  if (auto* const keyed = std::exchange(r.keyed, nullptr); keyed != nullptr) {
    if (r.attempts == 0) {
      keyed_.withdraw(*keyed);
    } else {
      keyed_.fail(*keyed, request_fault::worker_lost, request_outcome::unknown);
    }
  }
  if (r.asked_by != nullptr) {
    quotas_.leave(r, out);
  }
  requests_.destroy(r);
}

void accepted_requests::report_failure(request& r, request_fault why, broker_actions& out) {
  const auto result = r.attempts == 0 ? request_outcome::refused : request_outcome::unknown;
  if (auto* const keyed = std::exchange(r.keyed, nullptr); keyed != nullptr) {
    keyed_.fail(*keyed, why, result);
  }
  if (r.asked_by != nullptr && r.asked_by->reads_errors) {
    count(*r.asked, &request_counters::errors);
    out.send(r.asked_by->peer, make_error(r.how, why, result, name_for_client(r)));
  }
}

void accepted_requests::abandon(request& held, broker_actions& out) {
  quotas_.leave(held, out);
  held.body.clear();
  held.gathered.reset();
  held.slice.unlink();
}

void accepted_requests::restart(request& r) noexcept {
  if (r.keyed != nullptr) {
    keyed_.restart(*r.keyed);
  }
}

std::optional<time_point> accepted_requests::next_deadline() const noexcept {
  const auto next = keyed_.next_deadline();
  return next ? std::optional{liveness_.verdict_at(*next)} : std::nullopt;
}

void accepted_requests::expire_outcomes() {
  if (const auto due = next_deadline(); due && *due <= now_) {
    keyed_.expire();
  }
}

void accepted_requests::compact() {
  while (!slices_.empty()) {
    auto& r = slices_.front();
    slices_.pop_front();
    r.body.compact();
  }
}

void accepted_requests::describe(broker_status& s) const {
  s.paused_clients = quotas_.paused();
  s.keyed_requests = keyed_.size();
  s.keyed_bytes = keyed_.bytes();
}

}  // namespace mdp
