#pragma once
// The exit codes of every subcommand. docs/shell.md has the table.

#include <optional>

namespace zinc {

enum exit_code : int {
  done = 0,
  failed = 1,           // any other failure
  misused = 2,          // invalid arguments
  was_refused = 3,      // the other side said no; nothing was executed
  no_answer = 4,        // no answer in time; the request may have been executed
  outcome_unknown = 5,  // may have been executed, and no answer will come
};

// The exit code of a subcommand that did several things: 0 if none failed, the code of the failures if they have one
// code, and otherwise 1.
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
