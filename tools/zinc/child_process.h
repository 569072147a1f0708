#pragma once
// A subcommand of this program in its own process, which a test or a demonstration can kill.

#include <string>
#include <sys/types.h>
#include <vector>

namespace zinc {

// The process has no input, and its output is dropped. The destructor kills it.
class child_process {
public:
  // Runs `zinc` with these arguments. If the process cannot start, id() is -1.
  explicit child_process(std::vector<std::string> words);
  child_process(child_process&& other) noexcept;
  child_process& operator=(child_process&&) = delete;
  ~child_process();

  [[nodiscard]] ::pid_t id() const noexcept { return id_; }
  // Sends the signal and waits until the process has ended.
  void end(int signal) noexcept;

private:
  ::pid_t id_ = -1;
};

}  // namespace zinc
