#include "mdp/quotas.h"

#include <algorithm>

namespace mdp {

namespace {

// A limit stays in force until a quarter of it is free. Otherwise a client at its limit would be
// paused and resumed for each request.
constexpr std::size_t resume_level(std::size_t limit) noexcept { return limit - limit / 4 - 1; }

bool at_limit(const service& s) noexcept {
  const auto& limit = s.options.limit;
  return s.bytes >= limit.bytes || (limit.requests && s.unanswered >= *limit.requests);
}

bool well_below_limit(const service& s) noexcept {
  const auto& limit = s.options.limit;
  return s.bytes <= resume_level(limit.bytes) &&
         (!limit.requests || s.unanswered <= resume_level(*limit.requests));
}

// Removes the peer from the opposite list instead, if the list contains it.
void turn(zmtp::peer_id peer, std::vector<zmtp::peer_id>& to,
          std::vector<zmtp::peer_id>& opposite) {
  const auto at = std::find(opposite.begin(), opposite.end(), peer);
  if (at != opposite.end()) {
    opposite.erase(at);
  } else {
    to.push_back(peer);
  }
}

}  // namespace

void quotas::enter(request& r, client_record& from, service& to, broker_actions& out) {
  r.asked_by = &from;
  r.asked = &to;
  r.charge = r.body.framed_size() + request_overhead;
  from.unanswered.push_back(r);
  ++from.requests;
  ++unanswered_;
  from.bytes += r.charge;
  ++to.unanswered;
  to.bytes += r.charge;
  if (from.requests >= client_limit_.requests || from.bytes >= client_limit_.bytes) {
    from.over_limit = true;
    pause(from, out);
  }
  if (at_limit(to) && !from.blocked.is_linked()) {
    to.blocked.push_back(from);
    pause(from, out);
  }
}

void quotas::leave(request& r, broker_actions& out) {
  auto& from = *std::exchange(r.asked_by, nullptr);
  auto& to = *r.asked;
  r.of_client.unlink();
  --from.requests;
  --unanswered_;
  from.bytes -= r.charge;
  --to.unanswered;
  to.bytes -= r.charge;
  if (from.over_limit && from.requests <= resume_level(client_limit_.requests) &&
      from.bytes <= resume_level(client_limit_.bytes)) {
    from.over_limit = false;
    resume_unless_held(from, out);
  }
  look_again(to, out);
}

void quotas::look_again(service& of, broker_actions& out) {
  if (!of.blocked.empty() && well_below_limit(of)) {
    while (!of.blocked.empty()) {
      auto& freed = of.blocked.front();
      of.blocked.pop_front();
      resume_unless_held(freed, out);
    }
  }
}

void quotas::forget(client_record& leaving) noexcept {
  if (std::exchange(leaving.paused, false)) {
    --paused_;
  }
}

void quotas::pause(client_record& c, broker_actions& out) {
  if (!std::exchange(c.paused, true)) {
    ++paused_;
    ++counters_.pauses;
    turn(c.peer, out.pause, out.resume);
  }
}

void quotas::resume_unless_held(client_record& c, broker_actions& out) {
  if (c.paused && !c.over_limit && !c.blocked.is_linked()) {
    c.paused = false;
    --paused_;
    turn(c.peer, out.resume, out.pause);
  }
}

}  // namespace mdp
