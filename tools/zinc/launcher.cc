#include "tools/zinc/launcher.h"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace zinc {

namespace {

[[noreturn]] void fail(int fault, const std::string& what) {
  throw std::system_error{fault, std::generic_category(), what};
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (auto& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

// Returns the environment of this process with the setting.
std::vector<std::string> environment_with(const std::string& setting) {
  std::vector<std::string> all;
  const auto name = std::string_view{setting}.substr(0, setting.find('=') + 1);
  for (char** one = environ; *one != nullptr; ++one) {
    if (name.empty() || !std::string_view{*one}.starts_with(name)) {
      all.emplace_back(*one);
    }
  }
  if (!setting.empty()) {
    all.push_back(setting);
  }
  return all;
}

// A copy of a descriptor that no dup2() to a standard descriptor closes.
int above_standard(int descriptor) noexcept {
  return ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

struct program {
  char* const* words;
  char* const* environment;
  const launch_options& options;
};

// Becomes the program, or returns errno. The functions are safe after a fork of a process with threads.
int become(const program& what) noexcept {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  std::array<int, 3> standard{what.options.input, what.options.output, what.options.errors};
  for (auto& one : standard) {
    one = above_standard(one == launch_options::nothing ? nothing : one);
  }
  for (std::size_t i = 0; i < standard.size(); ++i) {
    if (::dup2(standard[i], static_cast<int>(i)) < 0) {
      return errno;
    }
  }
  ::sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  ::execvpe(what.words[0], what.words, what.environment);
  return errno;
}

// Runs in the child. Writes errno to `report` if the program cannot run.
[[noreturn]] void run(const program& what, ::pid_t parent, int report) noexcept {
  report = above_standard(report);
  ::setpgid(0, 0);
  end_with(parent, what.options.parent_end_signal);
  const int fault = become(what);
  // Four bytes always fit into the empty pipe.
  [[maybe_unused]] const auto written = ::write(report, &fault, sizeof fault);
  ::_exit(EXIT_FAILURE);
}

}  // namespace

child_process::child_process(std::vector<std::string> words, const launch_options& options) {
  auto environment = environment_with(options.setting);
  const auto environment_pointers = pointers_to(environment);
  const auto word_pointers = pointers_to(words);
  const auto what = fmt::format("cannot run '{}'", words.front());
  std::array<int, 2> report{};  // closed by execve()
  if (::pipe2(report.data(), O_CLOEXEC) != 0) {
    fail(errno, what);
  }
  const auto parent = ::getpid();
  id_ = ::fork();
  if (id_ == 0) {
    run({word_pointers.data(), environment_pointers.data(), options}, parent, report[1]);
  }
  int fault = id_ < 0 ? errno : 0;
  ::close(report[1]);
  while (fault == 0 && ::read(report[0], &fault, sizeof fault) < 0 && errno == EINTR) {
  }
  ::close(report[0]);
  if (fault != 0) {
    wait();
    fail(fault, what);
  }
}

child_process::child_process(const std::function<int()>& body) {
  const auto parent = ::getpid();
  id_ = ::fork();
  if (id_ < 0) {
    fail(errno, "fork");
  }
  if (id_ == 0) {
    ::setpgid(0, 0);
    end_with(parent, SIGKILL);
    try {
      ::_exit(body());
    } catch (...) {
      ::_exit(EXIT_FAILURE);
    }
  }
  // The parent sets the group too, because it may signal the child before the child runs.
  ::setpgid(id_, id_);
}

child_process::child_process(child_process&& other) noexcept : id_{std::exchange(other.id_, -1)} {}

child_process::~child_process() {
  signal(SIGKILL);
  wait();
}

void child_process::signal(int number) const noexcept {
  if (id_ > 0) {
    ::kill(-id_, number);
  }
}

bool child_process::has_ended() const noexcept {
  // The process stays a zombie, so that its group can still be signalled.
  ::siginfo_t ended{};
  return ::waitid(P_PID, static_cast<::id_t>(id_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == id_;
}

int child_process::wait() noexcept {
  int status = 0;
  if (id_ > 0) {
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
  }
  return status;
}

void end_with(::pid_t parent, int signal) noexcept {
  ::prctl(PR_SET_PDEATHSIG, signal);
  // The parent may have ended before, and then sends no signal.
  if (::getppid() != parent) {
    ::_exit(EXIT_FAILURE);
  }
}

std::string text_of_end(int status) {
  return WIFSIGNALED(status) ? fmt::format("killed by signal {}", WTERMSIG(status))
                             : fmt::format("exited with {}", WEXITSTATUS(status));
}

}  // namespace zinc
