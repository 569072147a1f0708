#pragma once
// Violations that a simulation of Majordomo can detect.

#include <cstdint>
#include <string_view>

namespace mdp::simulation {

enum class breach : std::uint8_t {
  answered_twice,   // a call ended a second time
  wrong_answer,     // a reply belongs to another request, or differs from its worker's reply
  mingled,          // parts of a reply are out of order, missing, or of several workers' replies
  given_twice,      // a request is with two workers at once
  run_twice,        // a worker was given a request once and carried it out twice
  run_again,        // a request that must not be carried out twice was
  refused_yet_run,  // a call was refused, and carried out
  never_run,        // a call was answered, and not carried out
  late,             // a call ended after the time it was given
  lost,             // a request or its reply is lost without an excuse
  stuck,            // a call has not ended though all is well
  starved,          // … or had no answer
  expelled,         // a compliant worker expired
  miscounted,       // the outcomes of requests do not add up
  leaked,           // something is left when all have gone
  // Violations of Titanic.
  forgotten,         // a request that Titanic has accepted is gone
  came_back,         // … or a closed request is not
  changed,           // a reply has changed
  dispatched_again,  // a request was given to its service though nothing had gone wrong
};

[[nodiscard]] constexpr std::string_view to_string(breach b) noexcept {
  switch (b) {
    case breach::answered_twice: return "answered twice";
    case breach::wrong_answer: return "wrong answer";
    case breach::mingled: return "mingled";
    case breach::given_twice: return "given twice";
    case breach::run_twice: return "run twice";
    case breach::run_again: return "run again";
    case breach::refused_yet_run: return "refused, yet run";
    case breach::never_run: return "never run";
    case breach::late: return "late";
    case breach::lost: return "lost";
    case breach::stuck: return "stuck";
    case breach::starved: return "starved";
    case breach::expelled: return "expelled";
    case breach::miscounted: return "miscounted";
    case breach::leaked: return "leaked";
    case breach::forgotten: return "forgotten";
    case breach::came_back: return "came back";
    case breach::changed: return "changed";
    case breach::dispatched_again: return "dispatched again";
  }
  return {};
}

}  // namespace mdp::simulation
