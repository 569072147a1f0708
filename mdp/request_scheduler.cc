#include "mdp/request_scheduler.h"

#include <algorithm>
#include <string>
#include <utility>

namespace mdp {

request_scheduler::request_scheduler(const broker_options& options, const zmtp::liveness& liveness,
                                     accepted_requests& requests, worker_table& workers)
    : unknown_services_{options.unknown_services},
      requests_{requests},
      workers_{workers},
      rules_{options},
      deadlines_{liveness} {
  rules_.for_each_name([&](std::string_view name, const service_options& of_it) {
    services_.create(name, of_it, true, time_point{});
  });
}

service& request_scheduler::create(std::string_view name, time_point now, broker_actions& out) {
  out.events.push_back({.what = broker_event::kind::service_added, .service = std::string{name}});
  return services_.create(name, rules_.of(name), false, now);
}

void request_scheduler::schedule(request& r, time_point now, broker_actions& out) {
  auto& s = *r.asked;
  r.queued_at = now;
  if (s.has_room()) {
    requests_.count_queue_time(r, now);
    workers_.assign(r, *worker_for(r), now, out);
    return;
  }
  s.waiting.push(r);
  deadlines_.on_queued(s);
}

void request_scheduler::requeue(request& r, time_point now) {
  requests_.count(*r.asked, &request_counters::requeued);
  r.queued_at = now;
  r.asked->waiting.give_back(r);
}

void request_scheduler::add_worker(worker_record& w, time_point now, broker_actions& out) {
  services_.add_worker(*w.serves);
  make_available(w);
  settle(*w.serves, now, out);
}

void request_scheduler::retire_worker(worker_record& w, time_point now, broker_actions& out) {
  if (!std::exchange(w.leaving, true)) {
    auto& s = *w.serves;
    make_unavailable(w);
    ++s.leaving;
    services_.remove_worker(s, now);
    settle(s, now, out);
  }
}

void request_scheduler::remove_worker(worker_record& lost, time_point now) noexcept {
  auto& s = *lost.serves;
  make_unavailable(lost);
  if (lost.leaving) {
    --s.leaving;
  } else {
    services_.remove_worker(s, now);
  }
}

void request_scheduler::serve(service& s, time_point now, broker_actions& out) {
  for (auto next = take_suspect(s); next.taken != nullptr; next = take_suspect(s)) {
    carry_out(next, now, out);
  }
  reserve_worker(s);
  for (auto next = take_request(s); next.taken != nullptr; next = take_request(s)) {
    carry_out(next, now, out);
  }
}

void request_scheduler::carry_out(const choice& made, time_point now, broker_actions& out) {
  switch (made.is) {
    case choice::action::wait: break;
    case choice::action::assign:
      requests_.count_queue_time(*made.taken, now);
      workers_.assign(*made.taken, *made.worker, now, out);
      break;
    case choice::action::decline: requests_.decline(*made.taken, out); break;
    case choice::action::exhaust: requests_.exhaust(*made.taken, out); break;
  }
}

void request_scheduler::settle(service& s, time_point now, broker_actions& out) {
  serve(s, now, out);
  if (draining_ && s.workers == 0) {
    end_pending(s, out);
  }
  if (s.workers == 0 && s.leaving == 0 && s.waiting.empty() && !s.lasting) {
    deadlines_.remove(s);
    services_.remove(s);
  } else {
    deadlines_.look_again(s);
  }
}

// The broker stops, and does not wait until a worker registers.
void request_scheduler::end_pending(service& s, broker_actions& out) {
  while (!s.waiting.empty()) {
    auto& left = s.waiting.oldest();
    s.waiting.remove(left);
    requests_.fail(left, &request_counters::stopped, request_fault::stopping, out);
  }
}

void request_scheduler::drain(time_point now, broker_actions& out) {
  draining_ = true;
  services_.for_each([&](service& s) { settle(s, now, out); });
}

void request_scheduler::change_services(const broker_options& options, time_point now,
                                        broker_actions& out) {
  rules_ = service_rules{options};
  rules_.for_each_name([&](std::string_view name, const service_options& of_it) {
    if (services_.find(name) == nullptr) {
      services_.create(name, of_it, true, now);
    }
  });
  // Before the services, because settle() gives requests to workers.
  workers_.apply(rules_);
  services_.for_each([&](service& s) {
    s.options = rules_.of(s.name);
    services_.set_lasting(s, rules_.name(s.name));
    requests_.on_quota_changed(s, out);
    settle(s, now, out);
  });
}

void request_scheduler::expire(time_point now, broker_actions& out) {
  while (auto* const s = deadlines_.first_due(now)) {
    while (auto* const late = deadlines_.first_expired(*s, now)) {
      s->waiting.remove(*late);
      requests_.fail(*late, &request_counters::expired,
                     s->workers == 0 ? request_fault::not_offered : request_fault::waited_too_long,
                     out);
    }
    settle(*s, now, out);
  }
}

void request_scheduler::describe(broker_status& s) const {
  s.draining = draining_;
  s.services = services_.size();
  s.unknown_services = services_.without_worker();
}

std::vector<service_status> request_scheduler::services(std::string_view after,
                                                        std::size_t count) const {
  std::vector<service_status> some;
  some.reserve(std::min(count, services_.size()));
  services_.for_each_after(after, [&](const service& one) {
    if (some.size() == count) {
      return false;
    }
    some.push_back({one.name, one.workers, one.busy, one.waiting.size(), one.working, one.bytes,
                    one.counters, one.times});
    return true;
  });
  return some;
}

}  // namespace mdp
