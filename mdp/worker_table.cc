#include "mdp/worker_table.h"

#include "mdp/worker_choice.h"

#include <cstring>

namespace mdp {

namespace {

// The content of the client address frame of a request: a mark that names the attempt, instead of an address. Workers
// return any bytes unchanged, and held_by() compares them.
struct request_mark {
  std::uint64_t instance;
  std::uint64_t token;

  [[nodiscard]] std::string_view bytes() const noexcept {
    return {reinterpret_cast<const char*>(this), sizeof *this};
  }
};
static_assert(sizeof(request_mark) == 16);

}  // namespace

worker_record& worker_table::add(zmtp::peer_id peer, service& serves, dialect how,
                                 std::size_t capacity, time_point now) {
  auto& w = workers_.create();
  w.peer = peer;
  w.serves = &serves;
  w.how = how;
  // The address of a client does not tell its requests apart.
  w.sees_raw_addresses = serves.options.raw_client_address;
  w.capacity = w.sees_raw_addresses ? 1 : capacity;
  w.busy_expiry = serves.options.busy_expiry;
  w.busy_timeout = serves.options.busy_timeout;
  w.last = {now, now};
  deadlines_.add(w);
  return w;
}

void worker_table::remove(worker_record& gone) noexcept {
  deadlines_.remove(gone);
  workers_.destroy(gone);
}

void worker_table::apply(const service_rules& rules) {
  workers_.for_each([&](worker_record& w) {
    const auto& options = rules.of(w.serves->name);
    w.busy_expiry = options.busy_expiry;
    w.busy_timeout = options.busy_timeout;
    deadlines_.look_again(w);
  });
}

void worker_table::assign(request& r, worker_record& w, time_point now, broker_actions& out) {
  auto& s = *r.asked;
  const bool suspect = r.attempts != 0;
  w.in_flight.push_back(r);
  r.held_by = &w;
  given_.enter(r);
  ++r.attempts;
  r.given_at = now;
  w.last.sent = now;
  ++s.working;
  if (w.held++ == 0) {
    ++s.busy;
    w.busy_since = now;
    deadlines_.on_busy(w);
  }
  on_assigned(w, suspect);
  auto& given = out.sends.emplace_back();
  given.to = w.peer;
  given.content = r.body;
  const request_mark mark{instance_, r.token};
  auto address = mark.bytes();
  if (w.sees_raw_addresses) {
    // A client that disconnected before the broker handled its connection does not have a routing id.
    w.raw_address = r.asked_by->routing_id.empty() ? address : r.asked_by->routing_id;
    address = w.raw_address;
  }
  push_worker_request(
      given.content, w.how, address,
      w.reads_principals ? std::optional<std::string_view>{r.principal} : std::nullopt);
}

void worker_table::take_back(request& held) noexcept {
  given_.leave(held);
  held.place.unlink();
  --held.asked->working;
  if (--held.held_by->held == 0) {
    --held.asked->busy;
  }
  held.held_by = nullptr;
}

request* worker_table::held_by(worker_record& w, std::string_view address) noexcept {
  if (w.sees_raw_addresses) {
    return w.held != 0 && address == w.raw_address ? &w.in_flight.front() : nullptr;
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

worker_record* worker_table::next_dead(time_point now, broker_actions& out) {
  while (auto* w = deadlines_.first_due(now)) {
    switch (deadlines_.decide(*w, now)) {
      case worker_deadlines::verdict::dead: return w;
      case worker_deadlines::verdict::owed_a_heartbeat:
        w->last.sent = now;
        out.send(w->peer, make_heartbeat(w->how));
        break;
      case worker_deadlines::verdict::fine: break;
    }
    deadlines_.look_again(*w);
  }
  return nullptr;
}

}  // namespace mdp
