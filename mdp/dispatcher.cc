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

}  // namespace

dispatcher::dispatcher(const broker_options& options, std::uint64_t instance,
                       broker_counters& counters)
    : options_{options},
      instance_{instance},
      counters_{counters},
      accounts_{options.client_limit, options.service_limit, counters},
      worker_deadlines_{options} {}

client_record& dispatcher::add_client(zmtp::peer_id peer) {
  auto& added = clients_.create();
  added.peer = peer;
  return added;
}

void dispatcher::remove_client(client_record& gone, time_point now, broker_actions& out) {
  accounts_.forget(gone);
  while (!gone.unanswered.empty()) {
    auto& r = gone.unanswered.front();
    auto& asked = *r.asked;
    ++counters_.abandoned;
    if (r.held_by != nullptr) {
      give_up(r, out);
    } else {
      asked.waiting.remove(r);
      drop(r, out);
      settle(asked, now, out);
    }
  }
  clients_.destroy(gone);
}

void dispatcher::ask(client_record& from, std::string_view name, dialect how, zmtp::message& m,
                     time_point now, broker_actions& out) {
  auto* to = services_.find(name);
  if (to == nullptr) {
    if (services_.without_worker() >= options_.unknown_services) {
      ++counters_.refused;
      return;
    }
    to = &services_.create(name, now);
  }
  ++counters_.requests;
  auto& r = requests_.create();
  m.pop_front();
  r.body = std::move(m);
  r.how = how;
  if (!r.body.tail().empty()) {
    slices_.push_back(r);
  }
  accounts_.enter(r, from, *to, out);
  if (to->has_room()) {
    assign(r, now, out);
    return;
  }
  r.queued_at = now;
  to->waiting.push(r);
  if (to->workers == 0) {
    service_deadlines_.set_no_later(*to, expiry_of(*to));
  }
}

worker_record& dispatcher::add_worker(zmtp::peer_id peer, std::string_view name, dialect how,
                                      std::size_t capacity, time_point now, broker_actions& out) {
  auto* known = services_.find(name);
  auto& serves = known != nullptr ? *known : services_.create(name, now);
  auto& w = workers_.create();
  w.peer = peer;
  w.serves = &serves;
  w.how = how;
  w.capacity = capacity;
  w.heard_at = w.told_at = now;
  worker_deadlines_.add(w);
  service_deadlines_.remove(serves);
  services_.add_worker(serves);
  serves.idle.push_back(w);
  serve(serves, now, out);
  return w;
}

void dispatcher::remove_worker(worker_record& lost, time_point now, broker_actions& out) {
  auto& served = *lost.serves;
  worker_deadlines_.remove(lost);
  lost.ready.unlink();
  // From the last to the first, so that the first is in front again.
  while (!lost.hands.empty()) {
    give_back(lost.hands.back(), now, out);
  }
  workers_.destroy(lost);
  services_.remove_worker(served, now);
  settle(served, now, out);
}

// Gives waiting requests to workers while there are both.
void dispatcher::serve(service& s, time_point now, broker_actions& out) {
  while (s.has_room() && !s.waiting.empty()) {
    assign(s.waiting.take(), now, out);
  }
}

void dispatcher::assign(request& r, time_point now, broker_actions& out) {
  auto& s = *r.asked;
  auto& w = s.idle.empty() ? s.at_work.front() : s.idle.front();
  w.ready.unlink();
  w.hands.push_back(r);
  r.held_by = &w;
  given_.enter(r);
  ++r.attempts;
  w.told_at = now;
  if (w.held++ == 0) {
    w.busy_since = now;
    worker_deadlines_.on_busy(w);
  }
  if (w.held < w.capacity) {
    s.at_work.push_back(w);
  }
  auto& given = out.sends.emplace_back();
  given.to = w.peer;
  given.content = r.body;
  push_worker_request(given.content, w.how, request_mark{instance_, r.token}.octets());
}

request* dispatcher::held_by(worker_record& w, std::string_view address) noexcept {
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

void dispatcher::answer_in_part(request& held, zmtp::message& body, broker_actions& out) {
  if (held.asked_by == nullptr) {
    ++counters_.unwanted_replies;
  } else if (held.how == dialect::v01) {
    (void)gather(held, body, out);
  } else {
    held.partly_answered = true;
    ++counters_.partials;
    push_client_reply(body, held.how, false, held.asked->name);
    out.send(held.asked_by->peer, std::move(body));
  }
}

void dispatcher::answer(request& held, zmtp::message& body, time_point now, broker_actions& out) {
  // The next request goes before the reply: a worker that takes one at a time is idle until then.
  auto& w = *held.held_by;
  take_back(held);
  make_room(w);
  serve(*w.serves, now, out);
  if (held.asked_by == nullptr) {
    ++counters_.unwanted_replies;
  } else if (held.gathered == nullptr || gather(held, body, out)) {
    auto& whole = held.gathered != nullptr ? *held.gathered : body;
    ++counters_.replies;
    push_client_reply(whole, held.how, true, held.asked->name);
    out.send(held.asked_by->peer, std::move(whole));
  }
  drop(held, out);
}

// A worker has given an answer, and can take a request in its place.
void dispatcher::make_room(worker_record& w) noexcept {
  if (w.held == 0) {
    w.ready.unlink();
    w.serves->idle.push_back(w);
  } else if (!w.ready.is_linked()) {
    w.serves->at_work.push_back(w);
  }
}

// Out of its worker's hands.
void dispatcher::take_back(request& held) noexcept {
  given_.leave(held);
  held.place.unlink();
  --held.held_by->held;
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
    ++counters_.oversized;
    give_up(r, out);
    return false;
  }
  r.gathered->append(body);
  return true;
}

// Ends a request that is in nobody's hands and in no queue.
void dispatcher::drop(request& r, broker_actions& out) {
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
  if (held.asked_by == nullptr) {
    drop(held, out);
  } else if (held.partly_answered) {
    // The reply of a second worker must not be mixed with the first one's.
    ++counters_.cut_short;
    drop(held, out);
  } else if (held.attempts >= options_.attempts) {
    ++counters_.exhausted;
    drop(held, out);
  } else {
    ++counters_.requeued;
    held.queued_at = now;
    held.asked->waiting.give_back(held);
  }
}

// After a service has lost a worker or a waiting request.
void dispatcher::settle(service& s, time_point now, broker_actions& out) {
  if (s.workers != 0) {
    serve(s, now, out);
  } else if (!s.waiting.empty()) {
    service_deadlines_.set(s, expiry_of(s));
  } else {
    service_deadlines_.remove(s);
    services_.remove(s);
  }
}

bool dispatcher::is_served(std::string_view name) noexcept {
  const auto* named = services_.find(name);
  return named != nullptr && named->workers != 0;
}

time_point dispatcher::expiry_of(service& s) const noexcept {
  const auto from = std::max(s.waiting.oldest().queued_at, s.unserved_since);
  return std::max(from + options_.service_expiry, judge_from_);
}

std::optional<time_point> dispatcher::next_deadline() const noexcept {
  const auto of_workers = worker_deadlines_.next();
  const auto of_services = service_deadlines_.next();
  return of_workers && of_services ? std::min(of_workers, of_services)
                                   : std::max(of_workers, of_services);
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
  while (!service_deadlines_.empty() && *service_deadlines_.next() <= now) {
    auto& s = service_deadlines_.first();
    while (!s.waiting.empty() && expiry_of(s) <= now) {
      auto& late = s.waiting.oldest();
      ++counters_.expired;
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
  services_.for_each([&](const service& one) { s.waiting += one.waiting.size(); });
  s.working = given_.size();
}

std::vector<service_status> dispatcher::services() const {
  std::vector<service_status> all;
  all.reserve(services_.size());
  services_.for_each([&](const service& one) {
    all.push_back({one.name, one.workers, one.waiting.size(), one.octets});
  });
  return all;
}

}  // namespace mdp
