#include "tools/zinc/supervised_command.h"

#include <boost/system/system_error.hpp>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace zinc {

namespace {

constexpr int cannot_run = 127;  // as of shells

// Runs the command in the child. The parent has one thread.
[[noreturn]] void become(char* const* words, char* setting, ::pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::putenv(setting);
  // The parent may have ended before prctl(), and then sends no signal.
  if (nothing >= 0 && ::dup2(nothing, STDIN_FILENO) >= 0 && ::getppid() == parent) {
    ::execvp(words[0], words);
  }
  ::_exit(cannot_run);
}

}  // namespace

supervised_command::supervised_command(const boost::asio::any_io_executor& executor,
                                       std::vector<std::string> words,
                                       std::chrono::milliseconds grace, end_handler on_end)
    : ended_{executor, SIGCHLD},
      kill_at_{executor},
      words_{std::move(words)},
      grace_{grace},
      on_end_{std::move(on_end)} {
  watch();
}

void supervised_command::want(std::string setting) {
  wanted_ = std::move(setting);
  if (child_ == -1) {
    spawn();
  }
}

bool supervised_command::end() {
  wanted_.reset();
  if (child_ == -1) {
    return false;
  }
  if (!asked_) {
    asked_ = true;
    ::kill(-child_, SIGTERM);
    kill_at_.expires_after(grace_);
    kill_at_.async_wait([this](boost::system::error_code ec) {
      if (!ec && child_ != -1) {
        ::kill(-child_, SIGKILL);
      }
    });
  }
  return true;
}

void supervised_command::cancel() {
  ended_.cancel();
  kill_at_.cancel();
}

void supervised_command::spawn() {
  asked_ = false;
  std::vector<char*> words;
  for (auto& word : words_) {
    words.push_back(word.data());
  }
  words.push_back(nullptr);
  const auto parent = ::getpid();
  const auto child = ::fork();
  if (child == 0) {
    become(words.data(), wanted_->data(), parent);
  }
  if (child == -1) {
    throw boost::system::system_error{errno, boost::system::system_category(), "fork"};
  }
  // The parent sets the group too, because it may signal the child before the child runs.
  ::setpgid(child, child);
  child_ = child;
}

void supervised_command::watch() {
  ended_.async_wait([this](boost::system::error_code ec, int) {
    if (!ec) {
      watch();
      look();
    }
  });
}

void supervised_command::look() {
  int status = 0;
  if (child_ == -1 || ::waitpid(child_, &status, WNOHANG) != child_) {
    return;
  }
  // Kills the rest of the process group.
  ::kill(-child_, SIGKILL);
  child_ = -1;
  kill_at_.cancel();
  const bool asked = std::exchange(asked_, false);
  if (asked && wanted_) {
    spawn();
  } else {
    on_end_(status, asked);
  }
}

}  // namespace zinc
