#pragma once
// The exit status of a command as text.

#include <fmt/core.h>

#include <string>
#include <sys/wait.h>

namespace zinc {

// Returns the text for a status of waitpid(2): "exited with 3", "killed by signal 9".
[[nodiscard]] inline std::string text_of_end(int status) {
  return WIFSIGNALED(status) ? fmt::format("killed by signal {}", WTERMSIG(status))
                             : fmt::format("exited with {}", WEXITSTATUS(status));
}

}  // namespace zinc
