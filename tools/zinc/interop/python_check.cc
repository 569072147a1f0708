#include "tools/zinc/interop/python_check.h"

#include "tools/zinc/command_end.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT: POSIX has it so

namespace zinc::interop {

namespace {

// Returns the last line, in which Python names the error.
std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  const auto before = text.rfind('\n');
  return before == std::string::npos ? text : text.substr(before + 1);
}

std::string read_all(int from) {
  std::string all;
  std::array<char, 4096> piece{};
  for (;;) {
    const auto count = ::read(from, piece.data(), piece.size());
    if (count > 0) {
      all.append(piece.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return all;
    }
  }
}

}  // namespace

std::string why_no_pyzmq(const std::string& python) {
  std::array<int, 2> errors{};
  if (::pipe2(errors.data(), O_CLOEXEC) != 0) {
    return std::strerror(errno);
  }
  ::posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, errors[1], STDERR_FILENO);
  std::array<std::string, 3> words{python, "-c", "import zmq"};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  ::pid_t child = -1;
  const auto fault =
      ::posix_spawnp(&child, python.c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(errors[1]);
  const auto said = fault == 0 ? read_all(errors[0]) : std::string{};
  ::close(errors[0]);
  if (fault != 0) {
    return std::strerror(fault);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return {};
  }
  const auto why = last_line(said);
  return why.empty() ? text_of_end(status) : why;
}

}  // namespace zinc::interop
