#pragma once
// A command that runs while a node is active.

#include "tools/zinc/launcher.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace zinc {

// The command has empty input and the output of this process. A child of the command that leaves the process group
// may continue.
//
// A process may have only one object, which handles SIGCHLD. It keeps the context running until cancel().
class supervised_command {
public:
  // Receives the status of waitpid(2) when the command has ended. `asked` is true if end() ended it. It is
  // not called if want() runs the command again.
  using end_handler = std::function<void(int status, bool asked)>;
  supervised_command(const boost::asio::any_io_executor& executor, std::vector<std::string> words,
                     std::chrono::milliseconds grace, end_handler on_end);

  // Runs the command with this setting (NAME=VALUE) in its environment. After end(), runs it when it has
  // ended. Has no effect while it runs. Throws std::system_error if the command cannot run.
  void want(std::string setting);
  // Sends SIGTERM, and SIGKILL after the grace, to the process group. Returns false if the command does not run.
  bool end();
  // Sets the grace of the next end().
  void set_grace(std::chrono::milliseconds grace) noexcept { grace_ = grace; }
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
  std::optional<child_process> child_;
  bool asked_ = false;  // to end
};

}  // namespace zinc
