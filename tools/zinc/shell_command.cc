#include "tools/zinc/shell_command.h"

#include "tools/zinc/launcher.h"

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
#include <optional>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace zinc {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

// Bytes that a reply may have. Further output of the command is not read.
constexpr std::size_t max_output = 64 * 1024 * 1024 - 1024;

void open_pipe(std::array<int, 2>& ends) {
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error{errno, std::generic_category(), "pipe"};
  }
}

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
    if (child_) {
      child_->signal(SIGTERM);
      child_->release();
    }
  }

  void start(const std::string& command) {
    try {
      spawn(command);
    } catch (const std::system_error& e) {
      on_done_({e.code().value(), boost::system::system_category()}, 0, {});
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
  // Throws std::system_error.
  void spawn(const std::string& command) {
    std::array<int, 2> input{};
    std::array<int, 2> output{};
    open_pipe(input);
    to_child_.assign(input[1]);
    const asio::posix::stream_descriptor child_input{to_child_.get_executor(), input[0]};
    open_pipe(output);
    from_child_.assign(output[0]);
    const asio::posix::stream_descriptor child_output{to_child_.get_executor(), output[1]};
    child_.emplace(std::vector<std::string>{"/bin/sh", "-c", command},
                   launch_options{.input = input[0],
                                  .output = output[1],
                                  .errors = STDERR_FILENO,
                                  .parent_end_signal = SIGTERM});
  }

  // Waits for the process. The output has ended, so the process ends within milliseconds.
  void reap() {
    error_code ignored;
    from_child_.close(ignored);
    if (!child_->has_ended()) {
      exit_poll_.expires_after(std::chrono::milliseconds{10});
      exit_poll_.async_wait([self = shared_from_this()](error_code ec) {
        if (!ec) {
          self->reap();
        }
      });
      return;
    }
    on_done_({}, child_->wait(), std::move(output_));
  }

  asio::posix::stream_descriptor to_child_;
  asio::posix::stream_descriptor from_child_;
  asio::steady_timer exit_poll_;
  std::string input_;
  std::string output_;
  shell_handler on_done_;
  std::optional<child_process> child_;
};

}  // namespace

void run_shell_command(const asio::any_io_executor& executor, const std::string& command,
                       std::string input, shell_handler on_done) {
  std::make_shared<running>(executor, std::move(input), std::move(on_done))->start(command);
}

}  // namespace zinc
