#include "mdp/titanic/titanic_report.h"

#include "mdp/titanic/command.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mdp::titanic {

namespace {

// Limits the length of an answer.
constexpr std::size_t services_in_an_answer = 100;

using enum zmtp::figure::kind;

template <class Status, auto Member>
constexpr zmtp::figure_of<Status> state(std::string_view key, std::string_view help) {
  return {{key, gauge, help}, [](const Status& s) { return zmtp::figure_value{s.*Member}; }};
}
template <auto Member>
constexpr zmtp::figure_of<titanic_status> count(std::string_view key, std::string_view help) {
  return {{key, counter, help},
          [](const titanic_status& s) { return zmtp::figure_value{s.counters.*Member}; }};
}

using t = titanic_status;
using c = titanic_counters;
constexpr std::array of_titanic{
    zmtp::figure_of<t>{
        {"accepting", gauge,
         "1 while requests are accepted, 0 after a failure of "
         "the store"},
        [](const t& s) { return zmtp::figure_value{std::uint64_t{s.accepting ? 1U : 0U}}; }},
    state<t, &t::requests>("requests", "stored requests, with or without an outcome"),
    state<t, &t::pending>("pending", "stored requests without an outcome"),
    state<t, &t::in_flight>("in_flight", "requests at their services"),
    state<t, &t::services>("services", "services that requests wait for"),
    zmtp::figure_of<t>{{"oldest", gauge, "age of the oldest request without an outcome, or 0",
                        zmtp::figure::unit::seconds},
                       [](const t& s) {
                         return zmtp::figure_value{static_cast<std::uint64_t>(s.oldest.count())};
                       }},
    count<&c::accepted>("accepted", "requests stored and acknowledged"),
    count<&c::repeated>("repeated", "requests submitted again that were stored already"),
    count<&c::refused>("refused", "invalid requests, answered by 400"),
    count<&c::not_stored>("not_stored", "requests answered by 500 because of the store"),
    count<&c::dispatched>("dispatched", "attempts to call a service"),
    count<&c::unanswered>("unanswered", "attempts without a reply in time"),
    count<&c::interrupted>("interrupted", "attempts whose connection was lost"),
    count<&c::answered>("answered", "stored replies"),
    count<&c::given_up>("given_up", "requests that failed in their last attempt"),
    count<&c::closed>("closed", "requests closed by their client"),
    count<&c::expired>("expired", "requests removed after their time"),
    count<&c::read_failures>("read_failures", "failed reads of the store"),
    count<&c::unreadable>("unreadable", "rows of the store that are missing or altered"),
    zmtp::figure_of<t>{{"sync_time", histogram, "time to write a batch to the store and sync it",
                        zmtp::figure::unit::seconds},
                       [](const t& s) { return zmtp::figure_value{durations_of(s.sync_time)}; }},
};

using w = titanic_service_status;
constexpr std::array of_service{
    state<w, &w::pending>("pending", "requests without an outcome"),
    state<w, &w::in_flight>("in_flight",
                            "requests at the service, or whose outcome is being stored"),
};

}  // namespace

std::span<const zmtp::figure_of<titanic_status>> titanic_figures() noexcept { return of_titanic; }
std::span<const zmtp::figure_of<titanic_service_status>> titanic_service_figures() noexcept {
  return of_service;
}

std::string report(const titanic_status& s) { return zmtp::line_of(titanic_figures(), s); }
std::string report(const titanic_service_status& s) {
  return zmtp::line_of(titanic_service_figures(), s);
}

zmtp::message answer_status(const titanic_state& of, const titanic_status& now,
                            const zmtp::message& asked) {
  const auto after = asked.empty() ? std::string_view{} : asked.back();
  zmtp::message answer{ok};
  answer.push_back(report(now));
  for (const auto& one : of.services(after, services_in_an_answer)) {
    answer.push_back(one.name);
    answer.push_back(report(one));
  }
  return answer;
}

}  // namespace mdp::titanic
