#include "tools/zinc/supervised_command.h"

#include <csignal>
#include <unistd.h>
#include <utility>

namespace zinc {

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
  if (!child_) {
    spawn();
  }
}

bool supervised_command::end() {
  wanted_.reset();
  if (!child_) {
    return false;
  }
  if (!asked_) {
    asked_ = true;
    child_->signal(SIGTERM);
    kill_at_.expires_after(grace_);
    kill_at_.async_wait([this](boost::system::error_code ec) {
      if (!ec && child_) {
        child_->signal(SIGKILL);
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
  child_.emplace(
      words_,
      launch_options{.output = STDOUT_FILENO, .errors = STDERR_FILENO, .setting = *wanted_});
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
  if (!child_ || !child_->has_ended()) {
    return;
  }
  // Kills the rest of the process group.
  child_->signal(SIGKILL);
  const int status = child_->wait();
  child_.reset();
  kill_at_.cancel();
  const bool asked = std::exchange(asked_, false);
  if (asked && wanted_) {
    spawn();
  } else {
    on_end_(status, asked);
  }
}

}  // namespace zinc
