#include "test/mdp/simulation/broker_process.h"

#include "mdp/command.h"
#include "test/mdp/simulation/parcel.h"

#include <variant>

namespace mdp::simulation {

namespace {

// Returns the dialect of a message to a worker; nothing if the message is not for workers.
std::optional<dialect> worker_dialect_of(const zmtp::message& m) {
  if (m.front() == "MDPW02") {
    return dialect::v02;
  }
  if (m.size() > 1 && m.front().empty()) {
    if (m[1] == "MDPW01") {
      return dialect::v01;
    }
    if (m[1] == "MDPW02") {
      return dialect::v02_delimited;
    }
  }
  return std::nullopt;
}

}  // namespace

void broker_process::begin() {
  ++runs_;
  broker_handlers handlers;
  handlers.on_received = [this](std::string_view from, const zmtp::message& m) {
    on_received(from, m);
  };
  handlers.on_send = [this](std::string_view to, const zmtp::message& m) { on_send(to, m); };
  handlers.on_event = [this](const broker_event& event, std::string_view peer) {
    on_event(event, peer);
  };
  broker_.emplace(executor(), options_, std::move(handlers));
  broker_->bind("tcp://*:5555");
}

void broker_process::end() {
  workers_expired_ += status().counters.workers_expired;
  broker_.reset();
  for (const auto& [id, name] : workers_) {
    here().calls().on_gone(name);
  }
  workers_.clear();
}

std::string broker_process::worker(std::string_view routing_id) const {
  return name() + "/" + std::to_string(runs_) + "/" + std::string{routing_id};
}

// When a worker is unregistered, its connection may have ended, so that it has no routing id.
void broker_process::on_event(const broker_event& event, std::string_view peer) {
  if (event.what == broker_event::kind::worker_registered) {
    workers_[event.peer] = worker(peer);
  } else if (event.what == broker_event::kind::worker_unregistered) {
    if (!faults_.hides_lost_workers) {
      here().calls().on_gone(workers_[event.peer]);
    }
    workers_.erase(event.peer);
  }
}

void broker_process::on_received(std::string_view from, const zmtp::message& said) {
  auto copy = said;
  const auto input = parse_for_broker(copy);
  if (!input || std::holds_alternative<client_request>(*input)) {
    return;
  }
  auto& calls = here().calls();
  const auto who = worker(from);
  if (const auto* nack = std::get_if<worker_nack>(&*input)) {
    calls.on_handed_back(std::string{nack->address}, who);
  } else if (const auto* reply = std::get_if<worker_reply>(&*input);
             reply != nullptr && reply->final) {
    copy.pop_front();
    copy.pop_front();
    if (const auto pieces = pieces_of(copy); pieces && !pieces->empty()) {
      calls.on_returned(pieces->front().call, who);
    }
  }
}

void broker_process::on_send(std::string_view to, const zmtp::message& said) {
  const auto how = worker_dialect_of(said);
  if (!how) {
    return;
  }
  auto copy = said;
  const auto input = parse_for_worker(copy, *how);
  if (!input) {
    return;
  }
  if (const auto* asked = std::get_if<broker_request>(&*input)) {
    if (const auto call = call_of(copy, 2)) {
      here().calls().on_given(*call, worker(to), std::string{asked->address});
    }
  }
}

}  // namespace mdp::simulation
