#pragma once
// The exit codes for the errors of requests. Pure.

#include "mdp/client.h"
#include "tools/zinc/exit_code.h"

#include <boost/system/error_code.hpp>

#include <optional>

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

// The exit code of several requests: that of those that failed, if they all have the same.
class common_code {
public:
  void add(exit_code failure) noexcept {
    code_ = !code_ || *code_ == failure ? failure : exit_code::failed;
  }
  [[nodiscard]] exit_code get() const noexcept { return code_.value_or(exit_code::done); }

private:
  std::optional<exit_code> code_;
};

}  // namespace zinc
