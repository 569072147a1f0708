#pragma once
// Violations that a simulation of Majordomo can detect.

#include <cstdint>
#include <string_view>

namespace mdp::simulation {

enum class violation : std::uint8_t {
  answered_twice,   // a call ended a second time
  wrong_answer,     // a reply belongs to another request, or differs from its worker's reply
  mingled,          // parts of a reply are out of order, missing, or of several workers' replies
  given_twice,      // a request is with two workers at once
  run_twice,        // a worker was given a request once and executed it twice
  run_again,        // a request that must not be executed twice was
  refused_yet_run,  // a call was refused, and executed
  never_run,        // a call was answered, and not executed
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

[[nodiscard]] constexpr std::string_view to_string(violation b) noexcept {
  switch (b) {
    case violation::answered_twice: return "answered twice";
    case violation::wrong_answer: return "wrong answer";
    case violation::mingled: return "mingled";
    case violation::given_twice: return "given twice";
    case violation::run_twice: return "run twice";
    case violation::run_again: return "run again";
    case violation::refused_yet_run: return "refused, yet run";
    case violation::never_run: return "never run";
    case violation::late: return "late";
    case violation::lost: return "lost";
    case violation::stuck: return "stuck";
    case violation::starved: return "starved";
    case violation::expelled: return "expelled";
    case violation::miscounted: return "miscounted";
    case violation::leaked: return "leaked";
    case violation::forgotten: return "forgotten";
    case violation::came_back: return "came back";
    case violation::changed: return "changed";
    case violation::dispatched_again: return "dispatched again";
  }
  return {};
}

}  // namespace mdp::simulation
