#include "tools/zinc/shell_command.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char** environ;  // NOLINT: POSIX has it so

namespace zinc {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

// Bytes that a reply may have. Further output of the command is not read.
constexpr std::size_t max_output = 64 * 1024 * 1024 - 1024;

class running : public std::enable_shared_from_this<running> {
public:
  running(const asio::any_io_executor& executor, std::string input, shell_handler on_done)
      : to_child_{executor},
        from_child_{executor},
        exit_poll_{executor},
        input_{std::move(input)},
        on_done_{std::move(on_done)} {}

  // Ends a command that runs longer than the context.
  ~running() {
    if (child_ > 0) {
      ::kill(-child_, SIGTERM);
    }
  }

  void start(const std::string& command) {
    if (const auto ec = spawn(command)) {
      on_done_(ec, 0, {});
      return;
    }
    asio::async_write(to_child_, asio::buffer(input_),
                      [self = shared_from_this()](error_code, std::size_t) {
                        // A command need not read its input, so write errors are ignored.
                        self->to_child_.close();
                      });
    asio::async_read(from_child_, asio::dynamic_buffer(output_, max_output),
                     [self = shared_from_this()](error_code, std::size_t) { self->reap(); });
  }

private:
  error_code spawn(const std::string& command) {
    std::array<int, 2> input{};
    std::array<int, 2> output{};
    if (::pipe2(input.data(), O_CLOEXEC) != 0) {
      return {errno, boost::system::system_category()};
    }
    to_child_.assign(input[1]);
    if (::pipe2(output.data(), O_CLOEXEC) != 0) {
      const auto fault = errno;
      ::close(input[0]);
      return {fault, boost::system::system_category()};
    }
    from_child_.assign(output[0]);
    ::posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    std::array<std::string, 3> words{"/bin/sh", "-c", command};
    std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
    // The command gets the default action of SIGPIPE, which this process ignores.
    ::posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::sigset_t defaults;
    ::sigemptyset(&defaults);
    ::sigaddset(&defaults, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    // The command has its own process group, so that Ctrl-C does not interrupt it.
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    const auto fault =
        ::posix_spawn(&child_, "/bin/sh", &actions, &attributes, arguments.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(input[0]);
    ::close(output[1]);
    if (fault != 0) {
      child_ = -1;
    }
    return {fault, boost::system::system_category()};
  }

  // Waits for the process. The output has ended, so the process ends within milliseconds.
  void reap() {
    error_code ignored;
    from_child_.close(ignored);
    int status = 0;
    const auto gone = ::waitpid(child_, &status, WNOHANG);
    if (gone == 0) {
      exit_poll_.expires_after(std::chrono::milliseconds{10});
      exit_poll_.async_wait([self = shared_from_this()](error_code ec) {
        if (!ec) {
          self->reap();
        }
      });
      return;
    }
    child_ = -1;
    on_done_({}, status, std::move(output_));
  }

  asio::posix::stream_descriptor to_child_;
  asio::posix::stream_descriptor from_child_;
  asio::steady_timer exit_poll_;
  std::string input_;
  std::string output_;
  shell_handler on_done_;
  ::pid_t child_ = -1;
};

}  // namespace

void run_shell_command(const asio::any_io_executor& executor, const std::string& command,
                       std::string input, shell_handler on_done) {
  std::make_shared<running>(executor, std::move(input), std::move(on_done))->start(command);
}

}  // namespace zinc
