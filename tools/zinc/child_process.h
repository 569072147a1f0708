#pragma once
// A command of this program in a process of its own, which can be killed as a real one is.

#include <string>
#include <sys/types.h>
#include <vector>

namespace zinc {

// Without input; its output and log are dropped. Killed with this object.
class child_process {
public:
  // Of the words behind `zinc`. id() is -1 if it could not be started.
  explicit child_process(std::vector<std::string> words);
  child_process(child_process&& other) noexcept;
  child_process& operator=(child_process&&) = delete;
  ~child_process();

  [[nodiscard]] ::pid_t id() const noexcept { return id_; }
  // Waits until it has ended.
  void end(int signal) noexcept;

private:
  ::pid_t id_ = -1;
};

}  // namespace zinc
