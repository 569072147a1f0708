#pragma once
// zinc titanic list, show, close and purge: commands for the store of a stopped Titanic.

#include "mdp/titanic/slot_file.h"
#include "tools/zinc/commands.h"

namespace zinc {

// Runs arguments.task, which must not be `serve`, and returns the exit code.
[[nodiscard]] int run_titanic_store(const titanic_arguments& arguments,
                                    mdp::titanic::sqlite_options options);

}  // namespace zinc
