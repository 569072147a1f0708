#pragma once
// The exit codes of every subcommand. docs/shell.md has the table.

namespace zinc {

enum exit_code : int {
  done = 0,
  failed = 1,           // any other failure
  misused = 2,          // invalid arguments
  was_refused = 3,      // the other side said no; nothing was executed
  no_answer = 4,        // no answer in time; the request may have been executed
  outcome_unknown = 5,  // may have been executed, and no answer will come
};

}  // namespace zinc
