#pragma once
// The exit codes for the errors of requests. Pure.

#include "mdp/client.h"
#include "tools/zinc/exit_code.h"

#include <boost/system/error_code.hpp>

namespace zinc {

[[nodiscard]] inline exit_code exit_code_of(const boost::system::error_code& ec) noexcept {
  if (ec == mdp::errc::no_reply) {
    return exit_code::no_answer;
  }
  switch (mdp::outcome_of(ec)) {
    case mdp::outcome::answered: return exit_code::done;
    case mdp::outcome::not_sent: return exit_code::failed;
    case mdp::outcome::refused: return exit_code::was_refused;
    case mdp::outcome::unknown: return exit_code::outcome_unknown;
  }
  return exit_code::failed;
}

}  // namespace zinc
