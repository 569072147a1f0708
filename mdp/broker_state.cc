#include "mdp/broker_state.h"

#include "mdp/announcement.h"
#include "mdp/service_table.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace mdp {

namespace {

constexpr errc none{};

// Raises values that would stop the broker's clock or its clients to the smallest value that works.
broker_options workable(broker_options options) noexcept {
  options.worker_in_flight = std::max<std::size_t>(options.worker_in_flight, 1);
  options.client_limit.requests = std::max<std::size_t>(options.client_limit.requests, 1);
  options.client_limit.bytes = std::max<std::size_t>(options.client_limit.bytes, 1);
  options.gathered_limit.parts = std::min(options.gathered_limit.parts, max_frames);
  return options;
}

}  // namespace

broker_state::broker_state(const broker_options& options, std::uint64_t instance)
    : options_{workable(options)},
      liveness_{options.heartbeat, options.liveness},
      access_{options.access},
      dispatcher_{options_, instance, liveness_, counters_} {}

void broker_state::on_attached(zmtp::peer_id id, std::string_view routing_id,
                               const zmtp::metadata& announced, time_point now, actions& out,
                               std::string_view user_id) {
  if (const auto* before = peers_.in_slot(id); before != nullptr) {
    on_detached(before->id, now, out);
  }
  const auto said = parse_announcement(announced);
  if (said.malformed) {
    ++counters_.malformed_announcements;
  }
  auto& added = peers_.attach(id);
  added.capacity = std::min(said.capacity, options_.worker_in_flight);
  added.user_id = user_id;
  added.routing_id = routing_id;
  added.reads_errors = said.errors;
  added.reads_principals = said.principals;
}

void broker_state::on_detached(zmtp::peer_id id, time_point now, actions& out) {
  if (auto* gone = peers_.find(id); gone != nullptr) {
    become(*gone, standing::closed, now, out);
    peers_.detach(*gone);
  }
}

void broker_state::on_message(zmtp::peer_id id, zmtp::message&& m, time_point now, actions& out) {
  auto* from = peers_.find(id);
  if (from == nullptr || from->is == standing::silenced || from->is == standing::closed) {
    ++counters_.ignored_messages;
    return;
  }
  const auto input = parse_for_broker(m);
  const auto fault =
      input
          ? std::visit([&](const auto& command) { return on_command(*from, command, m, now, out); },
                       *input)
          : input.error();
  if (fault != none) {
    ++counters_.invalid_messages[static_cast<std::size_t>(fault)];
    out.events.push_back({.what = broker_event::kind::message_refused, .peer = id, .fault = fault});
    close(*from, now, out);
  }
}

void broker_state::on_not_taken(zmtp::peer_id id, zmtp::message content, time_point now,
                                actions& out) {
  auto* stalled = peers_.find(id);
  if (stalled == nullptr || stalled->is == standing::closed) {
    return;
  }
  if (stalled->is == standing::a_client) {
    ++counters_.clients_not_reading;
  } else if (stalled->is == standing::a_worker) {
    auto& w = *stalled->as_worker;
    const auto sent = parse_for_worker(content, w.how, w.reads_principals);
    const auto* asked = sent ? std::get_if<broker_request>(&*sent) : nullptr;
    if (asked == nullptr && w.held != 0) {
      return;  // MDP workers do not read while they work, so a lost heartbeat is harmless
    }
    ++counters_.workers_not_reading;
    if (auto* r = asked != nullptr ? dispatcher_.held_by(w, asked->address) : nullptr;
        r != nullptr) {
      --r->attempts;  // the worker did not get the request, so it was not an attempt
    }
  }
  close(*stalled, now, out);
}

errc broker_state::on_command(peer& from, const client_request& asked, zmtp::message& m,
                              time_point now, actions& out) {
  if (from.is == standing::fresh) {
    from.is = standing::a_client;
    from.as_client =
        &dispatcher_.add_client(from.id, std::move(from.routing_id), from.reads_errors);
  } else if (from.is != standing::a_client) {
    return errc::role_changed;
  }
  const bool inspects = is_reserved(asked.service);
  const auto about = asked.service == "mmi.service" ? m.back() : asked.service;
  // Without rules, a client could claim to represent any principal, so the claim is ignored.
  const bool represents = asked.on_behalf_of && !access_.rules().permits_all();
  const std::string_view principal = represents ? *asked.on_behalf_of : from.user_id;
  if (!check_request(from, principal, asked, about, out)) {
    if (from.reads_errors) {
      ++counters_.errors;
      out.send(from.id, make_error(asked.how, request_fault::forbidden, request_outcome::refused,
                                   asked.service));
    }
  } else if (asked.service == mmi_titanic && dispatcher_.is_served(titanic_status)) {
    dispatcher_.ask_titanic(*from.as_client, principal, asked.how, m, now, out);
  } else if (inspects) {
    answer_mmi(from, asked, m, now, out);
  } else {
    dispatcher_.ask(*from.as_client, principal, asked.service, asked.how, asked.attempt, m, now,
                    out);
  }
  return none;
}

errc broker_state::on_command(peer& from, const worker_ready& action, zmtp::message& /*m*/,
                              time_point now, actions& out) {
  if (from.is == standing::a_client) {
    return errc::role_changed;
  }
  if (from.is != standing::fresh || is_reserved(action.service)) {
    send_away(from, action.how, now, out);
    return none;
  }
  if (!check_access(from, from.user_id, right::offer, action.service, out)) {
    become(from, standing::silenced, now, out);
    out.send(from.id, make_disconnect(action.how));
    return none;
  }
  ++counters_.workers_registered;
  out.events.push_back({.what = broker_event::kind::worker_registered, .peer = from.id});
  from.is = standing::a_worker;
  from.as_worker = &dispatcher_.add_worker(from.id, action.service, action.how, from.capacity,
                                           from.reads_principals, now, out);
  return none;
}

// Checks that the peer is a registered worker and uses its own version. Any other peer gets
// DISCONNECT and is no longer a worker.
errc broker_state::check_worker(peer& from, dialect how, time_point now, actions& out) {
  if (from.is == standing::a_client) {
    return errc::role_changed;
  }
  if (from.is != standing::a_worker) {
    send_away(from, how, now, out);
    return none;
  }
  if (from.as_worker->how != how) {
    return errc::version_changed;
  }
  from.as_worker->last.received = now;
  return none;
}

// Returns the request that the worker's command names. If the worker does not have it, sends
// DISCONNECT and returns null.
request* broker_state::find_held(peer& from, std::string_view address, dialect how, time_point now,
                                 actions& out) {
  auto* const r = dispatcher_.held_by(*from.as_worker, address);
  if (r == nullptr) {
    send_away(from, how, now, out);
  }
  return r;
}

errc broker_state::on_command(peer& from, const worker_reply& given, zmtp::message& m,
                              time_point now, actions& out) {
  const auto fault = check_worker(from, given.how, now, out);
  if (fault != none || from.is != standing::a_worker) {
    return fault;
  }
  auto* const r = find_held(from, given.address, given.how, now, out);
  if (r == nullptr) {
    return none;
  }
  m.pop_front();
  m.pop_front();
  if (given.final) {
    dispatcher_.answer(*r, m, now, out);
    part_if_done(from, now, out);
  } else {
    dispatcher_.answer_in_part(*r, m, now, out);
  }
  return none;
}

errc broker_state::on_command(peer& from, const worker_nack& given, zmtp::message& /*m*/,
                              time_point now, actions& out) {
  const auto fault = check_worker(from, given.how, now, out);
  if (fault != none || from.is != standing::a_worker) {
    return fault;
  }
  auto* const r = find_held(from, given.address, given.how, now, out);
  if (r == nullptr) {
    return none;
  }
  switch (given.reason) {
    case nack_reason::refused: dispatcher_.refuse(*r, now, out); break;
    case nack_reason::failed: dispatcher_.fail(*r, now, out); break;
  }
  part_if_done(from, now, out);
  return none;
}

errc broker_state::on_command(peer& from, const worker_drain& action, zmtp::message& /*m*/,
                              time_point now, actions& out) {
  const auto fault = check_worker(from, action.how, now, out);
  if (fault != none || from.is != standing::a_worker) {
    return fault;
  }
  dispatcher_.retire_worker(*from.as_worker, now, out);
  part_if_done(from, now, out);
  return none;
}

// After DRAIN, the broker sends DISCONNECT when the worker has no request.
void broker_state::part_if_done(peer& from, time_point now, actions& out) {
  const auto& w = *from.as_worker;
  if (w.leaving && w.held == 0) {
    const auto how = w.how;
    become(from, standing::silenced, now, out);
    out.send(from.id, make_disconnect(how));
  }
}

// A worker that is not registered here has registered at an earlier run of the broker.
errc broker_state::on_command(peer& from, const worker_heartbeat& sign, zmtp::message& /*m*/,
                              time_point now, actions& out) {
  return check_worker(from, sign.how, now, out);
}

errc broker_state::on_command(peer& from, const worker_disconnect& /*farewell*/,
                              zmtp::message& /*m*/, time_point now, actions& out) {
  if (from.is == standing::a_client) {
    return errc::role_changed;
  }
  become(from, standing::silenced, now, out);
  return none;
}

void broker_state::send_away(peer& from, dialect how, time_point now, actions& out) {
  ++counters_.unexpected_commands;
  become(from, standing::silenced, now, out);
  out.send(from.id, make_disconnect(how));
}

void broker_state::close(peer& from, time_point now, actions& out) {
  become(from, standing::closed, now, out);
  out.close.push_back(from.id);
}

// Ends the peer's role as client or worker.
void broker_state::become(peer& changed, standing next, time_point now, actions& out) {
  changed.is = next;
  if (auto* c = std::exchange(changed.as_client, nullptr); c != nullptr) {
    dispatcher_.remove_client(*c, now, out);
  }
  if (auto* w = std::exchange(changed.as_worker, nullptr); w != nullptr) {
    out.events.push_back({.what = broker_event::kind::worker_unregistered, .peer = changed.id});
    dispatcher_.remove_worker(*w, now, out);
  }
}

std::optional<broker_state::time_point> broker_state::next_deadline() const noexcept {
  return dispatcher_.next_deadline();
}

void broker_state::on_deadline(time_point now, actions& out) {
  if (const auto due = next_deadline()) {
    liveness_.on_deadline(*due, now);
  }
  while (auto* dead = dispatcher_.next_dead_worker(now, out)) {
    ++counters_.workers_expired;
    out.events.push_back({.what = broker_event::kind::worker_expired, .peer = dead->peer});
    become(*peers_.find(dead->peer), standing::expired, now, out);
  }
  dispatcher_.expire_requests(now, out);
}

void broker_state::change_services(const broker_options& options, time_point now, actions& out) {
  dispatcher_.change_services(options, now, out);
}

broker_status broker_state::status() const {
  broker_status s;
  s.counters = counters_;
  s.peers = peers_.size();
  dispatcher_.describe(s);
  return s;
}

}  // namespace mdp
