#include "mdp/titanic/titanic_report.h"

#include "mdp/line_of_numbers.h"
#include "mdp/titanic/command.h"

#include <cstddef>
#include <string_view>
#include <utility>

namespace mdp::titanic {

namespace {

// Limits the length of an answer.
constexpr std::size_t services_in_an_answer = 100;

}  // namespace

std::string report(const titanic_status& s) {
  const auto& counted = s.counters;
  line_of_numbers line;
  line.add("accepting", s.accepting ? 1 : 0)
      .add("requests", s.requests)
      .add("pending", s.pending)
      .add("in_flight", s.in_flight)
      .add("services", s.services)
      .add("accepted", counted.accepted)
      .add("repeated", counted.repeated)
      .add("refused", counted.refused)
      .add("not_stored", counted.not_stored)
      .add("dispatched", counted.dispatched)
      .add("unanswered", counted.unanswered)
      .add("interrupted", counted.interrupted)
      .add("answered", counted.answered)
      .add("given_up", counted.given_up)
      .add("closed", counted.closed)
      .add("expired", counted.expired)
      .add("read_failures", counted.read_failures)
      .add("unreadable", counted.unreadable);
  return std::move(line).text();
}

std::string report(const titanic_service_status& s) {
  line_of_numbers line;
  line.add("pending", s.pending).add("in_flight", s.in_flight);
  return std::move(line).text();
}

zmtp::message answer_status(const titanic_state& of, const zmtp::message& asked) {
  const auto after = asked.empty() ? std::string_view{} : asked.back();
  zmtp::message answer{ok};
  answer.push_back(report(of.status()));
  for (const auto& one : of.services(after, services_in_an_answer)) {
    answer.push_back(one.name);
    answer.push_back(report(one));
  }
  return answer;
}

}  // namespace mdp::titanic
