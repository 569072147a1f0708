#include "tools/zinc/child_process.h"

#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <utility>

extern char** environ;  // NOLINT: POSIX has it so

namespace zinc {

child_process::child_process(std::vector<std::string> words) {
  words.insert(words.begin(), "zinc");
  std::vector<char*> arguments;
  for (auto& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  ::posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  // The output of the process would mix with that of the demonstration.
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  if (::posix_spawn(&id_, "/proc/self/exe", &actions, nullptr, arguments.data(), environ) != 0) {
    id_ = -1;
  }
  ::posix_spawn_file_actions_destroy(&actions);
}

child_process::child_process(child_process&& other) noexcept : id_{std::exchange(other.id_, -1)} {}

child_process::~child_process() { end(SIGKILL); }

void child_process::end(int signal) noexcept {
  if (id_ > 0) {
    ::kill(id_, signal);
    ::waitpid(id_, nullptr, 0);
    id_ = -1;
  }
}

}  // namespace zinc
