#include "mdp/broker_report.h"

#include "mdp/line_of_numbers.h"

#include <cstdint>
#include <numeric>

namespace mdp {

namespace {

line_of_numbers& add(line_of_numbers& line, const request_counters& of) {
  return line.add("requests", of.requests)
      .add("replies", of.replies)
      .add("partials", of.partials)
      .add("requeued", of.requeued)
      .add("expired", of.expired)
      .add("exhausted", of.exhausted)
      .add("declined", of.declined)
      .add("failed", of.failed)
      .add("stopped", of.stopped)
      .add("cut_short", of.cut_short)
      .add("abandoned", of.abandoned)
      .add("oversized", of.oversized)
      .add("errors", of.errors)
      .add("repeats", of.repeats)
      .add("unwanted_replies", of.unwanted_replies);
}

}  // namespace

std::string report(const broker_status& s) {
  const auto& counted = s.counters;
  line_of_numbers line;
  line.add("peers", s.peers)
      .add("clients", s.clients)
      .add("paused_clients", s.paused_clients)
      .add("workers", s.workers)
      .add("services", s.services)
      .add("unknown_services", s.unknown_services)
      .add("waiting", s.waiting)
      .add("working", s.working)
      .add("keyed_requests", s.keyed_requests)
      .add("keyed_bytes", s.keyed_bytes);
  add(line, counted)
      .add("refused", counted.refused)
      .add("mmi_requests", counted.mmi_requests)
      .add("unexpected_commands", counted.unexpected_commands)
      .add("malformed_announcements", counted.malformed_announcements)
      .add("ignored_messages", counted.ignored_messages)
      .add("workers_registered", counted.workers_registered)
      .add("workers_expired", counted.workers_expired)
      .add("workers_not_reading", counted.workers_not_reading)
      .add("clients_not_reading", counted.clients_not_reading)
      .add("pauses", counted.pauses)
      .add("forbidden_offers", counted.forbidden_offers)
      .add("forbidden_calls", counted.forbidden_calls)
      .add("forbidden_inspections", counted.forbidden_inspections)
      .add("invalid_messages", std::accumulate(counted.invalid_messages.begin(),
                                               counted.invalid_messages.end(), std::uint64_t{0}));
  return std::move(line).text();
}

std::string report(const service_status& s) {
  line_of_numbers line;
  line.add("workers", s.workers)
      .add("busy", s.busy)
      .add("waiting", s.waiting)
      .add("working", s.working)
      .add("bytes", s.bytes);
  add(line, s.counters);
  return std::move(line).text();
}

}  // namespace mdp
