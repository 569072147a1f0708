#pragma once
// A command that runs as long as it is wanted.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace zinc {

// The command is a process group of its own with nothing on its input. It does not outlive this process,
// however that ends; what the command itself has started may, if it is not in its group.
//
// One for a process: it hears of each child that ends. It keeps the context running until cancelled.
class supervised_command {
public:
  // `on_end` is called with the status as of waitpid(2) when the command has ended, unless it is wanted
  // again: by itself, or because it was asked to (`asked`).
  using end_handler = std::function<void(int status, bool asked)>;
  supervised_command(const boost::asio::any_io_executor& executor, std::vector<std::string> words,
                     std::chrono::milliseconds grace, end_handler on_end);

  // Runs it, with this setting (NAME=VALUE) added to its environment; once it has ended, if it was asked to.
  // Nothing if it runs. What cannot be run ends with status 127.
  void want(std::string setting);
  // SIGTERM, and SIGKILL after the grace, to its whole group. False if it does not run.
  bool end();
  void cancel();

private:
  void spawn();
  void watch();
  void look();

  boost::asio::signal_set ended_;
  boost::asio::steady_timer kill_at_;
  std::vector<std::string> words_;
  std::chrono::milliseconds grace_;
  end_handler on_end_;
  std::optional<std::string> wanted_;
  ::pid_t child_ = -1;  // none
  bool asked_ = false;  // to end
};

}  // namespace zinc
