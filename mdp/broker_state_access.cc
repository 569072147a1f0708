// The rights of the broker's peers, and the services that tell a client what the broker has.

#include "mdp/broker_report.h"
#include "mdp/broker_state.h"
#include "mdp/service_table.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace mdp {

namespace {

// Limits the length of a reply.
constexpr std::size_t things_in_a_reply = 100;
// Limits the time to make a list of peers, also for a client that may see none of them.
constexpr std::size_t peers_looked_at = 10'000;

// Returns the slot after that of the peer with this name: 0 if it is empty, nothing if it is not a name.
std::optional<std::size_t> slot_after(std::string_view name) noexcept {
  if (name.empty()) {
    return 0;
  }
  const auto last = peer_of(name);
  return last ? std::optional{std::size_t{last->slot} + 1} : std::nullopt;
}

worker_status status_of_worker(const peer& of, time_point now) {
  const auto& w = *of.as_worker;
  return {.peer = of.id,
          .service = w.serves->name,
          .user_id = of.user_id,
          .capacity = w.capacity,
          .working = w.held,
          .leaving = w.leaving,
          .last_received = std::chrono::duration_cast<std::chrono::seconds>(now - w.last.received)};
}

client_status status_of_client(const peer& of) {
  const auto& c = *of.as_client;
  return {.peer = of.id,
          .user_id = of.user_id,
          .requests = c.requests,
          .bytes = c.bytes,
          .paused = c.paused};
}

// Adds the things from those after the name `after`. `add` appends the parts of a peer, and returns whether the peer
// is one of the things. The last thing can be only a place to go on from: all its parts but the name are empty.
template <class Add>
void list_peers(const peer_table& from, std::string_view after, std::size_t parts,
                zmtp::message& reply, Add add) {
  const auto first = slot_after(after);
  reply.push_back(first ? "200" : "400");
  if (!first) {
    return;
  }
  std::size_t found = 0;
  std::size_t looked_at = 0;
  from.for_each_while(*first, [&](const peer& each) {
    ++looked_at;
    if (add(each)) {
      ++found;
    } else if (looked_at == peers_looked_at) {
      // The peer itself may be secret.
      reply.push_back(text_of({.slot = each.id.slot, .generation = 0}));
      for (std::size_t i = 1; i < parts; ++i) {
        reply.push_back("");
      }
    }
    return found < things_in_a_reply && looked_at < peers_looked_at;
  });
}

constexpr std::uint8_t verb_of(right what) noexcept { return static_cast<std::uint8_t>(what); }

}  // namespace

// Checks the rights of a client, and those of the principal that it represents.
bool broker_state::check_request(const peer& from, std::string_view principal,
                                 const client_request& asked, std::string_view about,
                                 actions& out) {
  if (asked.on_behalf_of) {
    const auto name = asked.on_behalf_of->empty() ? zmtp::anonymous_principal
                                                  : std::string_view{*asked.on_behalf_of};
    if (!check_access(from, from.user_id, right::represent, name, out)) {
      return false;
    }
  }
  const auto wanted = is_reserved(asked.service) ? right::inspect : right::call;
  // These list only services that the client may inspect, and their workers.
  const bool is_filtered = asked.service == "mmi.services" || asked.service == "mmi.workers";
  return is_filtered || check_access(from, principal, wanted, about, out);
}

// Counts a refusal.
bool broker_state::check_access(const peer& from, std::string_view principal, right wanted,
                                std::string_view name, actions& out) {
  const auto verdict = access_.check(principal, verb_of(wanted), name);
  if (verdict == zmtp::access_guard::verdict::allowed) {
    return true;
  }
  switch (wanted) {
    case right::offer: ++counters_.forbidden_offers; break;
    case right::call:
    case right::represent: ++counters_.forbidden_calls; break;
    case right::inspect: ++counters_.forbidden_inspections; break;
  }
  if (verdict == zmtp::access_guard::verdict::refused_first) {
    out.events.push_back({.what = broker_event::kind::access_refused,
                          .peer = from.id,
                          .service = std::string{name},
                          .user_id = std::string{principal},
                          .wanted = wanted});
  }
  return false;
}

bool broker_state::drain_worker(zmtp::peer_id id, time_point now, actions& out) {
  auto* const known = peers_.find(id);
  if (known == nullptr || known->is != standing::a_worker) {
    return false;
  }
  dispatcher_.retire_worker(*known->as_worker, now, out);
  part_if_done(*known, now, out);
  return true;
}

std::vector<worker_status> broker_state::workers(std::size_t count, time_point now) const {
  std::vector<worker_status> all;
  peers_.for_each_while(0, [&](const peer& each) {
    if (each.is == standing::a_worker && all.size() < count) {
      all.push_back(status_of_worker(each, now));
    }
    return all.size() < count;
  });
  return all;
}

std::vector<client_status> broker_state::clients(std::size_t count) const {
  std::vector<client_status> all;
  peers_.for_each_while(0, [&](const peer& each) {
    if (each.is == standing::a_client && all.size() < count) {
      all.push_back(status_of_client(each));
    }
    return all.size() < count;
  });
  return all;
}

void broker_state::change_access(zmtp::access_rules rules, time_point now, actions& out) {
  access_.change(std::move(rules));
  peers_.for_each([&](peer& each) {
    if (each.is != standing::a_worker) {
      return;
    }
    const auto how = each.as_worker->how;
    if (!check_access(each, each.user_id, right::offer, each.as_worker->serves->name, out)) {
      become(each, standing::silenced, now, out);
      out.send(each.id, make_disconnect(how));
    }
  });
}

// Answers 8/MMI and Zinc's mmi services. The argument is the last frame, as in the Guide's broker.
void broker_state::answer_mmi(const peer& to, const client_request& asked, const zmtp::message& m,
                              time_point now, actions& out) {
  ++counters_.mmi_requests;
  zmtp::message reply;
  if (asked.service == "mmi.service") {
    reply.push_back(dispatcher_.is_served(m.back()) ? "200" : "404");
  } else if (asked.service == "mmi.services") {
    reply.push_back("200");
    list_services(to, m.back(), reply);
  } else if (asked.service == "mmi.workers") {
    list_workers(to, m.back(), now, reply);
  } else if (asked.service == "mmi.clients") {
    list_clients(m.back(), reply);
  } else if (asked.service == "mmi.broker") {
    reply.push_back("200");
    reply.push_back(report(status()));
  } else if (asked.service == mmi_titanic) {
    reply.push_back("404");
  } else {
    reply.push_back("501");
  }
  push_client_reply(reply, asked.how, true, asked.service);
  out.send(to.id, std::move(reply));
}

void broker_state::list_services(const peer& to, std::string_view after,
                                 zmtp::message& reply) const {
  std::string last{after};
  for (std::size_t left = things_in_a_reply; left != 0;) {
    const auto page = services(last, left);
    if (page.empty()) {
      return;
    }
    for (const auto& one : page) {
      if (access_.rules().allows(to.user_id, verb_of(right::inspect), one.name)) {
        reply.push_back(one.name);
        reply.push_back(report(one));
        --left;
      }
    }
    last = page.back().name;
  }
}

// Each worker has four parts: its name, its service, its principal and its figures.
void broker_state::list_workers(const peer& to, std::string_view after, time_point now,
                                zmtp::message& reply) const {
  list_peers(peers_, after, 4, reply, [&](const peer& each) {
    if (each.is != standing::a_worker ||
        !access_.rules().allows(to.user_id, verb_of(right::inspect),
                                each.as_worker->serves->name)) {
      return false;
    }
    reply.push_back(text_of(each.id));
    reply.push_back(each.as_worker->serves->name);
    reply.push_back(each.user_id);
    reply.push_back(report(status_of_worker(each, now)));
    return true;
  });
}

// Each client has three parts: its name, its principal and its figures.
void broker_state::list_clients(std::string_view after, zmtp::message& reply) const {
  list_peers(peers_, after, 3, reply, [&](const peer& each) {
    if (each.is != standing::a_client) {
      return false;
    }
    reply.push_back(text_of(each.id));
    reply.push_back(each.user_id);
    reply.push_back(report(status_of_client(each)));
    return true;
  });
}

}  // namespace mdp
