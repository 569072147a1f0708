#include "mdp/dispatcher.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mdp {

namespace {

// What goes into the client address frame of a request: no address at all, but a mark of the
// request that only its worker knows and that is compared when it comes back. Workers echo any
// octets.
struct request_mark {
  std::uint64_t instance;
  std::uint64_t token;

  [[nodiscard]] std::string_view octets() const noexcept {
    return {reinterpret_cast<const char*>(this), sizeof *this};
  }
};
static_assert(sizeof(request_mark) == 16);

// Clients compare it with what they have asked.
std::string_view name_for_client(const request& r) noexcept {
  return r.by_mmi ? mmi_titanic : std::string_view{r.asked->name};
}

std::optional<time_point> earlier(std::optional<time_point> a,
                                  std::optional<time_point> b) noexcept {
  return a && b ? std::min(a, b) : std::max(a, b);
}

}  // namespace

dispatcher::dispatcher(const broker_options& options, std::uint64_t instance,
                       broker_counters& counters)
    : options_{options},
      instance_{instance},
      counters_{counters},
      rules_{options},
      accounts_{options.client_limit, counters},
      worker_deadlines_{options},
      keyed_{options.outcome_limit, options.gathered_limit} {
  rules_.for_each_name([&](std::string_view name, const service_options& of_it) {
    services_.create(name, of_it, true, time_point{});
  });
}

client_record& dispatcher::add_client(zmtp::peer_id peer, std::string&& routing_id,
                                      bool reads_errors) {
  auto& added = clients_.create();
  added.peer = peer;
  added.routing_id = std::move(routing_id);
  added.reads_errors = reads_errors;
  return added;
}

service& dispatcher::create(std::string_view name, time_point now, broker_actions& out) {
  out.events.push_back({.what = broker_event::kind::service_added, .service = std::string{name}});
  return services_.create(name, rules_.of(name), false, now);
}

void dispatcher::remove_client(client_record& gone, time_point now, broker_actions& out) {
  keyed_.set_time(now);
  accounts_.forget(gone);
  end_unanswered(gone, false, now, out);
  clients_.destroy(gone);
}

// The client has gone, or the broker stops.
void dispatcher::end_unanswered(client_record& of, bool stopping, time_point now,
                                broker_actions& out) {
  while (!of.unanswered.empty()) {
    auto& r = of.unanswered.front();
    auto& asked = *r.asked;
    // One with a key may have a repeat under way, and is abandoned only if there is none until it ends.
    if (stopping || r.keyed == nullptr || r.held_by == nullptr) {
      count(asked, stopping ? &request_counters::stopped : &request_counters::abandoned);
    }
    if (stopping) {
      tell_failure(r, request_fault::stopping, out);
    }
    if (r.held_by != nullptr) {
      give_up(r, out);
    } else {
      asked.waiting.remove(r);
      drop(r, out);
      settle(asked, now, out);
    }
  }
}

void dispatcher::ask(client_record& from, std::string_view name, dialect how,
                     const std::optional<keyed_attempt>& attempt, zmtp::message& m, time_point now,
                     broker_actions& out) {
  keyed_.set_time(now);
  if (attempt) {
    if (auto* const known = keyed_.find(attempt->key, name); known != nullptr) {
      repeat(from, *known, *attempt, how, m, now, out);
      return;
    }
    if (!attempt->may_begin) {
      if (from.reads_errors) {
        out.send(from.peer, make_not_known(how, name, keyed_.memory()));
      }
      return;
    }
  }
  if (draining_) {
    turn_away(from, request_fault::stopping, how, name, out);
    return;
  }
  auto* to = services_.find(name);
  if (to == nullptr) {
    if (services_.without_worker() >= options_.unknown_services) {
      turn_away(from, request_fault::not_offered, how, name, out);
      return;
    }
    to = &create(name, now, out);
  }
  enter(from, *to, how, false, attempt, m, now, out);
}

void dispatcher::ask_titanic(client_record& from, dialect how, zmtp::message& m, time_point now,
                             broker_actions& out) {
  if (draining_) {
    turn_away(from, request_fault::stopping, how, mmi_titanic, out);
    return;
  }
  enter(from, *services_.find(titanic_status), how, true, std::nullopt, m, now, out);
}

// A request that is not accepted.
void dispatcher::turn_away(const client_record& from, request_fault why, dialect how,
                           std::string_view name, broker_actions& out) {
  ++counters_.refused;
  if (from.reads_errors) {
    ++counters_.errors;
    out.send(from.peer, make_error(how, why, request_outcome::refused, name));
  }
}

void dispatcher::enter(client_record& from, service& to, dialect how, bool by_mmi,
                       const std::optional<keyed_attempt>& attempt, zmtp::message& m,
                       time_point now, broker_actions& out) {
  count(to, &request_counters::requests);
  auto& r = requests_.create();
  if (attempt) {
    r.keyed = &keyed_.enter(*attempt, to.name, r);
  }
  r.by_mmi = by_mmi;
  m.pop_front();
  hold(r, m, how);
  accounts_.enter(r, from, to, out);
  if (to.has_room()) {
    assign(r, *worker_for(r, true), now, out);
    return;
  }
  r.queued_at = now;
  to.waiting.push(r);
  if (const auto expiry = expiry_of(to)) {
    service_deadlines_.set_no_later(to, *expiry);
  }
}

// The body of a request, as the client sent it.
void dispatcher::hold(request& r, zmtp::message& body, dialect how) {
  r.slice.unlink();
  r.body = std::move(body);
  r.how = how;
  if (!r.body.tail().empty()) {
    slices_.push_back(r);
  }
}

worker_record& dispatcher::add_worker(zmtp::peer_id peer, std::string_view name, dialect how,
                                      std::size_t capacity, time_point now, broker_actions& out) {
  auto* known = services_.find(name);
  auto& serves = known != nullptr ? *known : create(name, now, out);
  auto& w = workers_.create();
  w.peer = peer;
  w.serves = &serves;
  w.how = how;
  // A client's own address does not say which of its requests is answered.
  w.sees_raw_addresses = serves.options.raw_client_address;
  w.capacity = w.sees_raw_addresses ? 1 : capacity;
  w.busy_expiry = serves.options.busy_expiry;
  w.busy_deadline = serves.options.busy_deadline;
  w.heard_at = w.told_at = now;
  worker_deadlines_.add(w);
  services_.add_worker(serves);
  serves.idle.push_back(w);
  settle(serves, now, out);
  return w;
}

void dispatcher::remove_worker(worker_record& lost, time_point now, broker_actions& out) {
  keyed_.set_time(now);
  auto& served = *lost.serves;
  worker_deadlines_.remove(lost);
  lost.ready.unlink();
  if (served.emptying == &lost) {
    served.emptying = nullptr;
  }
  // From the last to the first, so that the first is in front again.
  while (!lost.hands.empty()) {
    give_back(lost.hands.back(), now, out);
  }
  if (lost.leaving) {
    --served.leaving;
  } else {
    services_.remove_worker(served, now);
  }
  workers_.destroy(lost);
  settle(served, now, out);
}

void dispatcher::retire_worker(worker_record& w, time_point now, broker_actions& out) {
  keyed_.set_time(now);
  auto& served = *w.serves;
  if (!std::exchange(w.leaving, true)) {
    w.ready.unlink();
    if (served.emptying == &w) {
      served.emptying = nullptr;
    }
    ++served.leaving;
    services_.remove_worker(served, now);
    settle(served, now, out);
  }
}

// Gives waiting requests to workers while there are both.
void dispatcher::serve(service& s, time_point now, broker_actions& out) {
  serve_suspects(s, now, out);
  while (s.has_room() || s.waiting.returned() != nullptr) {
    auto* const back = s.waiting.returned();
    auto* const taker = back != nullptr ? worker_for(*back, true) : nullptr;
    if (taker != nullptr) {
      s.waiting.remove(*back);
      assign(*back, *taker, now, out);
    } else if (back != nullptr && s.has_room() && s.workers == 1) {
      // The only worker has refused it.
      s.waiting.remove(*back);
      decline(*back, out);
    } else if (s.has_room() && s.waiting.has_turn()) {
      auto& next = s.waiting.take();
      assign(next, *worker_for(next, true), now, out);
    } else {
      return;
    }
  }
}

// A request that was lost goes to an idle worker. If no worker is idle, one of those at work is given nothing
// more until it is idle.
void dispatcher::serve_suspects(service& s, time_point now, broker_actions& out) {
  while (s.waiting.suspect() != nullptr && !s.idle.empty()) {
    auto* const next = s.waiting.suspect();
    // It was given back before change_services() allowed fewer attempts.
    if (next->attempts >= s.options.attempts) {
      s.waiting.remove(*next);
      exhaust(*next, out);
    } else if (auto* const taker = worker_for(*next, false); taker != nullptr) {
      s.waiting.remove(*next);
      assign(*next, *taker, now, out);
    } else if (s.workers == 1) {
      s.waiting.remove(*next);
      decline(*next, out);
    } else {
      break;
    }
  }
  if (s.waiting.suspect() == nullptr) {
    if (auto* const kept = std::exchange(s.emptying, nullptr); kept != nullptr) {
      make_room(*kept);
    }
  } else if (s.emptying == nullptr && !s.at_work.empty()) {
    s.emptying = &s.at_work.front();
    s.emptying->ready.unlink();
  }
}

// The next worker for this request, an idle one before those at work, which count only if asked for. The worker
// that has just refused it is passed over. Null if there is none.
worker_record* dispatcher::worker_for(const request& r, bool at_work) noexcept {
  const auto first_of = [&](auto& workers) -> worker_record* {
    const auto at = std::find_if(workers.begin(), workers.end(),
                                 [&](const worker_record& w) { return w.peer != r.refused_by; });
    return at == workers.end() ? nullptr : &*at;
  };
  auto* const idle = first_of(r.asked->idle);
  return idle == nullptr && at_work ? first_of(r.asked->at_work) : idle;
}

// A request that was refused as often as its service has workers. It is in no queue.
void dispatcher::decline(request& r, broker_actions& out) {
  count(*r.asked, &request_counters::declined);
  tell_failure(r, request_fault::refused, out);
  drop(r, out);
}

void dispatcher::assign(request& r, worker_record& w, time_point now, broker_actions& out) {
  auto& s = *r.asked;
  const bool suspect = r.attempts != 0;
  w.ready.unlink();
  w.hands.push_back(r);
  r.held_by = &w;
  given_.enter(r);
  ++r.attempts;
  r.given_at = now;
  w.told_at = now;
  ++s.working;
  if (w.held++ == 0) {
    ++s.busy;
    w.busy_since = now;
    worker_deadlines_.on_busy(w);
  }
  if (w.held < w.capacity && !suspect) {
    s.at_work.push_back(w);
  }
  auto& given = out.sends.emplace_back();
  given.to = w.peer;
  given.content = r.body;
  const request_mark mark{instance_, r.token};
  auto address = mark.octets();
  if (w.sees_raw_addresses) {
    // Who went before he was looked at has none.
    w.raw_address = r.asked_by->routing_id.empty() ? address : r.asked_by->routing_id;
    address = w.raw_address;
  }
  push_worker_request(given.content, w.how, address);
}

request* dispatcher::held_by(worker_record& w, std::string_view address) noexcept {
  if (w.sees_raw_addresses) {
    return w.held != 0 && address == w.raw_address ? &w.hands.front() : nullptr;
  }
  request_mark mark{};
  if (address.size() != sizeof mark) {
    return nullptr;
  }
  std::memcpy(&mark, address.data(), sizeof mark);
  if (mark.instance != instance_) {
    return nullptr;
  }
  auto* const found = given_.find(mark.token);
  return found != nullptr && found->held_by == &w ? found : nullptr;
}

void dispatcher::answer_in_part(request& held, zmtp::message& body, time_point now,
                                broker_actions& out) {
  keyed_.set_time(now);
  if (held.keyed != nullptr) {
    keyed_.add_part(*held.keyed, body);
  }
  if (held.asked_by != nullptr) {
    pass_on_part(held, body, out);
  } else if (held.keyed == nullptr) {
    count(*held.asked, &request_counters::unwanted_replies);
  }
}

void dispatcher::pass_on_part(request& held, zmtp::message& body, broker_actions& out) {
  if (held.how == dialect::v01) {
    (void)gather(held, body, out);
  } else {
    held.partly_answered = true;
    count(*held.asked, &request_counters::partials);
    push_client_reply(body, held.how, false, name_for_client(held));
    out.send(held.asked_by->peer, std::move(body));
  }
}

void dispatcher::answer(request& held, zmtp::message& body, time_point now, broker_actions& out) {
  // The next request goes before the reply: a worker that takes one at a time is idle until then.
  keyed_.set_time(now);
  auto& w = *held.held_by;
  take_back(held);
  make_room(w);
  serve(*w.serves, now, out);
  auto* const keyed = std::exchange(held.keyed, nullptr);
  if (keyed != nullptr) {
    keyed_.answer(*keyed, body);
  }
  if (held.asked_by == nullptr) {
    count(*held.asked,
          keyed != nullptr ? &request_counters::abandoned : &request_counters::unwanted_replies);
  } else if (held.gathered == nullptr || gather(held, body, out)) {
    auto& whole = held.gathered != nullptr ? *held.gathered : body;
    count(*held.asked, &request_counters::replies);
    push_client_reply(whole, held.how, true, name_for_client(held));
    out.send(held.asked_by->peer, std::move(whole));
  }
  drop(held, out);
}

void dispatcher::refuse(request& held, time_point now, broker_actions& out) {
  keyed_.set_time(now);
  auto& w = *held.held_by;
  auto& asked = *held.asked;
  take_back(held);
  make_room(w);
  if (held.asked_by == nullptr) {
    if (held.keyed != nullptr) {
      count(asked, &request_counters::abandoned);
      held.attempts -= held.keyed->parts.empty() && !held.keyed->too_large ? 1 : 0;
    }
    drop(held, out);
  } else if (held.partly_answered || held.gathered != nullptr) {
    // The worker had begun with the request, whatever the NACK says.
    exhaust(held, out);
  } else if (--held.attempts; !w.leaving && ++held.refusals >= asked.workers) {
    decline(held, out);
  } else {
    held.refused_by = w.peer;
    count(asked, &request_counters::requeued);
    held.queued_at = now;
    asked.waiting.give_back(held);
  }
  settle(asked, now, out);
}

void dispatcher::fail(request& held, time_point now, broker_actions& out) {
  keyed_.set_time(now);
  auto& w = *held.held_by;
  take_back(held);
  make_room(w);
  serve(*w.serves, now, out);
  if (held.asked_by != nullptr || held.keyed != nullptr) {
    count(*held.asked,
          held.asked_by != nullptr ? &request_counters::failed : &request_counters::abandoned);
    tell_failure(held, request_fault::failed, out);
  }
  drop(held, out);
}

// A worker has given an answer, and can take a request in its place.
void dispatcher::make_room(worker_record& w) noexcept {
  auto& s = *w.serves;
  if (w.leaving) {
    return;
  }
  if (w.held == 0) {
    w.ready.unlink();
    s.idle.push_back(w);
    if (s.emptying == &w) {
      s.emptying = nullptr;
    }
  } else if (s.emptying != &w && !w.ready.is_linked()) {
    s.at_work.push_back(w);
  }
}

// Out of its worker's hands.
void dispatcher::take_back(request& held) noexcept {
  given_.leave(held);
  held.place.unlink();
  --held.asked->working;
  if (--held.held_by->held == 0) {
    --held.asked->busy;
  }
  held.held_by = nullptr;
}

// Puts a part of a reply behind what a 0.1 client is to get at once. If that is too much, the
// client gets nothing: false.
bool dispatcher::gather(request& r, const zmtp::message& body, broker_actions& out) {
  if (r.gathered == nullptr) {
    r.gathered = std::make_unique<zmtp::message>();
  }
  if (r.gathered->framed_size() + body.framed_size() > options_.gathered_limit.octets ||
      r.gathered->part_count() + body.part_count() > options_.gathered_limit.parts) {
    count(*r.asked, &request_counters::oversized);
    tell_failure(r, request_fault::too_large, out);
    give_up(r, out);
    return false;
  }
  r.gathered->append(body);
  return true;
}

// Ends a request that is in nobody's hands and in no queue.
void dispatcher::drop(request& r, broker_actions& out) {
  if (auto* const keyed = std::exchange(r.keyed, nullptr); keyed != nullptr) {
    if (r.attempts == 0) {
      keyed_.withdraw(*keyed);
    } else {
      keyed_.fail(*keyed, request_fault::worker_lost, request_outcome::unknown);
    }
  }
  if (r.asked_by != nullptr) {
    accounts_.leave(r, out);
  }
  requests_.destroy(r);
}

// Nobody waits for the reply of this request any more, which its worker does not know.
void dispatcher::give_up(request& held, broker_actions& out) {
  accounts_.leave(held, out);
  held.body.clear();
  held.gathered.reset();
  held.slice.unlink();
}

// A request whose worker was lost.
void dispatcher::give_back(request& held, time_point now, broker_actions& out) {
  take_back(held);
  held.gathered.reset();
  const auto& options = held.asked->options;
  if (held.asked_by == nullptr) {
    if (held.keyed != nullptr) {
      count(*held.asked, &request_counters::abandoned);
    }
    drop(held, out);
  } else if (held.partly_answered || held.attempts >= options.attempts) {
    exhaust(held, out);
  } else {
    if (held.keyed != nullptr) {
      keyed_.restart(*held.keyed);
    }
    count(*held.asked, &request_counters::requeued);
    held.queued_at = now;
    held.asked->waiting.give_back(held);
  }
}

// It was carried out in part, perhaps, and is not given to another worker: whose reply must not be mixed
// with that of the first one, either.
void dispatcher::exhaust(request& r, broker_actions& out) {
  auto& asked = *r.asked;
  count(asked, r.partly_answered ? &request_counters::cut_short : &request_counters::exhausted);
  if (asked.options.poison == poison_policy::answer) {
    tell_failure(r, request_fault::worker_lost, out);
  }
  drop(r, out);
}

// Tells the client, if it understands it, that there will be no reply.
void dispatcher::tell_failure(request& r, request_fault why, broker_actions& out) {
  const auto result = r.attempts == 0 ? request_outcome::refused : request_outcome::unknown;
  if (auto* const keyed = std::exchange(r.keyed, nullptr); keyed != nullptr) {
    keyed_.fail(*keyed, why, result);
  }
  if (r.asked_by != nullptr && r.asked_by->reads_errors) {
    count(*r.asked, &request_counters::errors);
    out.send(r.asked_by->peer, make_error(r.how, why, result, name_for_client(r)));
  }
}

// An attempt of a request that is known by its key.
void dispatcher::repeat(client_record& from, keyed_request& known, const keyed_attempt& attempt,
                        dialect how, zmtp::message& m, time_point now, broker_actions& out) {
  if (auto* const of = services_.find(known.service); of != nullptr) {
    count(*of, &request_counters::repeats);
  } else {
    ++counters_.repeats;
  }
  if (known.running == nullptr) {
    tell_outcome(from, known, how, out);
  } else if (attempt.number > known.latest_attempt) {
    // A connection may be read after the one that its client has opened since: the latest waits.
    known.latest_attempt = attempt.number;
    take_over(*known.running, from, how, m, now, out);
  }
}

// The client of a request asks again over another connection, which gets the reply instead.
void dispatcher::take_over(request& r, client_record& from, dialect how, zmtp::message& m,
                           time_point now, broker_actions& out) {
  auto& asked = *r.asked;
  const bool in_line = r.waits_in != nullptr;
  if (in_line) {
    asked.waiting.remove(r);
  }
  if (r.asked_by != nullptr) {
    accounts_.leave(r, out);
  }
  m.pop_front();
  hold(r, m, how);
  accounts_.enter(r, from, asked, out);
  if (in_line) {
    r.queued_at = now;
    asked.waiting.push(r);
  }
  r.gathered.reset();
  if (r.keyed->too_large) {
    count(asked, &request_counters::oversized);
    tell_failure(r, request_fault::too_large, out);
    give_up(r, out);
    return;
  }
  // The new connection has none of the parts that have come.
  for (auto part : r.keyed->parts) {
    pass_on_part(r, part, out);
  }
}

// The first attempt's outcome, for a repeat that came when there was one.
void dispatcher::tell_outcome(const client_record& to, const keyed_request& ended, dialect how,
                              broker_actions& out) {
  if (ended.is == keyed_request::state::failed) {
    if (to.reads_errors) {
      out.send(to.peer, make_error(how, ended.fault, ended.result, ended.service));
    }
    return;
  }
  zmtp::message whole;
  for (std::size_t i = 0; i < ended.parts.size(); ++i) {
    const bool last = i + 1 == ended.parts.size();
    whole.append(ended.parts[i]);
    if (last || how != dialect::v01) {
      push_client_reply(whole, how, last, ended.service);
      out.send(to.peer, std::exchange(whole, {}));
    }
  }
}

// After a service has got or lost a worker, or lost a waiting request.
void dispatcher::settle(service& s, time_point now, broker_actions& out) {
  serve(s, now, out);
  if (draining_ && s.workers == 0) {
    end_waiting(s, out);
  }
  if (s.workers == 0 && s.leaving == 0 && s.waiting.empty() && !s.lasting) {
    service_deadlines_.remove(s);
    services_.remove(s);
  } else {
    watch_expiry(s);
  }
}

void dispatcher::watch_expiry(service& s) {
  if (const auto expiry = s.waiting.empty() ? std::nullopt : expiry_of(s)) {
    service_deadlines_.set(s, *expiry);
  } else {
    service_deadlines_.remove(s);
  }
}

// The broker stops, and does not wait for workers that may come.
void dispatcher::end_waiting(service& s, broker_actions& out) {
  while (!s.waiting.empty()) {
    auto& left = s.waiting.oldest();
    count(s, &request_counters::stopped);
    tell_failure(left, request_fault::stopping, out);
    s.waiting.remove(left);
    drop(left, out);
  }
}

void dispatcher::drain(time_point now, broker_actions& out) {
  keyed_.set_time(now);
  draining_ = true;
  services_.for_each([&](service& s) { settle(s, now, out); });
}

void dispatcher::give_up(time_point now, broker_actions& out) {
  keyed_.set_time(now);
  clients_.for_each([&](client_record& c) { end_unanswered(c, true, now, out); });
}

void dispatcher::change_services(const broker_options& options, time_point now,
                                 broker_actions& out) {
  keyed_.set_time(now);
  rules_ = service_rules{options};
  rules_.for_each_name([&](std::string_view name, const service_options& of_it) {
    if (services_.find(name) == nullptr) {
      services_.create(name, of_it, true, now);
    }
  });
  workers_.for_each([&](worker_record& w) {
    const auto& of_it = rules_.of(w.serves->name);
    w.busy_expiry = of_it.busy_expiry;
    w.busy_deadline = of_it.busy_deadline;
    worker_deadlines_.look_again(w, judge_from_);
  });
  services_.for_each([&](service& s) {
    s.options = rules_.of(s.name);
    services_.set_lasting(s, rules_.name(s.name));
    accounts_.look_again(s, out);
    settle(s, now, out);
  });
}

bool dispatcher::is_served(std::string_view name) noexcept {
  const auto* named = services_.find(name);
  return named != nullptr && named->workers != 0;
}

// Of the request that waits longest; there must be one.
std::optional<time_point> dispatcher::expiry_of(service& s) const noexcept {
  std::optional<time_point> expiry;
  const auto waits_since = s.waiting.oldest().queued_at;
  if (s.options.request_expiry) {
    expiry = waits_since + *s.options.request_expiry;
  }
  if (s.workers == 0) {
    const auto unserved = std::max(waits_since, s.unserved_since) + s.options.unserved_expiry;
    expiry = expiry ? std::min(*expiry, unserved) : unserved;
  }
  return expiry ? std::optional{std::max(*expiry, judge_from_)} : std::nullopt;
}

std::optional<time_point> dispatcher::next_deadline() const noexcept {
  auto of_keys = keyed_.next_deadline();
  if (of_keys) {
    of_keys = std::max(*of_keys, judge_from_);
  }
  return earlier(of_keys, earlier(worker_deadlines_.next(), service_deadlines_.next()));
}

worker_record* dispatcher::next_dead_worker(time_point now, broker_actions& out) {
  while (auto* w = worker_deadlines_.first_due(now)) {
    switch (worker_deadlines_.judge(*w, now, judge_from_)) {
      case worker_deadlines::verdict::dead: return w;
      case worker_deadlines::verdict::owed_a_heartbeat:
        w->told_at = now;
        out.send(w->peer, make_heartbeat(w->how));
        break;
      case worker_deadlines::verdict::fine: break;
    }
    worker_deadlines_.look_again(*w, judge_from_);
  }
  return nullptr;
}

void dispatcher::expire_requests(time_point now, broker_actions& out) {
  keyed_.set_time(now);
  if (now >= judge_from_) {
    keyed_.expire();
  }
  while (!service_deadlines_.empty() && *service_deadlines_.next() <= now) {
    auto& s = service_deadlines_.first();
    // What waited until now may be with a worker since.
    while (!s.waiting.empty() && expiry_of(s).value_or(time_point::max()) <= now) {
      auto& late = s.waiting.oldest();
      count(s, &request_counters::expired);
      tell_failure(
          late, s.workers == 0 ? request_fault::not_offered : request_fault::waited_too_long, out);
      s.waiting.remove(late);
      drop(late, out);
    }
    settle(s, now, out);
  }
}

void dispatcher::compact() {
  while (!slices_.empty()) {
    auto& r = slices_.front();
    slices_.pop_front();
    r.body.compact();
  }
}

void dispatcher::describe(broker_status& s) const {
  s.clients = clients_.size();
  s.paused_clients = accounts_.paused();
  s.workers = workers_.size();
  s.services = services_.size();
  s.unknown_services = services_.without_worker();
  s.waiting = requests_.size() - given_.size();
  s.working = given_.size();
  s.keyed_requests = keyed_.size();
  s.keyed_bytes = keyed_.bytes();
}

std::vector<service_status> dispatcher::services(std::string_view after, std::size_t count) const {
  std::vector<service_status> some;
  some.reserve(std::min(count, services_.size()));
  services_.for_each_after(after, [&](const service& one) {
    if (some.size() == count) {
      return false;
    }
    some.push_back({one.name, one.workers, one.busy, one.waiting.size(), one.working, one.octets,
                    one.counters});
    return true;
  });
  return some;
}

}  // namespace mdp
