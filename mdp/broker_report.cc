#include "mdp/broker_report.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <system_error>

namespace mdp {

namespace {

using enum zmtp::figure::kind;
constexpr auto in_bytes = zmtp::figure::unit::bytes;
constexpr auto in_seconds = zmtp::figure::unit::seconds;

template <class Status>
using figure = zmtp::figure_of<Status>;

// A figure that is a member of its status, or of its counters.
template <class Status, auto Member>
constexpr figure<Status> state(std::string_view key, std::string_view help,
                               zmtp::figure::unit in = zmtp::figure::unit::none) {
  return {{key, gauge, help, in}, [](const Status& s) { return zmtp::figure_value{s.*Member}; }};
}
template <class Status, auto Member>
constexpr figure<Status> count(std::string_view key, std::string_view help) {
  return {{key, counter, help},
          [](const Status& s) { return zmtp::figure_value{s.counters.*Member}; }};
}
template <auto Member>
constexpr figure<broker_status> durations(std::string_view key, std::string_view help) {
  return {{key, histogram, help, in_seconds}, [](const broker_status& s) {
            return zmtp::figure_value{zmtp::durations_of(s.counters.*Member)};
          }};
}

template <auto Member>
constexpr figure<service_status> times(std::string_view key, std::string_view help) {
  return {{key, histogram, help, in_seconds}, [](const service_status& s) {
            return zmtp::figure_value{zmtp::durations_of(s.times.*Member)};
          }};
}

template <class S>
constexpr std::array requests{
    count<S, &request_counters::requests>("requests", "accepted requests"),
    count<S, &request_counters::replies>("replies", "whole replies to clients"),
    count<S, &request_counters::partials>("partials", "partial replies to clients"),
    count<S, &request_counters::requeued>("requeued",
                                          "requests queued again after a lost worker or a refusal"),
    count<S, &request_counters::expired>("expired",
                                         "requests that waited longer than their service allows"),
    count<S, &request_counters::exhausted>("exhausted",
                                           "requests whose last attempt was lost with its worker"),
    count<S, &request_counters::declined>("declined",
                                          "requests refused as often as their service had workers"),
    count<S, &request_counters::failed>("failed", "requests that their worker reported as failed"),
    count<S, &request_counters::stopped>("stopped", "requests ended because the broker stopped"),
    count<S, &request_counters::cut_short>("cut_short",
                                           "requests whose worker was lost after a partial reply"),
    count<S, &request_counters::abandoned>("abandoned", "requests whose client disconnected"),
    count<S, &request_counters::oversized>(
        "oversized", "requests whose reply was above the limit of collected replies"),
    count<S, &request_counters::errors>("errors", "errors sent to clients"),
    count<S, &request_counters::repeats>("repeats", "attempts with a known idempotency key"),
    count<S, &request_counters::unwanted_replies>("unwanted_replies",
                                                  "replies to requests without a client"),
};

using b = broker_status;
constexpr std::array broker_state_of{
    state<b, &b::peers>("peers", "connected peers"),
    state<b, &b::clients>("clients", "connected clients"),
    state<b, &b::paused_clients>("paused_clients", "clients that the broker does not read from"),
    state<b, &b::workers>("workers", "registered workers"),
    state<b, &b::services>("services", "known services"),
    state<b, &b::unknown_services>("unknown_services", "services without a worker or a rule"),
    state<b, &b::waiting>("waiting", "requests that wait for a worker"),
    state<b, &b::working>("working", "requests assigned to workers"),
    state<b, &b::keyed_requests>("keyed_requests", "requests with a remembered idempotency key"),
    state<b, &b::keyed_bytes>("keyed_bytes", "memory of the requests with a remembered key",
                              in_bytes),
    figure<b>{{"draining", flag, "the broker accepts no new requests"},
              [](const b& s) { return zmtp::figure_value{s.draining}; }},
};

using c = broker_counters;
constexpr std::array broker_counts{
    count<b, &c::refused>("refused", "requests that were not accepted"),
    count<b, &c::mmi_requests>("mmi_requests", "MMI requests that the broker answered"),
    count<b, &c::unexpected_commands>("unexpected_commands",
                                      "commands of workers answered by DISCONNECT"),
    count<b, &c::malformed_announcements>("malformed_announcements",
                                          "announcements that were ignored as malformed"),
    count<b, &c::ignored_messages>("ignored_messages",
                                   "messages of peers that are or must be disconnected"),
    count<b, &c::workers_registered>("workers_registered", "registrations of workers"),
    count<b, &c::workers_expired>("workers_expired", "workers lost after the heartbeat timeout"),
    count<b, &c::workers_not_reading>("workers_not_reading",
                                      "workers closed because they did not read"),
    count<b, &c::clients_not_reading>("clients_not_reading",
                                      "clients closed because they did not read"),
    count<b, &c::pauses>("pauses", "pauses of clients at a limit"),
    count<b, &c::forbidden_offers>("forbidden_offers", "registrations refused by access rules"),
    count<b, &c::forbidden_calls>("forbidden_calls", "requests refused by access rules"),
    count<b, &c::forbidden_inspections>("forbidden_inspections",
                                        "MMI requests refused by access rules"),
    figure<b>{{"invalid_messages", counter, "messages that break the protocol"},
              [](const b& s) {
                const auto& all = s.counters.invalid_messages;
                return zmtp::figure_value{
                    std::accumulate(all.begin(), all.end(), std::uint64_t{0})};
              }},
    durations<&c::queue_time>("queue_time", "time of requests in the queue of their service"),
    durations<&c::work_time>("work_time", "time from the assignment of a request to its reply"),
};

constexpr auto of_broker = zmtp::joined(broker_state_of, requests<b>, broker_counts);

using svc = service_status;
constexpr std::array service_state_of{
    state<svc, &svc::workers>("workers", "workers that take requests"),
    state<svc, &svc::busy>("busy", "workers with requests"),
    state<svc, &svc::waiting>("waiting", "requests that wait for a worker"),
    state<svc, &svc::working>("working", "requests assigned to workers"),
    state<svc, &svc::bytes>("bytes", "memory of the unanswered requests", in_bytes),
};

constexpr std::array times_of_service{
    times<&service_times::queue_time>("queue_time", "time of requests in the queue"),
    times<&service_times::work_time>("work_time",
                                     "time from the assignment of a request to its reply"),
};

using w = worker_status;
constexpr std::array of_worker{
    state<w, &w::working>("working", "requests assigned to the worker"),
    state<w, &w::capacity>("capacity", "requests that the worker takes at once"),
    figure<w>{{"draining", flag, "the worker gets no more requests"},
              [](const w& s) { return zmtp::figure_value{s.leaving}; }},
    figure<w>{{"last_received", gauge, "time since the last command of the worker", in_seconds},
              [](const w& s) {
                return zmtp::figure_value{static_cast<std::uint64_t>(s.last_received.count())};
              }},
};

using cl = client_status;
constexpr std::array of_client{
    state<cl, &cl::requests>("requests", "requests without a reply"),
    state<cl, &cl::bytes>("bytes", "memory of these requests", in_bytes),
    figure<cl>{{"paused", flag, "the broker does not read from the client"},
               [](const cl& s) { return zmtp::figure_value{s.paused}; }},
};

constexpr auto of_service = zmtp::joined(service_state_of, requests<svc>, times_of_service);

}  // namespace

std::span<const zmtp::figure_of<broker_status>> broker_figures() noexcept { return of_broker; }
std::span<const zmtp::figure_of<service_status>> service_figures() noexcept { return of_service; }

std::span<const zmtp::figure_of<worker_status>> worker_figures() noexcept { return of_worker; }
std::span<const zmtp::figure_of<client_status>> client_figures() noexcept { return of_client; }

std::string text_of(zmtp::peer_id of) {
  return std::to_string(of.slot) + '.' + std::to_string(of.generation);
}

std::optional<zmtp::peer_id> peer_of(std::string_view name) noexcept {
  zmtp::peer_id made;
  const auto* const end = name.data() + name.size();
  const auto slot = std::from_chars(name.data(), end, made.slot);
  if (slot.ec != std::errc{} || slot.ptr == end || *slot.ptr != '.') {
    return std::nullopt;
  }
  const auto generation = std::from_chars(slot.ptr + 1, end, made.generation);
  return generation.ec == std::errc{} && generation.ptr == end ? std::optional{made} : std::nullopt;
}

std::string report(const broker_status& s) { return zmtp::line_of(broker_figures(), s); }
std::string report(const service_status& s) { return zmtp::line_of(service_figures(), s); }
std::string report(const worker_status& s) { return zmtp::line_of(worker_figures(), s); }
std::string report(const client_status& s) { return zmtp::line_of(client_figures(), s); }

}  // namespace mdp
